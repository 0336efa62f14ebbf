"""Write a compiled network as a shared library or objects, which `tvm.runtime.load_module` gives back as a module."""

import shlex
import shutil
import tarfile
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.emit.kernel_table import with_library
from s2s.errors import InputError, UnsupportedError
from s2s.executor.graph_json import dump
from s2s.support.files import write_file
from s2s.support.frozen import frozen
from s2s.tvm.contrib.aot_executor_factory import AotExecutorFactory
from s2s.tvm.contrib.graph_executor_factory import GraphExecutorFactory
from s2s.tvm.runtime.blob import save_blob
from s2s.tvm.runtime.library import MetadataModule, load_module
from s2s.tvm.runtime.module import Module
from s2s.verify.external import external_libraries
from s2s.verify.objects import compile_objects
from s2s.verify.toolchain import default_compiler, run_program
from s2s.verify.tree_flags import ROOT, flags_by_folder

if TYPE_CHECKING:
    from s2s.artifact import Artifact


def packed_module(artifact: "Artifact", mod_name: str) -> Module:
    """A network as `load_module` gives it back, without a file: compiled for this machine, whatever its target is."""
    folder = tempfile.TemporaryDirectory(prefix="s2s-module-")
    here = Toolchain(cc=shlex.join(default_compiler()))
    export_library(artifact, mod_name, Path(folder.name) / "module.so", here)
    module = load_module(Path(folder.name) / "module.so")
    weakref.finalize(module, folder.cleanup)
    return module


FCompile = Callable[..., object]
"""A function of a file name, the files to link, and keywords that the caller of `export_library` gave."""


@frozen
class Toolchain:
    """How a library is compiled and linked; each field stands for an argument of `export_library`."""

    fcompile: FCompile | None = None
    addons: Sequence[str | Path] = ()
    """Objects, archives or C files that are linked as well."""
    cc: str | None = None
    """The compiler; by default the target's."""
    options: Sequence[str] = ()
    """Flags for the compiler and the linker."""
    keywords: Mapping[str, object] = field(default_factory=dict[str, object])
    """Further keywords, which `fcompile` gets."""

    def compiler(self, artifact: "Artifact") -> tuple[str, ...]:
        """Return the command that compiles for the target of `artifact`; refused where it is not installed."""
        if self.cc is not None:
            return tuple(shlex.split(self.cc))
        cross = artifact.info.target.cc
        if not cross:
            return default_compiler()
        if shutil.which(cross) is None:
            packages = " ".join(artifact.info.target.packages)
            raise InputError(
                f"export_library: {artifact.info.target.name} wants {cross}, which is not installed; install "
                f"{packages or 'it'}, or give cc="
            )
        return (cross,)


def export_library(
    artifact: "Artifact",
    mod_name: str,
    file_name: str | Path,
    toolchain: Toolchain | None = None,
    imports: Sequence[Module] = (),
) -> None:
    """Write a network as a shared library (`.so`) or its objects (`.tar`), compiled for its target, and the modules
    that a program lets it import."""
    factory, library = _factory(artifact, mod_name), Module()
    metadata = [] if artifact.info.graph else [MetadataModule.of(artifact.tree().record)]
    for module in (library, *metadata, *imports):
        factory.import_module(module)
    write_library(artifact, save_blob(factory, library), Path(file_name), toolchain or Toolchain())


def write_library(artifact: "Artifact", blob: bytes, path: Path, toolchain: Toolchain) -> None:
    """Compile the tree of an artifact with its table of kernels and `blob`, and write a library, or its objects."""
    if path.suffix not in (".so", ".tar", ".o") and toolchain.fcompile is None:
        raise InputError(f"{path}: networks are exported as .so or .tar; name the file so")
    target, compiler = artifact.info.target, toolchain.compiler(artifact)
    is_bare = "none" in compiler[0].split("-") or "elf" in compiler[0].split("-")
    if is_bare and path.suffix == ".so":
        raise UnsupportedError(
            f"export_library {path}: {target.name} has no shared libraries; export objects (.tar) or "
            "export_model_library_format"
        )
    tree = with_library(artifact.tree(), artifact.info.graph, artifact.name, blob)
    with tempfile.TemporaryDirectory(prefix="s2s-export-") as folder:
        tree = tree.write(Path(folder) / "tree")
        extra = (*([] if is_bare else ["-fPIC"]), *toolchain.options)
        objects = compile_objects(tree, Path(folder), compiler=compiler, extra=extra)
        files = [*objects, *map(Path, toolchain.addons)]
        if toolchain.fcompile is not None:
            given = {**toolchain.keywords, **({"options": list(toolchain.options)} if toolchain.options else {})}
            toolchain.fcompile(str(path), [str(each) for each in files], **given)
        elif path.suffix == ".so":
            flags = flags_by_folder(tree.record, compiler, None)[ROOT]
            external = external_libraries(tree.record)
            linked = [each.resolve() for each in files]
            run_program(
                [*compiler, *flags, *toolchain.options, "-shared", "-o", path.resolve(), *linked, *external, "-lm"]
            )
        elif path.suffix == ".o":
            run_program([*compiler, "-r", "-nostdlib", "-o", path.resolve(), *[each.resolve() for each in files]])
        else:
            write_file(path, _archive(artifact.name, files))


def _archive(name: str, files: Sequence[Path]) -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for each in files:
            archive.add(each, f"{name}_{each.name}")
    return packed.getvalue()


def _factory(artifact: "Artifact", mod_name: str) -> Module:
    """Return the module that makes executors of the network."""
    network = artifact.info.graph
    if network is not None:
        return GraphExecutorFactory(dump(network), artifact.name, mod_name)
    if artifact.info.executor == "graph":
        raise InputError(
            f"{artifact.name}: TVM's graph JSON has no sizes that vary and no state; give every dimension a constant "
            "size, without state, or use executor aot"
        )
    return AotExecutorFactory(mod_name)
