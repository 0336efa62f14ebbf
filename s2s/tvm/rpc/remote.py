"""Objects of a remote session, with the names of local ones: devices, arrays, modules, functions and executors."""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError, UnsupportedError
from s2s.executor.device import Device
from s2s.executor.element_types import DType
from s2s.executor.ndarray import NDArray
from s2s.executor.session import Executor
from s2s.support.frozen import frozen
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.rpc.connection import Connection
from s2s.tvm.rpc.objects import Reference
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.types.weights import Array


class ArraySession(Protocol):
    """A session in which arrays lie."""

    def array(self, values: Array) -> "RemoteArray":
        """Return an array of the session with these values."""
        ...


class _Remote:
    """An object of a session; the session forgets it together with its last reference here."""

    def __init__(self, connection: Connection, reference: Reference) -> None:
        self.connection, self.reference = connection, Reference(reference.number)
        weakref.finalize(self, connection.forget, reference.number)

    def invoke(self, method: str, /, *arguments: Any, **keywords: Any) -> Any:
        """Return what a method of the object returns."""
        return call(self.connection, self.reference.number, method, *arguments, **keywords)


def call(connection: Connection, number: int, method: str, /, *arguments: Any, **keywords: Any) -> Any:
    """Call a method of an object of a session; arguments and result may be objects of it."""
    sent = [_sent(connection, value) for value in arguments]
    named = {name: _sent(connection, value) for name, value in keywords.items()}
    return _received(connection, connection.invoke(number, method, *sent, **named))


def _sent(connection: Connection, value: Any) -> Any:
    """An argument as it goes to the session."""
    remote = value if isinstance(value, _Remote) else getattr(value, "remote", None)
    if isinstance(remote, _Remote):
        if remote.connection is not connection:
            raise InputError("session: an object of another session is given; copy it: x.numpy()")
        return remote.reference
    if isinstance(value, Device):
        return Device(value.device_type, value.device_id)
    if callable(value):
        raise UnsupportedError("session: functions of this process cannot be called there; upload a module")
    return value.numpy() if isinstance(value, NDArray) else value


def _received(connection: Connection, value: Any) -> Any:
    """A result as it comes from the session."""
    if not isinstance(value, Reference):
        several = cast("tuple[Any, ...]", value) if type(value) is tuple else None
        return cast(Any, value) if several is None else tuple(_received(connection, each) for each in several)
    remote = _Remote(connection, value)
    if value.kind == "array":
        return RemoteArray(remote, *value.told)
    if value.kind == "module":
        return RemoteModule(remote)
    if value.kind == "executor":
        return RemoteExecutor(remote, *value.told)
    return _function(remote, "__call__", str(value.told[0]))


def _function(remote: _Remote, method: str, name: str) -> PackedFunc:
    """A method of a remote object as a function."""
    return PackedFunc(lambda *arguments, **keywords: remote.invoke(method, *arguments, **keywords), name)


@frozen
class RemoteDevice(Device):
    """A device of a session."""

    session: "ArraySession | None" = field(default=None, compare=False)

    def place(self, array: Array) -> Any:
        """Return an array of the session with the same elements."""
        assert self.session is not None
        return self.session.array(array)

    def sync(self) -> None:
        """Wait until all work on the device is done: a call returns when its work is done."""

    def __str__(self) -> str:
        """`remote[0]:cpu(0)`."""
        return f"remote[0]:{Device(self.device_type, self.device_id)}"


class RemoteArray:
    """An array of a session. Its elements come here by `numpy`, and go there by `copyfrom`."""

    def __init__(self, remote: _Remote, shape: tuple[int, ...], dtype: DType) -> None:
        self.remote, self.shape, self.dtype = remote, shape, dtype

    @property
    def device(self) -> RemoteDevice:
        """The processor of the session."""
        return RemoteDevice(1, 0)

    def numpy(self) -> Array:
        """A copy of the elements in this process."""
        return np.frombuffer(self.remote.invoke("tobytes"), self.dtype).reshape(self.shape).copy()

    def asnumpy(self) -> Array:
        """A copy of the elements in this process, as `numpy`."""
        return self.numpy()

    def __array__(self, dtype: DType | None = None, copy: bool | None = None) -> Array:
        """What numpy asks for."""
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def copyfrom(self, source: npt.ArrayLike) -> "RemoteArray":
        """Take the values of an array, which has the same shape."""
        self.remote.invoke("copyfrom", np.asarray(source))
        return self

    def copyto(self, target: Any) -> Any:
        """Give the values to an array of the same shape, or to a device."""
        return self.numpy().view(NDArray).copyto(target)


class RemoteModule(Module):
    """A module of a session."""

    type_key = "rpc"

    def __init__(self, remote: _Remote) -> None:
        super().__init__()
        self.remote = remote

    def function_names(self) -> list[str]:
        """The names of its functions."""
        return self.remote.invoke("function_names")

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """The function of a name, None where there is none."""
        return self.remote.invoke("find", name, query_imports)

    def create_executor(self, graph_json: str) -> "RemoteExecutor":
        """The executor of a graph JSON on this module, where it is."""
        create = call(self.remote.connection, 0, "get_function", "tvm.graph_executor.create")
        return create(graph_json, self)

    def import_module(self, module: Module) -> None:
        """Let the functions of a module of the session be found through this one."""
        self.remote.invoke("import_module", module)

    @property
    def imported_modules(self) -> list[Module]:
        """The modules that it imports itself."""
        return [self.remote.invoke("imported_modules.__getitem__", number) for number in range(self._count())]

    def _count(self) -> int:
        return self.remote.invoke("imported_modules.__len__")

    def time_evaluator(self, func_name: str, dev: object = None, *how: Any, **keywords: Any) -> Callable[..., Any]:
        """A function that times one of the module where it runs, as `Module.time_evaluator` does."""
        return self.remote.invoke("time_evaluator", func_name, Device(1), *how, **keywords)


class RemoteExecutor(Executor):
    """An executor of a session, which `GraphModule` takes."""

    def __init__(self, remote: _Remote, name: str, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        super().__init__(None, name)
        self.remote, self.inputs, self.outputs = remote, inputs, outputs

    @property
    def graph_class(self) -> type[GraphModule]:
        """What `GraphModule` makes of it."""
        return RemoteGraphModule

    def __getitem__(self, name: str) -> PackedFunc:
        """The function of a name."""
        return _function(self.remote, f"face.{name}", name)

    get_function = __getitem__

    def time_evaluator(self, func_name: str, dev: object = None, *how: Any, **keywords: Any) -> Callable[..., Any]:
        """A function that times another one where it runs."""
        return self.remote.invoke("time_evaluator", func_name, Device(1), *how, **keywords)

    def run(self) -> None:
        """Run the network there."""
        self.remote.invoke("run")

    def fixed_constant(self, name: str) -> Array | None:
        """The value of a constant that cannot be replaced."""
        return self.remote.invoke("fixed_constant", name)

    def _linked_value(self, index: int) -> Array | None:
        raise UnsupportedError(f"{self.name}: memory of a session has no address here; use GraphModule")

    def _bind_input(self, index: int, tensor: Any) -> int:
        raise UnsupportedError(f"{self.name}: memory of a session has no address here; use GraphModule")

    _bind_output = _bind_input

    def _run(self) -> int:
        self.run()
        return 0


class RemoteGraphModule(GraphModule):
    """A graph executor of a session; values that it gives are arrays of the session."""

    module: RemoteExecutor

    def set_input(self, key: str | int | None = None, value: Any = None, **params: Any) -> None:
        """Copy values into inputs given by name or number, and by keyword."""
        self._call("set_input", key, value, **params)

    def set_input_zero_copy(self, key: str | int, value: Any) -> None:
        """Read an input from the memory of an array of the session at each run."""
        self._call("set_input_zero_copy", key, _of_session(value))

    def set_output_zero_copy(self, key: str | int, value: Any) -> None:
        """Write an output to the memory of an array of the session at each run."""
        self._call("set_output_zero_copy", key, _of_session(value))

    def run(self, **input_dict: Any) -> None:
        """Run the network, after setting the inputs given by keyword."""
        self._call("run", **input_dict)

    def run_from_inputs(self, inputs: Mapping[str, npt.ArrayLike]) -> list[Any]:
        """Run the network on inputs by name; all outputs."""
        self.run(**{name: np.asarray(value) for name, value in inputs.items()})
        return [self.get_output(index) for index in range(self.get_num_outputs())]

    def get_input(self, index: str | int, out: Any = None) -> Any:
        """An input."""
        return _into(self._call("get_input", index), out)

    def get_output(self, index: str | int, out: Any = None) -> Any:
        """A copy of an output of the last run."""
        return _into(self._call("get_output", index), out)

    def debug_get_output(self, node: str | int, out: Any = None) -> Any:
        """Run the network up to a node, and return its first output."""
        return _into(self._call("debug_get_output", node), out)

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Replace parameters by the parameters of a params file."""
        self._call("load_params", bytes(params_bytes))

    def share_params(self, other: GraphModule, params_bytes: bytes | bytearray) -> None:
        """Refused: executors of a session each have their parameters."""
        raise UnsupportedError(f"{self.module.name}: share_params: executors of a session own theirs; use load_params")

    def benchmark(self, device: object = None, *how: Any, **keywords: Any) -> Any:
        """Time the network where it runs."""
        return self._call("benchmark", Device(1), *how, **keywords)

    def _call(self, name: str, /, *arguments: Any, **keywords: Any) -> Any:
        return self.module.remote.invoke(f"face.{name}", *arguments, **keywords)


def _of_session(value: Any) -> RemoteArray:
    """An array of a session; another one has no memory there."""
    if not isinstance(value, RemoteArray):
        raise InputError("zero copy: the array is in this process; make one of the session: nd.array(x, remote.cpu())")
    return value


def _into(value: RemoteArray, out: Any) -> Any:
    """A value, or `out` filled with it."""
    return value if out is None else value.copyto(out)
