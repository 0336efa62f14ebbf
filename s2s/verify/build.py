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
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from s2s.emit.tree import Tree
from s2s.errors import CompilerBug, InputError
from s2s.executor.declarations import executor_declarations
from s2s.executor.session import FAILED_FUNCTION, raise_failure
from s2s.interpret.host import host
from s2s.options import Io
from s2s.support.jobs import jobs
from s2s.types.dtypes import Array
from s2s.types.interface import as_declared, declared_names
from s2s.types.narrow import pack
from s2s.types.sizes import with_room
from s2s.verify.bound_run import BoundRun, Call
from s2s.verify.external import external_includes, external_libraries, external_sources
from s2s.verify.footprint import INCLUDE_FOLDERS, source_files
from s2s.verify.graph_runs import GraphRuns
from s2s.verify.guarded import Guarded
from s2s.verify.places import place_of, placed
from s2s.verify.pool import DECLARATIONS, Pool
from s2s.verify.ports import Port, copy_into, empty_tensor, input_sizes, told_by_shapes
from s2s.verify.stream import Stream
from s2s.verify.toolchain import default_compiler, run_program
from s2s.verify.tree_flags import ROOT, flags_by_folder
from s2s.verify.tree_record import build_record, tree_record

LIBRARY = "network.so"
BAD_SHAPE = -8
"""S2S_ERR_SHAPE."""
BAD_POSITION = -18
"""S2S_ERR_RANGE."""


def compile_library(
    root: Path, output: Path, *, compiler: Sequence[str] | None = None, flags: Sequence[str] | None = None
) -> None:
    """Compile the sources of the tree at `root` into the shared library `output`.

    `flags` are those of the tree's record unless given; a flag that the compiler refuses is left out.
    """
    command = tuple(compiler) if compiler is not None else default_compiler()
    with tempfile.TemporaryDirectory(prefix="s2s-objects-") as folder:
        objects = compile_objects(root, Path(folder), compiler=command, flags=flags)
        record = build_record(root)
        linked = [*objects, *external_libraries(record), "-lm"]
        run_program(
            [*command, *flags_by_folder(record, command, flags)[ROOT], "-shared", "-o", output.resolve(), *linked],
            cwd=root,
        )


def compile_objects(
    root: Path,
    folder: Path,
    *,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] | None = None,
    extra: Sequence[str] = ("-fPIC",),
) -> list[Path]:
    """Compile the sources of the tree at `root` to objects in `folder`, beside its flags with `extra`."""
    command = tuple(compiler) if compiler is not None else default_compiler()
    record = build_record(root)
    flags_of = flags_by_folder(record, command, flags)
    includes = [f"-I{folder}" for folder in (*INCLUDE_FOLDERS, *external_includes(record))]
    sources = [path.relative_to(root) for path in source_files(root)]
    external = external_sources(record)
    folders = {source: Path("src") / device for source, device in external.items()}
    sources += external
    objects = [folder / f"{number}.o" for number in range(len(sources))]

    def compile_one(source: Path, made: Path) -> None:
        own = flags_of.get(folders.get(source, source.parent), flags_of[ROOT])
        run_program([*command, *own, *extra, *includes, "-c", source, "-o", made], cwd=root)

    with ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(compile_one, sources, objects))
    return objects


def load(
    tree: Tree | str | Path,
    *,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] | None = None,
    network: str | None = None,
) -> "LoadedNetwork":
    """Build a tree, in memory or on disk, and load it; the result is a context manager that cleans up.

    Of a tree of several networks, `network` names the one to load.
    """
    folder = Path(tempfile.mkdtemp(prefix="s2s-"))
    try:
        root = Path(tree).resolve() if not isinstance(tree, Tree) else folder / "tree"
        if isinstance(tree, Tree):
            tree.write(root)
        compile_library(root, folder / LIBRARY, compiler=compiler, flags=flags)
        return LoadedNetwork(folder, tree_record(root, network))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def load_all(tree: Tree) -> "dict[str, LoadedNetwork]":
    """Build a tree of several networks once, and load each of them."""
    found: dict[str, LoadedNetwork] = {}
    with tempfile.TemporaryDirectory(prefix="s2s-") as built:
        root, library = Path(built) / "tree", Path(built) / LIBRARY
        tree.write(root)
        compile_library(root, library)
        for name, record in build_record(root)["networks"].items():
            found[name] = load_library(library, record)
    return found


def load_library(library: Path, record: Mapping[str, Any]) -> "LoadedNetwork":
    """Load a network from a copy of the shared library that was built from its tree; `record` is the tree's."""
    folder = Path(tempfile.mkdtemp(prefix="s2s-"))
    shutil.copy(library, folder / LIBRARY)
    return LoadedNetwork(folder, record)


class LoadedNetwork:
    """A network in this process. `ffi`, `lib` and `name` are what `s2s.executor` wants of a library.

    What was built is removed when the network is closed, else when it is forgotten, at the latest as Python ends.
    """

    def __init__(self, folder: Path, record: Mapping[str, Any]) -> None:
        """Load `network.so` in `folder`, which belongs to the network; `record` is its tree's."""
        from cffi import FFI

        self.path = folder / LIBRARY
        """The shared library."""
        self.name: str = record["name"]
        self.executor: str = record["executor"]
        self.inputs = tuple(map(Port.of, record["inputs"]))
        self.outputs = tuple(map(Port.of, record["outputs"]))
        empty = record.get("empty", {"inputs": [], "outputs": []})
        self._empty_inputs = tuple(map(empty_tensor, empty["inputs"]))
        self._empty_outputs = tuple(map(empty_tensor, empty["outputs"]))
        self._input_sizes = input_sizes(record)
        self.sizes = self._input_sizes.given
        """The sizes that vary from run to run, by their names in the model."""
        self._computed = [size["name"] for size in record.get("sizes", ()) if size.get("computed")]
        """Sizes that a run computes."""
        self._arena_size: int = record["arena"]["size"]
        self._arena_align: int = record["arena"]["align"]
        self._is_loaded = bool(record["arena"].get("loaded"))
        self._pools: list[int] = [pool["offset"] for pool in record["arena"].get("pools", [])] or [0]
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.ffi: Any = FFI()
        if self.executor == "graph":
            self.ffi.cdef(executor_declarations(self.name))
        else:
            pointers = ", ".join(
                ["void *"]
                * (len(self._pools) + ("threads" in record) + bool(self.sizes) + len(self.inputs) + len(self.outputs))
            )
            arenas = ", ".join(["void *"] * len(self._pools))
            first = f"int {self.name}_load({arenas}); int {self.name}_reset(void *);"
            self.ffi.cdef(f"int {self.name}_run({pointers}); {first} {DECLARATIONS}")
        functions = host()
        if record.get("packed") and functions is not None:
            functions.before_loading()
        # OpenMP's threads outlive a pool, so their code must stay loaded.
        stays = os.RTLD_NODELETE if record.get("threads", {}).get("by") == "openmp" else 0
        self.lib: Any = self.ffi.dlopen(str(self.path), os.RTLD_NOW | stays)
        self._pool = Pool(self.ffi, self.lib, record["threads"]["most"]) if "threads" in record else None
        self._graph_runs = GraphRuns(self) if self.executor == "graph" else None
        """The executors of the network's tables."""
        self._state_size: int = max((each["offset"] + each["size"] for each in record["state"]), default=0)
        self._own = self.stream() if record["state"] else None
        """The stream of `run`, if the network keeps state."""

    def stream(self) -> Stream:
        """Return a new stream, with an arena of its own; only a network that keeps state has streams."""
        if not self._state_size:
            raise InputError(
                f"{self.name}: keeps no state from run to run, so every run is a stream of its own; call run"
            )
        return Stream(self.name, self._new_arena(), self._state_size, self._run_on, self._reset_on)

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

    def _kept(self) -> Guarded:
        """Return the arena of the network's own stream; a new one if it keeps no state."""
        return self._own.arena if self._own is not None else self._new_arena()

    def _new_arena(self) -> Guarded:
        """Return an arena with the constants that are in it from start on."""
        arena = Guarded(self._arena_size, self._arena_align)
        if self._is_loaded:
            places = [self.ffi.cast("void *", arena.memory.ctypes.data + offset) for offset in self._pools]
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
        names = [port.name for port in (*self.inputs, *self._empty_inputs)]
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
        return dict(zip(self.output_names, as_declared(self.outputs, self._empty_outputs, found), strict=True))

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

    @property
    def input_names(self) -> list[str]:
        """Names of all inputs of the model, in order."""
        return declared_names(self.inputs, self._empty_inputs)

    @property
    def output_names(self) -> list[str]:
        """Names of all outputs of the model, in order."""
        return declared_names(self.outputs, self._empty_outputs)

    def _sizes(self, inputs: Mapping[str, ArrayLike]) -> dict[str, int]:
        """Return the sizes of a run, which the shapes of its inputs tell."""
        shapes = {port: np.shape(inputs[port.name]) for port in self.inputs if port.name in inputs}
        return told_by_shapes({port: shape for port, shape in shapes.items() if port.varies}, self._input_sizes)

    def _input(self, port: Port, inputs: Mapping[str, ArrayLike], sizes: Mapping[str, int]) -> Array:
        if port.name not in inputs:
            raise InputError(f"{port.name}: {self.name} needs this input, {port.model_type}; give it")
        value = np.asarray(inputs[port.name])
        if (model := port.model) is not None and value.dtype == model.dtype:
            value = pack(value) if model.has_axes or value.shape == model.shape else value
        shape = port.shape_at(self._input_sizes.every(sizes)) if port.varies and sizes else None
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
        return self._input_sizes.every(dict(zip(self.sizes, dims.tolist(), strict=True)))

    def call_on(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], int]:
        """Return a call of the run function on arrays of the caller, whose types are not checked; the call returns the
        status."""
        self._check_aot()
        return self._call(
            {name: size.most for name, size in self.sizes.items()}, self._kept().memory, *inputs, *outputs
        )

    def _call(self, sizes: Mapping[str, int], *memory: Array) -> Call:
        """Return a call of the run function with `sizes` on the arena, inputs and outputs."""
        if self.sizes:
            arena, *ports = memory
            memory = (arena, np.array([sizes[name] for name in self.sizes], np.int32), *ports)
        arena, *others = memory
        places = [arena.ctypes.data + offset for offset in self._pools]
        pointers = [self.ffi.cast("void *", place) for place in (*places, *(each.ctypes.data for each in others))]
        if self._pool is not None:
            pointers.insert(len(places), self._pool.pointer)
        run = partial(getattr(self.lib, f"{self.name}_run"), *pointers)
        return Call(self.check_open, memory, run, self._sizes_of if self.sizes else None)

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
        if status == BAD_SHAPE and self._computed:
            bounds = " ".join(f"--dim {name}={self.sizes[name]}" for name in self._computed)
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
