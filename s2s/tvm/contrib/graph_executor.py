"""The graph executor under TVM's names.

    library = s2s.build(module, target="host", executor="graph")
    module = graph_executor.GraphModule(library["default"](s2s.cpu()))
    module.set_input("data", image)
    module.run()
    scores = module.get_output(0).numpy()

Where TVM differs from itself or would go on with a wrong value, this executor decides:

- `set_input` copies; a value of another kind (float for int), of another shape or outside the range of an integer input
  is refused. `set_input_zero_copy` and `set_output_zero_copy` bind the memory of a numpy array and keep it alive.
- `get_output` returns a copy, so that a later run does not change results that were taken before.
- Weights are linked into the library. Each is an input as well (a parameter, counted by `get_num_inputs`), so
  `load_params`, `share_params` and `set_input` can replace its value in this module; the library keeps its own.
- The element order of a parameter is the one its kernels read, as in the params file written beside the library.
"""

from collections.abc import Mapping
from typing import Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError
from s2s.executor import graph_json_reader
from s2s.executor.device import check_device
from s2s.executor.graph_json import Network
from s2s.executor.ndarray import NDArray
from s2s.executor.params import load_param_dict
from s2s.executor.session import Executor, LoadedLibrary, Port, Session
from s2s.tvm.error import MissingInputError
from s2s.tvm.runtime.benchmark import BenchmarkResult, measure
from s2s.tvm.runtime.container import Map, ShapeTuple, String
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.program import Program
from s2s.types.weights import Array

__all__ = ["GraphModule", "create"]

FUNCTIONS = (
    "debug_get_output",
    "get_input",
    "get_input_index",
    "get_input_info",
    "get_num_inputs",
    "get_num_outputs",
    "get_output",
    "get_output_info",
    "load_params",
    "run",
    "run_from_inputs",
    "set_input",
    "set_input_zero_copy",
    "set_output_zero_copy",
    "share_params",
)
"""What `module["name"]` finds."""


def create(graph_json_str: str, libmod: LoadedLibrary | Module, device: object = None) -> "GraphModule":
    """A module that runs the network of the graph JSON on a library.

    On packed functions (a module) the JSON itself is loaded and run. On a compiled tree its tables are run, which must
    be those of the network that the JSON describes.
    """
    check_device(device)
    if isinstance(libmod, Module):
        remote = getattr(libmod, "create_executor", None)
        return GraphModule(Program(graph_json_str, libmod) if remote is None else remote(graph_json_str))
    session = Session(libmod)
    _check_same_network(graph_json_reader.load(graph_json_str), session)
    return GraphModule(session)


def _check_same_network(network: Network, session: Session) -> None:
    """Compare inputs, parameters and outputs of the JSON with the ones of the tables."""
    described = {source.name: source.value for source in network.sources()}
    for port in session.inputs:
        value = described.get(port.name)
        if value is None or (value.dtype, value.shape) != (port.dtype.name, port.shape):
            raise InputError(
                f"graph JSON: input {port.name!r} of {session.name} is missing or of another type; "
                "give the JSON that was written with the library"
            )
    outputs = [(network.value(entry).dtype, network.value(entry).shape) for entry in network.outputs]
    if outputs != [(port.dtype.name, port.shape) for port in session.outputs]:
        raise InputError(
            f"graph JSON: outputs differ from those of {session.name}; give the JSON that was written with the library"
        )


class GraphModule:
    """A network with its inputs and outputs, run by the graph executor."""

    def __new__(cls, module: Any, *_: Any, **__: Any) -> Self:
        """Make the object; an executor of a remote session tells what it wants to be."""
        return super().__new__(getattr(module, "graph_class", cls))

    def __init__(self, module: Executor) -> None:
        if not isinstance(module, Executor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"GraphModule: {type(module).__name__} given; give library['default'](device) of a network that was "
                "built for executor graph, and AotModule one for aot"
            )
        self.module = module

    def set_input(
        self, key: str | int | None = None, value: npt.ArrayLike | None = None, **params: npt.ArrayLike
    ) -> None:
        """Copy a value into an input given by name or number, and values into inputs given by keyword.

        Keywords that name no input are skipped, as TVM does, so that one dictionary can serve several networks.
        """
        if key is not None:
            if value is None:
                raise InputError(f"input {key!r}: no value given; call set_input(key, value)")
            self.module.set_input(self._input(key), np.asarray(value))
        self._set_known(params)

    def set_input_zero_copy(self, key: str | int, value: Array) -> None:
        """Read an input from the memory of `value` at each run: contiguous, of exactly the right type."""
        self.module.bind_input(self._input(key), value)

    def set_output_zero_copy(self, key: str | int, value: Array) -> None:
        """Write an output to the memory of `value` at each run: contiguous, of exactly the right type."""
        self.module.bind_output(self._output(key), value)

    def run(self, **input_dict: npt.ArrayLike) -> None:
        """Run the network, after setting the inputs given by keyword."""
        self._set_known(input_dict)
        self.module.run()

    def run_from_inputs(self, inputs: Mapping[str, npt.ArrayLike]) -> list[NDArray]:
        """Run the network on inputs by name; copies of all outputs."""
        for name, value in inputs.items():
            self.set_input(name, value)
        self.module.run()
        return [self.get_output(index) for index in range(self.get_num_outputs())]

    def get_num_outputs(self) -> int:
        """How many outputs there are."""
        return len(self.module.outputs)

    def get_num_inputs(self) -> int:
        """How many inputs there are, parameters included."""
        return len(self.module.inputs)

    def get_input(self, index: str | int, out: Array | None = None) -> NDArray:
        """Return the value of an input, in place; of a parameter not yet replaced, a copy. Into `out` if given.

        An input that has no value yet is given zeros, so that `get_input(name).copyfrom(value)` sets it.
        """
        number = self._input(index)
        memory = self.module.input_memory(number)
        if memory is None:
            port = self.module.inputs[number]
            self.module.set_input(number, np.zeros(port.shape, port.dtype))
            return self.get_input(index, out)
        return _given(memory if memory.flags.writeable else memory.copy(), out)

    def get_input_index(self, name: str) -> int:
        """The number of an input, -1 if there is none of that name."""
        return _index_of(name, self.module.inputs)

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the inputs by name, without parameters."""
        return _info([port for port in self.module.inputs if not port.is_parameter])

    def get_output_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the outputs by name."""
        return _info(self.module.outputs)

    def get_output(self, index: str | int, out: Array | None = None) -> NDArray:
        """A copy of an output of the last run; into `out` if given, which is returned."""
        memory = self.module.output_memory(self._output(index))
        return _given(memory.copy() if out is None else memory, out)

    def debug_get_output(self, node: str | int, out: Array | None = None) -> NDArray:
        """Run the network up to a node, given by name or number, and return its first output; into `out` if given.

        This works where the graph JSON is run; in tables, values share memory and are gone after the run.
        """
        program = self.module
        if not isinstance(program, Program):
            raise InputError(
                f"{program.name}: tables do not keep values between kernels; run the graph JSON: "
                "library['debug_create'](name, device), or create(graph_json, module)"
            )
        number = node_number(program, node)
        for each in range(number + 1):
            program.run_node(each)
        value = program.node_output(number, 0)
        return value if out is None else _given(value, out)

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Replace parameters by the parameters of a params file; names that the network does not have are skipped."""
        for name, array in load_param_dict(bytes(params_bytes)).items():
            index = self.get_input_index(name)
            if index >= 0:
                self.module.set_parameter(index, array)
            else:
                self._check_fixed(name, array)

    def share_params(self, other: "GraphModule", params_bytes: bytes | bytearray) -> None:
        """Read the parameters named in a params file from the memory of another module, so that both hold them once."""
        for name in load_param_dict(bytes(params_bytes)):
            index, theirs = self.get_input_index(name), other.get_input_index(name)
            if index < 0 or theirs < 0:
                continue
            memory = other.module.input_memory(theirs)
            if memory is None:
                raise InputError(f"parameter {name!r}: has no value in the other module; set it there first")
            self.module.bind_input(index, memory, owner=other.module)

    def benchmark(
        self,
        device: object = None,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: int | None = None,
        limit_zero_time_iterations: int = 100,
        end_to_end: bool = False,
        cooldown_interval_ms: int = 0,
        repeats_to_cooldown: int = 1,
        **kwargs: npt.ArrayLike,
    ) -> BenchmarkResult:
        """Time the network: `repeat` measurements, each the mean of `number` runs.

        `min_repeat_ms` raises `number` until a measurement takes so long. `end_to_end` times setting the inputs given
        by keyword and getting the outputs too; inputs and parameters without values are zeros. Every
        `repeats_to_cooldown` measurements the machine may rest for `cooldown_interval_ms`.
        """
        check_device(device)
        if func_name != "run":
            raise InputError(f"benchmark: function {func_name!r} cannot be timed; leave func_name out, it is run")
        self._set_known(kwargs)
        for index in range(self.get_num_inputs()):
            self.get_input(index)

        def from_end_to_end() -> None:
            self.run(**kwargs)
            for index in range(self.get_num_outputs()):
                self.get_output(index)

        return measure(
            from_end_to_end if end_to_end else self.module.run,
            repeat=repeat,
            number=number,
            min_repeat_seconds=(min_repeat_ms or 0) / 1000,
            limit_zero_time_iterations=limit_zero_time_iterations,
            cooldown_seconds=cooldown_interval_ms / 1000,
            repeats_to_cooldown=repeats_to_cooldown,
        )

    def __getitem__(self, key: str) -> Any:
        """A function of the module by name, as TVM's packed functions are found."""
        if key not in FUNCTIONS:
            raise InputError(f"function {key!r}: is none of a graph module; it has {', '.join(FUNCTIONS)}")
        return getattr(self, key)

    def _set_known(self, values: Mapping[str, npt.ArrayLike]) -> None:
        """Set the inputs that exist."""
        for name, value in values.items():
            index = self.get_input_index(name)
            if index >= 0:
                self.module.set_input(index, np.asarray(value))

    def _check_fixed(self, name: str, array: Array) -> None:
        """A params file may hold weights that are fixed in the library, with the values they have there."""
        fixed = self.module.fixed_constant(name)
        if fixed is not None and not (fixed.dtype == array.dtype and np.array_equal(fixed, array, equal_nan=True)):
            raise InputError(
                f"parameter {name!r}: is fixed in {self.module.name}; compile the new value into the library"
            )

    def _input(self, key: str | int) -> int:
        return _find(key, self.module.inputs, "input")

    def _output(self, key: str | int) -> int:
        return _find(key, self.module.outputs, "output")


def _index_of(name: str, ports: tuple[Port, ...]) -> int:
    return next((index for index, port in enumerate(ports) if port.name == name), -1)


def _find(key: str | SupportsIndex, ports: tuple[Port, ...], kind: str) -> int:
    """The number of a port given by name or number."""
    index = _index_of(key, ports) if isinstance(key, str) else key.__index__()
    if not 0 <= index < len(ports):
        names = ", ".join(port.name for port in ports if not port.is_parameter)
        raise MissingInputError(f"{kind} {key!r}: does not exist; the network has {names}")
    return index


def _info(ports: "list[Port] | tuple[Port, ...]") -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
    shapes = Map((port.name, ShapeTuple(port.shape)) for port in ports)
    return shapes, Map((port.name, String(port.dtype.name)) for port in ports)


def node_number(program: Program, key: str | int) -> int:
    """The number of a node, given by name or number."""
    names = [node.name for node in program.network.nodes]
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, int) and 0 <= key < len(names):
        return key
    raise InputError(f"node {key!r}: does not exist; the network has {len(names)} nodes: {', '.join(names)[:300]}")


def _given(value: Array, out: Array | None) -> NDArray:
    """`value`, or `out` filled with it."""
    if out is None:
        return value.view(NDArray)
    if out.shape != value.shape or out.dtype != value.dtype:
        raise InputError(f"out: {out.dtype}{out.shape} given, {value.dtype}{value.shape} wanted; use np.empty of that")
    out[...] = value
    return out.view(NDArray)
