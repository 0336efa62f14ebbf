"""Build an emitted tree into a shared library in a temporary directory, load it into this process, and run it.

    with load(tree) as network:
        outputs = network.run({"image": pixels})

The caller's side of the contract is kept here as a firmware would keep it: the arena is ours, aligned as the header
asks. Behind it and behind every output lies a guard, so that a kernel that writes too far is caught.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from s2s.c_syntax.interface import HasInterface, Interface, Port
from s2s.emit.files import Tree
from s2s.emit.read_tree import interface_of, read_tree
from s2s.errors import CompilerBug, InputError
from s2s.executor.declarations import executor_declarations
from s2s.executor.session import FAILED_FUNCTION, raise_failure
from s2s.interpret.host import host
from s2s.options import Io
from s2s.types.dtypes import Array
from s2s.types.interface import as_declared
from s2s.types.narrow import pack
from s2s.types.sizes import SizeRange, with_room
from s2s.verify.bound_run import BoundRun, Call
from s2s.verify.graph_runs import GraphRuns
from s2s.verify.guarded import Guarded
from s2s.verify.objects import compile_library
from s2s.verify.places import place_of, placed
from s2s.verify.pool import DECLARATIONS, Pool
from s2s.verify.ports import check_array, copy_into, told_by_shapes
from s2s.verify.stream import Stream

LIBRARY = "network.so"
PACK_ALIGN = 64
"""The greatest alignment that a pack of weights asks for."""
BAD_SHAPE = -8
"""S2S_ERR_SHAPE."""
BAD_POSITION = -18
"""S2S_ERR_RANGE."""


def load(
    tree: Tree | str | Path,
    *,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] | None = None,
    network: str | None = None,
    as_unit: bool = False,
) -> "LoadedNetwork":
    """Build a tree, in memory or on disk, and load it; the result is a context manager that cleans up.

    Of a tree of several networks, `network` names the one to load. `as_unit` builds it as one translation unit.
    """
    folder = Path(tempfile.mkdtemp(prefix="s2s-"))
    try:
        placed = tree.write(folder / "tree") if isinstance(tree, Tree) else read_tree(Path(tree).resolve())
        interface = placed.network(network)
        compile_library(placed, folder / LIBRARY, compiler=compiler, flags=flags, as_unit=as_unit)
        loaded = LoadedNetwork(folder, interface, calls_packed=_calls_packed(placed.record_of(interface)))
        if interface.pack:
            loaded.bind_weights((placed.folder / f"{interface.name}.weights").read_bytes())
        return loaded
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def load_all(
    tree: Tree, *, compiler: Sequence[str] | None = None, flags: Sequence[str] | None = None
) -> "dict[str, LoadedNetwork]":
    """Build a tree of several networks once, and load each of them."""
    with tempfile.TemporaryDirectory(prefix="s2s-") as built:
        library, placed = Path(built) / LIBRARY, tree.write(Path(built) / "tree")
        compile_library(placed, library, compiler=compiler, flags=flags)
        return {
            name: _load_copy(library, interface, tree.record_of(interface))
            for name, interface in tree.interfaces.items()
        }


def load_library(library: Path, record: Mapping[str, Any]) -> "LoadedNetwork":
    """Load a network from a copy of the shared library that was built from its tree, in whatever process; `record` is
    the tree's."""
    return _load_copy(library, interface_of(record), record)


def _load_copy(library: Path, interface: Interface, record: Mapping[str, Any]) -> "LoadedNetwork":
    folder = Path(tempfile.mkdtemp(prefix="s2s-"))
    shutil.copy(library, folder / LIBRARY)
    return LoadedNetwork(folder, interface, calls_packed=_calls_packed(record))


def _calls_packed(record: Mapping[str, Any]) -> bool:
    """Whether kernels call packed functions."""
    return bool(record.get("packed"))


class LoadedNetwork(HasInterface):
    """A network in this process. `ffi`, `lib` and `name` are what `s2s.executor` wants of a library.

    What was built is removed when the network is closed, else when it is forgotten, at the latest as Python ends.
    """

    def __init__(self, folder: Path, interface: Interface, *, calls_packed: bool) -> None:
        """Load `network.so` in `folder`, which belongs to the network; it may call packed functions."""
        from cffi import FFI

        self.path = folder / LIBRARY
        """The shared library."""
        self.interface = interface
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.ffi: Any = FFI()
        if interface.executor == "graph":
            self.ffi.cdef(executor_declarations(self.name))
        else:
            of_rows = "" if interface.states else f"int {self.name}_reset(void *);"  # networks that are pushed rows
            self.ffi.cdef(f"{interface.prototypes()} {of_rows} {DECLARATIONS}")
        functions, threads = host(), interface.threads
        if calls_packed and functions is not None:
            functions.before_loading()
        # OpenMP's threads outlive a pool, so their code must stay loaded.
        stays = os.RTLD_NODELETE if threads is not None and threads.by == "openmp" else 0
        self.lib: Any = self.ffi.dlopen(str(self.path), os.RTLD_NOW | stays)
        self._pool = Pool(self.ffi, self.lib, threads.most) if threads is not None else None
        self._weights = self.ffi.new("uint64_t[8]") if interface.pack else None
        """The structure that a pack of weights is bound to, and the pack."""
        self._pack: Array | None = None
        self._graph_runs = GraphRuns(self) if interface.executor == "graph" else None
        """The executors of the network's tables."""
        self._own = self.stream() if interface.states else None
        """The stream of `run`, if the network keeps state."""

    def bind_weights(self, pack: bytes) -> None:
        """Bind a pack of weights. Raises `InputError` if the network refuses it."""
        self._pack = np.zeros(len(pack) + PACK_ALIGN, np.uint8)
        start = -self._pack.ctypes.data % PACK_ALIGN
        self._pack[start : start + len(pack)] = np.frombuffer(pack, np.uint8)
        address = self._pointer(self._pack.ctypes.data + start)
        status = getattr(self.lib, f"{self.name}_bind_weights")(self._weights, address, len(pack))
        if status != 0:
            raise InputError(f"{self.name}: refuses the pack of weights with status {status}; s2s.h says why")

    @property
    def sizes(self) -> Mapping[str, SizeRange]:
        """The sizes that vary from run to run, by their names in the model."""
        return self.interface.sizes

    def stream(self) -> Stream:
        """Return a new stream, with an arena of its own; only a network that keeps state has streams."""
        if not self.interface.states:
            raise InputError(
                f"{self.name}: keeps no state from run to run, so every run is a stream of its own; call run"
            )
        return Stream(self.name, self._new_arena(), self.interface.state_size, self._run_on, self._reset_on)

    def reset(self) -> None:
        """Reset the state, if the network has any, to its initial values."""
        self.check_open()
        if self._own is not None:
            self._own.reset()

    def _reset_on(self, arena: Guarded) -> None:
        self.check_open()
        if self._graph_runs is not None:
            self._graph_runs.reset(arena)
            return
        status = getattr(self.lib, f"{self.name}_reset")(self.ffi.cast("void *", arena.memory.ctypes.data))
        if status != 0:
            raise CompilerBug(f"{self.name}_reset: status {status}")

    def _parts(self, arena: Array) -> list[int]:
        """The addresses of an arena, or of its parts in memory pools."""
        return [arena.ctypes.data + pool.offset for pool in self.interface.pools] or [arena.ctypes.data]

    def _pointer(self, address: int) -> Any:
        return self.ffi.cast("void *", address)

    def _kept(self) -> Guarded:
        """Return the arena of the network's own stream; a new one if it keeps no state."""
        return self._own.arena if self._own is not None else self._new_arena()

    def _new_arena(self) -> Guarded:
        """Return an arena with the constants that are in it from start on."""
        arena = Guarded(self.interface.arena_size, self.interface.arena_align)
        if self.interface.loaded:
            places = map(self._pointer, self._parts(arena.memory))
            status = getattr(self.lib, f"{self.name}_load")(*places)
            if status != 0:
                raise CompilerBug(f"{self.name}_load: status {status}")
        return arena

    def run(self, inputs: Mapping[str, ArrayLike], *, io: Io = "arena") -> dict[str, Array]:
        """The outputs by name for inputs by name; shapes and element types are the network's.

        With `io` `arena`, what has a place in the arena lies there during the run; with `caller` nothing does.
        """
        return self._run_on(self._kept(), inputs, io)

    def _run_on(self, arena: Guarded, inputs: Mapping[str, ArrayLike], io: Io) -> dict[str, Array]:
        """Run the network on an arena, as `run` does."""
        self.check_open()
        names = [port.name for port in (*self.inputs, *self.interface.empty_inputs)]
        if not isinstance(inputs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            kind, known = type(inputs).__name__, ", ".join(names)
            raise InputError(f"{self.name}: {kind} given for its inputs; give a mapping from their names: {known}")
        unknown = [name for name in inputs if name not in names]
        if unknown:
            known = ", ".join(names)
            raise InputError(f"{unknown[0]}: {self.name} has no such input; its inputs are {known}")
        sizes = self._sizes(inputs)
        arrays = [self._input(port, inputs, sizes) for port in self.inputs]
        if self._graph_runs is not None:
            found = self._graph_runs.run(arena, arrays, sizes)
        else:
            found = self._run_aot(arena, arrays, io, sizes)
        return dict(zip(self.output_names, as_declared(self.outputs, self.interface.empty_outputs, found), strict=True))

    def run_into(self, *arrays: Any) -> None:
        """Run the network on arrays: inputs, and then outputs, which are written."""
        names, results = self.input_names, self.output_names
        if len(arrays) != len(names) + len(results):
            raise InputError(
                f"{self.name}: {len(arrays)} arrays given; give {', '.join(names)} and then {', '.join(results)}"
            )
        found = self.run(dict(zip(names, arrays, strict=False)))
        for name, out in zip(results, arrays[len(names) :], strict=True):
            copy_into(name, found[name], out)

    def _sizes(self, inputs: Mapping[str, ArrayLike]) -> dict[str, int]:
        """Return the sizes of a run, which the shapes of its inputs tell."""
        shapes = {port: np.shape(inputs[port.name]) for port in self.inputs if port.name in inputs}
        varying = {port: shape for port, shape in shapes.items() if port.varies}
        return told_by_shapes(varying, self.interface.input_sizes)

    def _input(self, port: Port, inputs: Mapping[str, ArrayLike], sizes: Mapping[str, int]) -> Array:
        if port.name not in inputs:
            raise InputError(f"{port.name}: {self.name} needs this input, {port.model_type}; give it")
        value = np.asarray(inputs[port.name])
        if (model := port.model) is not None and value.dtype == model.dtype:
            value = pack(value) if model.has_axes or value.shape == model.shape else value
        shape = port.shape_at(self.interface.input_sizes.every(sizes)) if port.varies and sizes else None
        if shape is not None and value.dtype == port.dtype and value.shape == shape:
            return with_room(value, port.shape)
        if value.dtype != port.dtype or value.shape != port.shape:
            given = f"{value.dtype}{list(value.shape)}"
            raise InputError(f"{port.name}: {given} given, {port.model_type} wanted; convert it")
        return np.asarray(value, order="C")

    def bind(self, inputs: Mapping[str, ArrayLike]) -> BoundRun:
        """Return a call of the run function on memory that is allocated once, outside of the arena; `aot` only."""
        sizes = self._sizes(inputs)
        return self._bind(self._kept(), [self._input(port, inputs, sizes) for port in self.inputs], "caller", sizes)

    def _sizes_of(self, dims: Array) -> dict[str, int]:
        """Return the sizes that the structure `dims` of a run holds, with the sizes that follow from them."""
        return self.interface.input_sizes.every(dict(zip(self.sizes, dims.tolist(), strict=True)))

    def call_on(
        self, inputs: Sequence[Array], outputs: Sequence[Array], sizes: Mapping[str, int] | None = None
    ) -> Callable[[], int]:
        """Return a call of the run function on arrays of the caller, whose types are not checked; the call returns the
        status. Sizes that vary are the greatest ones unless `sizes` gives them."""
        self._check_aot()
        greatest = {name: size.most for name, size in self.sizes.items()}
        return self._call(greatest | dict(sizes or {}), self._kept().memory, *inputs, *outputs)

    def run_on(self, *arrays: Array) -> None:
        """Run the network on arrays of the caller, inputs and then outputs, which tell its sizes: these vary along
        first axes only, so that elements lie without gaps."""
        ports = dict(zip((*self.inputs, *self.outputs), arrays, strict=True))
        sizes = told_by_shapes(
            {port: array.shape for port, array in ports.items() if port.varies}, self.interface.input_sizes
        )
        every = self.interface.input_sizes.every(sizes)
        for port, array in ports.items():
            check_array(port, array, port.shape_at(every), is_written=port in self.outputs)
        count = len(self.inputs)
        status = self.call_on(arrays[:count], arrays[count:], sizes)()
        if status != 0:
            self._raise(status)

    def _call(self, sizes: Mapping[str, int], *memory: Array) -> Call:
        """Return a call of the run function with `sizes` on the arena, inputs and outputs."""
        arena, *ports = memory
        dims = np.array([sizes[name] for name in self.sizes], np.int32)
        pointers: list[Any] = self.interface.arguments(
            map(self._pointer, self._parts(arena)),
            [self._pointer(each.ctypes.data) for each in ports],
            weights=self._weights,
            pool=None if self._pool is None else self._pool.pointer,
            sizes=self._pointer(dims.ctypes.data),
        )
        run = partial(getattr(self.lib, f"{self.name}_run"), *pointers)
        return Call(self.check_open, (arena, dims, *ports), run, self._sizes_of if self.sizes else None)

    def _bind(self, arena: Guarded, inputs: Sequence[Array], io: Io, sizes: Mapping[str, int]) -> BoundRun:
        self._check_aot()
        given = [placed(port, arena, value, io) for port, value in zip(self.inputs, inputs, strict=True)]
        outputs = [place_of(port, arena, io) for port in self.outputs]
        return BoundRun(
            call=self._call(sizes, arena.memory, *given, *(output.memory for output in outputs)),
            ports=self.outputs,
            places=tuple(outputs),
            arena=arena,
        )

    def _run_aot(self, arena: Guarded, inputs: Sequence[Array], io: Io, sizes: Mapping[str, int]) -> list[Array]:
        bound = self._bind(arena, inputs, io, sizes)
        status = bound.call()
        if status != 0:
            self._raise(status)
        for what, each in bound.guarded.items():
            if not each.is_intact():
                raise CompilerBug(f"{self.name}: a kernel wrote behind the end of {what}")
        return [value.copy() for value in bound.outputs]  # the next run of a stateful network reuses this arena

    def _raise(self, status: int) -> NoReturn:
        """Raise what a status of the run function means."""
        if status == FAILED_FUNCTION:
            raise_failure(self.name)
        if status == BAD_SHAPE and (computed := self.interface.computed_sizes):
            given = self.interface.input_sizes.given
            bounds = " ".join(f"--dim {name}={given[name]}" for name in computed)
            raise InputError(
                f"{self.name}: a size that it computes from these inputs is not in its bounds, {bounds}; give other "
                "inputs, or compile it with wider bounds"
            )
        if status == BAD_POSITION:
            fact = "an index, such as a position in a cache, is out of range"
            raise InputError(f"{self.name}: {fact}; the header states the bounds of inputs and states")
        raise CompilerBug(f"{self.name}_run: status {status}")

    def _check_aot(self) -> None:
        self.check_open()
        if self.executor != "aot":
            raise InputError(f"{self.name}: is no function to call but tables; use s2s.tvm.contrib.graph_executor")

    def check_open(self) -> None:
        """Raise an error if the network is closed."""
        if not self._remove.alive:
            raise InputError(f"{self.name}: the library is closed; load the tree again")

    def close(self) -> None:
        """Unload the library and remove what was built."""
        if not self._remove.alive:
            return
        if self._pool is not None:
            self._pool.stop()
        self.ffi.dlclose(self.lib)
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
