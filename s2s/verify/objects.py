"""Compile the sources of an emitted tree by a C compiler of this machine: to objects, or to a shared library."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from s2s.emit.files import Tree
from s2s.support.jobs import jobs
from s2s.verify.external import external_includes, external_libraries, external_sources
from s2s.verify.footprint import INCLUDE_FOLDERS, source_files
from s2s.verify.toolchain import default_compiler, run_program
from s2s.verify.tree_flags import ROOT, flags_by_folder


def compile_library(
    tree: Tree, output: Path, *, compiler: Sequence[str] | None = None, flags: Sequence[str] | None = None
) -> None:
    """Compile the sources of a tree that lies in a folder into the shared library `output`.

    `flags` are those of the tree's record unless given; a flag that the compiler refuses is left out.
    """
    command = tuple(compiler) if compiler is not None else default_compiler()
    with tempfile.TemporaryDirectory(prefix="s2s-objects-") as folder:
        objects = compile_objects(tree, Path(folder), compiler=command, flags=flags)
        linked = [*objects, *external_libraries(tree.record), "-lm"]
        run_program(
            [*command, *flags_by_folder(tree.record, command, flags)[ROOT], "-shared", "-o", output.resolve(), *linked],
            cwd=tree.folder,
        )


def compile_objects(
    tree: Tree,
    folder: Path,
    *,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] | None = None,
    extra: Sequence[str] = ("-fPIC",),
) -> list[Path]:
    """Compile the sources of a tree that lies in a folder to objects in `folder`, beside its flags with `extra`."""
    command = tuple(compiler) if compiler is not None else default_compiler()
    root, record = tree.folder, tree.record
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
