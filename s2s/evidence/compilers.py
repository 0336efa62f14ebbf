"""Build a tree with several compilers, levels of optimisation and sanitizers, and compare the numbers."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from s2s.evidence.document import Document, Table, not_measured
from s2s.evidence.trial import Trial, attempt
from s2s.verify.toolchain import compiler_version

COMPILERS = ("gcc", "clang", "tcc")
LEVELS = ("-O0", "-O2", "-O3", "-Os")
SANITIZERS = ("-O1", "-g", "-fno-sanitize-recover=all")
CHECKS = {
    "address": "accesses outside of objects, and after their lifetime",
    "undefined": "overflow, shifts, alignment, null pointers, and other operations that C99 leaves undefined",
}
NO_RUNTIME = ("cannot find", "unable to find library", "No such file or directory")
"""What a linker says where the library of a sanitizer is not installed."""


def compilers_document(trial: Trial, folder: Path, vectors: int, levels: Sequence[str], *, exact: bool) -> Document:
    """Run the test programs as built by each compiler that is installed, at each level."""
    name, title = "compilers", "Compilers and flags"
    installed = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    if not installed:
        return not_measured(name, title, f"none of {', '.join(COMPILERS)} is installed; install gcc")
    rows: list[tuple[str, str, str]] = []
    for compiler in installed:
        for level in levels if compiler != "tcc" else ("",):
            wrong = attempt(trial, compiler, folder / "built", [level] if level else [])
            flags = " ".join(flag for flag in trial.flags(compiler, level) if flag and not flag.startswith("-I"))
            rows.append((compiler_version((compiler,)), flags, f"FAILED: {wrong}" if wrong else _agreed(exact=exact)))
    good = sum(not row[2].startswith("FAILED") for row in rows)
    return Document(
        name,
        title,
        f"{good} of {len(rows)} builds give the expected outputs on {vectors} vectors, {_agreed(exact=exact)}",
        (
            "Each row is a build of its own, which ran on this machine. The expected outputs are those of the "
            "interpreter of the compiler's first level, which knows nothing of loops, memory or C.",
            *_absent(COMPILERS, installed),
        ),
        (Table("Builds", ("compiler", "flags", "result"), tuple(rows)),),
        holds=good == len(rows),
    )


def sanitizers_document(trial: Trial, folder: Path, vectors: int) -> Document:
    """Run the test programs under the address and undefined-behaviour sanitizers of gcc and clang."""
    name, title = "sanitizers", "Sanitizers"
    rows: list[tuple[str, str, str, str]] = []
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        for check, about in CHECKS.items():
            wrong = attempt(trial, compiler, folder / "built", [*SANITIZERS, f"-fsanitize={check}"])
            absent = any(text in wrong for text in NO_RUNTIME) and "link" in wrong + " ld "
            result = "nothing found" if not wrong else "not measured: its library is not installed" if absent else wrong
            rows.append((compiler_version((compiler,)), f"-fsanitize={check}", about, result))
    ran = [row for row in rows if not row[3].startswith("not measured")]
    if not ran:
        return not_measured(name, title, "neither gcc nor clang can link its sanitizers; install gcc and libasan")
    clean = sum(row[3] == "nothing found" for row in ran)
    return Document(
        name,
        title,
        f"{clean} of {len(ran)} runs find nothing, on {vectors} vectors and the calls that the network refuses",
        ("A sanitizer watches the runs that are made; it says nothing about other inputs.",),
        (Table("Runs", ("compiler", "sanitizer", "what it finds", "result"), tuple(rows)),),
        holds=clean == len(ran),
    )


def _agreed(*, exact: bool) -> str:
    return "bit for bit" if exact else "within the tolerance of the self-test"


def _absent(names: Iterable[str], installed: Sequence[str]) -> list[str]:
    left = [name for name in names if name not in installed]
    return [f"Not tried, because not installed: {', '.join(left)}."] if left else []
