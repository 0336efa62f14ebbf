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
    tree: Tree,
    output: Path,
    *,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] | None = None,
    as_unit: bool = False,
) -> None:
    """Compile the sources of a tree that lies in a folder into the shared library `output`.

    `flags` are those of the tree's record unless given; a flag that the compiler refuses is left out. With `as_unit`
    sources with the same flags are one translation unit, which reads each header once; functions that are not static
    stay apart in a shared library, so that the numbers are the same.
    """
    command = tuple(compiler) if compiler is not None else default_compiler()
    with tempfile.TemporaryDirectory(prefix="s2s-objects-") as folder:
        compile_sources = _compile_unit if as_unit and _has_one_kind(tree, command, flags) else compile_objects
        objects = compile_sources(tree, Path(folder), compiler=command, flags=flags)
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


def _has_one_kind(tree: Tree, command: tuple[str, ...], flags: Sequence[str] | None) -> bool:
    """Whether all sources belong to the tree and take the same flags."""
    return len({*flags_by_folder(tree.record, command, flags).values()}) == 1 and not external_sources(tree.record)


def _compile_unit(tree: Tree, folder: Path, *, compiler: tuple[str, ...], flags: Sequence[str] | None) -> list[Path]:
    """Compile the sources as one translation unit; kernels come first, so that they find only what they include."""
    unit, made = folder / "unit.c", folder / "unit.o"
    sources = sorted(source_files(tree.folder), key=lambda path: "_kernels" not in path.name)
    unit.write_text("".join(f'#include "{path.relative_to(tree.folder).as_posix()}"\n' for path in sources))
    includes = [f"-I{place}" for place in (ROOT, *INCLUDE_FOLDERS, *external_includes(tree.record))]
    own = flags_by_folder(tree.record, compiler, flags)[ROOT]
    run_program([*compiler, *own, "-fPIC", *includes, "-c", unit, "-o", made], cwd=tree.folder)
    return [made]
