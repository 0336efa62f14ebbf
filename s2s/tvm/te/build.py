"""`te.lower` and `te.build`: a scheduled function as loops to look at, and as a function to call."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact
from s2s.compilation import Compilation
from s2s.dialects import tensor
from s2s.emit.stream import pieces
from s2s.errors import CompilerBug, InputError
from s2s.executor.session import FAILED_FUNCTION, raise_failure
from s2s.frontends.model import GraphModel
from s2s.options import MAX_THREADS, CompileOptions
from s2s.schedules.directives import Parallel
from s2s.support.files import write_file
from s2s.targets import Target
from s2s.tvm.contrib.export import Toolchain, write_library
from s2s.tvm.names import distinct
from s2s.tvm.runtime.blob import save_blob
from s2s.tvm.runtime.library import MetadataModule, StaticLibrary
from s2s.tvm.runtime.module import Module
from s2s.tvm.target import Target as NamedTarget
from s2s.tvm.target import resolve, target_of
from s2s.tvm.te.expressions import Expr, PlaceholderOp, Tensor
from s2s.tvm.te.library import FunctionLibrary, as_array
from s2s.tvm.te.lowering import lower_to_tensor
from s2s.tvm.te.nests import check_imports
from s2s.tvm.te.operations import outputs_of
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.te.shown_loops import shown
from s2s.tvm.te.sizes import Bind
from s2s.tvm.te.tensors import argument_of
from s2s.types.dtypes import Array, to_numpy
from s2s.verify.build import LoadedNetwork

DEFAULT_NAME = "default_function"
Argument = Tensor | Expr
"""An argument of a function: a tensor, or a variable."""
TargetLike = str | Target | NamedTarget | None


def lower(
    sch: Schedule,
    args: Sequence[Argument],
    name: str = "main",
    *,
    simple_mode: bool = False,
    target: TargetLike = None,
    bind: Mapping[str, int] | None = None,
) -> str:
    """The loops of the function as text: the level `loop`, or with `simple_mode` in the form in which TVM prints them.

    They are the loops that the C has, so vectors and register tiles are those of `target`. Where no argument is
    computed, the results of the schedule are added to them.
    """
    tensors = [argument_of(arg) for arg in args]
    if all(isinstance(argument.op, PlaceholderOp) for argument in tensors):
        tensors += [output for op in sch.outputs for output in outputs_of(op)]
    compilation = compilation_of(sch, tensors, DEFAULT_NAME if name == "main" else name, target, bind)
    module = compilation.at("loop").module
    if not simple_mode:
        return str(module)
    return shown(module, name, distinct([tensor.name for tensor in tensors]))


def build(
    sch: Schedule,
    args: Sequence[Argument],
    target: TargetLike = None,
    name: str = DEFAULT_NAME,
    *,
    bind: Bind | None = None,
) -> "Function":
    """Compile the function; `bind` gives sizes that `te.var` left open.

    Its arguments are arrays of numpy (or what numpy reads by DLPack), in the order of `args`; those that are computed
    are written in place.
    """
    tensors = [argument_of(arg) for arg in args]
    for stage in sch.stages:
        check_imports(stage)
    compilation = compilation_of(sch, tensors, name, target, bind)
    compilation.at("loop")  # what only the lowering refuses is refused here
    return Function(Artifact(compilation), tensors, target_of(target))


def compilation_of(
    sch: Schedule, args: Sequence[Tensor], name: str, target: TargetLike = None, bind: Bind | None = None
) -> Compilation:
    """The compilation of the function; the target is the one of the `with Target(…)` around unless one is given."""
    data, bind = resolve(target), bind or {}
    module = lower_to_tensor(sch, args, name, data, bind)
    threads = min(os.cpu_count() or 1, MAX_THREADS) if _is_parallel(module) and data.fork_join else 1
    options = CompileOptions(target=data, name=name, schedule="reference", threads=threads)
    return Compilation(GraphModel(module, {}, name), options)


def _is_parallel(module: ModuleOp) -> bool:
    """Whether a schedule divides loops among threads."""
    schedules = [op.schedule for op in module.walk() if isinstance(op, tensor.Computation)]
    return any(schedule is not None and schedule.find(Parallel) is not None for schedule in schedules)


class Function(Module):
    """A module with one compiled function of arrays, which is built when it is first called."""

    type_key = "c"

    def __init__(self, artifact: Artifact, args: Sequence[Tensor], target: NamedTarget) -> None:
        super().__init__({artifact.name: self._run}, entry=artifact.name)
        self.artifact, self.target = artifact, target
        self._args = list(zip(distinct([tensor.name for tensor in args]), args, strict=True))

    def __repr__(self) -> str:
        return f"Function({self.entry_name}, arguments {', '.join(name for name, _ in self._args)})"

    @property
    def entry_name(self) -> str:
        """The name of the function."""
        return self.artifact.name

    @property
    def arguments(self) -> list[tuple[str, tuple[int, ...], str, int]]:
        """The arguments in their order, each with its name, shape, element type and bytes."""
        info = self.artifact.info
        ports = {port.name: port for port in (*info.inputs, *info.outputs)}
        ordered = [ports[name] for name, _ in self._args]
        return [(port.name, port.shape, str(to_numpy(port.element)), port.size) for port in ordered]

    @property
    def ir_module_by_target(self) -> dict[NamedTarget, str]:
        """The loops as text, by the target that they are for."""
        module = self.artifact.compilation.at("loop").module
        return {self.target: shown(module, self.entry_name, [name for name, _ in self._args])}

    def get_source(self, fmt: str = "") -> str:
        """The C of its kernels."""
        return b"".join(pieces(self.artifact.tree().files[f"src/{self.entry_name}_kernels.c"])).decode()

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write its code: an object (`.o`), which `cc.create_shared` links, or C (`.c`)."""
        path = Path(file_name)
        if path.suffix == ".c" or fmt == "c":
            write_file(path, self.get_source())
            return
        self.export_library(path)

    def export_library(
        self,
        file_name: str | Path,
        fcompile: Callable[..., object] | None = None,
        addons: Sequence[str | Path] | None = None,
        workspace_dir: str | Path | None = None,
        **keywords: Any,
    ) -> None:
        """Write a shared library (`.so`), its objects (`.tar`), or one object (`.o`), compiled for the target.

        `runtime.load_module` takes the first two. `fcompile`, `addons`, `cc` and `options` are as for networks.
        Functions and static libraries that it imports are linked as well.
        """
        names = [name for name, _ in self._args]
        function = FunctionLibrary(self.entry_name, names, is_system=self.is_system)
        library = Module()
        metadata = MetadataModule.of(self.artifact.tree().record)
        linked = [imported for imported in self.imported_modules if isinstance(imported, Function | StaticLibrary)]
        for module in (library, metadata, *(imported for imported in self.imported_modules if imported not in linked)):
            function.import_module(module)
        cc, options = keywords.pop("cc", None), tuple(keywords.pop("options", ()))
        with tempfile.TemporaryDirectory(prefix="s2s-imports-") as folder:
            objects = [Path(folder) / f"{number}.o" for number in range(len(linked))]
            for path, module in zip(objects, linked, strict=True):
                module.save(str(path))
            toolchain = Toolchain(fcompile, (*objects, *(addons or ())), cc, options, keywords)
            write_library(self.artifact, save_blob(function, library), Path(file_name), toolchain)

    def _run(self, *arrays: Any) -> None:
        """Run the function; arguments that it computes are overwritten."""
        status = self.bound(*arrays)()
        if status == FAILED_FUNCTION:
            raise_failure(self.entry_name)
        if status != 0:
            raise CompilerBug(f"{self.entry_name}: status {status}")

    def bound(self, *arrays: Any) -> Callable[[], int]:
        """A call on these arrays, which are checked now and no more; it returns the status of the C function."""
        return self._library.call_on(*self._split(arrays))

    @cached_property
    def _library(self) -> LoadedNetwork:
        return self.artifact.loaded()

    def _split(self, arrays: Sequence[Any]) -> tuple[list[Array], list[Array]]:
        """The arrays that are read and the arrays that are written, each of the type that its argument has."""
        if len(arrays) != len(self._args):
            raise InputError(f"{self.entry_name}: {len(arrays)} arrays given, {len(self._args)} wanted; give one each")
        ports = {port.name: port for port in (*self._library.inputs, *self._library.outputs)}
        read: list[Array] = []
        written: list[Array] = []
        for (name, argument), value in zip(self._args, arrays, strict=True):
            port = ports[name]
            array = np.asarray(value, port.dtype) if isinstance(value, int | float) else as_array(value)
            if array.dtype != port.dtype or array.shape != port.shape:
                fact = f"{array.dtype}{list(array.shape)} given, {port.model_type} wanted"
                raise InputError(f"{self.entry_name}: {name}: {fact}; convert it")
            is_input = isinstance(argument.op, PlaceholderOp)
            if not array.flags.c_contiguous or not (is_input or array.flags.writeable):
                fact = "is not contiguous, or may not be written"
                raise InputError(f"{self.entry_name}: {name}: {fact}; give a contiguous array")
            (read if is_input else written).append(array)
        return read, written
