"""Measure the modified condition/decision coverage (MC/DC) of the C with clang, from version 18 on.

A decision of several conditions, such as `a < 0 && b < c`, counts for each condition: two runs must differ in this
condition and in the decision, with the others the same or not evaluated.
"""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from s2s.errors import ToolchainError
from s2s.evidence.coverage import UNJUSTIFIED, Rest, line_of, share
from s2s.evidence.document import Document, Table, not_measured
from s2s.evidence.trial import Trial
from s2s.support.frozen import frozen
from s2s.verify.toolchain import compiler_version, run_program

NAME, TITLE = "conditions", "Modified condition/decision coverage (MC/DC)"
FIRST, LAST = 18, 40
"""The first version of clang that measures it, and the last name that is tried, `clang-40`."""
FLAGS = ("-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc")
TOOLS = ("llvm-profdata", "llvm-cov")
Decision = tuple[str, int, int, int, int]
"""File, and line and column of its start and end."""


@frozen
class Conditions:
    """What the vectors show of conditions."""

    compiler: str
    decisions: int
    conditions: tuple[int, int]
    """Conditions whose effect is shown, and all."""
    rest: tuple[Rest, ...]


def clang_with_conditions() -> tuple[str, str] | None:
    """Return the name of a clang that measures MC/DC, and the ending of its tools; None without one."""
    for ending in ("", *(f"-{version}" for version in range(FIRST, LAST + 1))):
        if not all(shutil.which(f"{name}{ending}") for name in ("clang", *TOOLS)):
            continue
        version = re.search(r"(\d+)\.", compiler_version((f"clang{ending}",)))
        if version is not None and int(version[1]) >= FIRST:
            return f"clang{ending}", ending
    return None


def measure_conditions(trial: Trial, folder: Path, reasons: Mapping[str, str]) -> Conditions | str:
    """Run the test programs and return what they show; the reason where that cannot be measured."""
    measured = clang_with_conditions()
    if measured is None:
        return f"no clang from version {FIRST} on, with llvm-cov and llvm-profdata, is installed; install clang-19"
    compiler, ending = measured
    try:
        objects = trial.compile(compiler, folder, *FLAGS)
        programs = trial.programs(compiler, folder, objects, *FLAGS)
        raw = [_profiled(program, folder) for program in programs]
        run_program([f"llvm-profdata{ending}", "merge", *raw, "-o", folder / "merged"])
        command = [f"llvm-cov{ending}", "export", programs[0], f"-instr-profile={folder / 'merged'}"]
        text = run_program([*command, *(f"-object={program}" for program in programs[1:])])
    except ToolchainError as error:
        return f"the test programs cannot be run for llvm-cov: {error}"
    return _summed(trial, json.loads(text)["data"][0]["functions"], compiler_version((compiler,)), reasons)


def _profiled(program: Path, folder: Path) -> Path:
    """Run a program, and return the profile that it leaves."""
    run_program([program], folder)
    return (folder / "default.profraw").rename(folder / f"{program.name}.profraw")


def _summed(
    trial: Trial, functions: Iterable[Mapping[str, Any]], compiler: str, reasons: Mapping[str, str]
) -> Conditions:
    """Unite what all copies of each function that ran show: a function of a header is in several files."""
    shown: dict[Decision, list[bool]] = {}
    owner: dict[Decision, str] = {}
    for function in functions:
        path = Path(function["filenames"][0])
        if not function["count"] or not path.is_relative_to(trial.tree) or "test" in path.relative_to(trial.tree).parts:
            continue
        for record in function["mcdc_records"]:
            line, column, last_line, last_column = map(int, record[:4])
            place = (path.relative_to(trial.tree).as_posix(), line, column, last_line, last_column)
            lists: list[list[bool]] = [entry for entry in record if type(entry) is list]
            flags = lists[0]
            before = shown.setdefault(place, [False] * len(flags))
            shown[place] = [one or other for one, other in zip(before, flags, strict=True)]
            owner[place] = function["name"].rpartition(":")[2]
    rest = [
        Rest(place[0], place[1], owner[place], _named(trial, place, flags), reasons.get(owner[place], UNJUSTIFIED))
        for place, flags in sorted(shown.items())
        if not all(flags)
    ]
    total = sum(map(len, shown.values()))
    return Conditions(compiler, len(shown), (sum(map(sum, shown.values())), total), tuple(rest))


def _named(trial: Trial, place: Decision, flags: list[bool]) -> str:
    numbers = ", ".join(str(number) for number, flag in enumerate(flags, 1) if not flag)
    return f"{line_of(trial.tree / place[0], place[1])} — condition {numbers} of {len(flags)}"


def conditions_document(measured: Conditions | str, vectors: int) -> Document:
    """The document about conditions."""
    if isinstance(measured, str):
        return not_measured(NAME, TITLE, measured)
    shown, total = measured.conditions
    open_ones = sum(entry.why == UNJUSTIFIED for entry in measured.rest)
    return Document(
        NAME,
        TITLE,
        f"{shown} of {total} conditions ({share(shown, total)}) in {measured.decisions} decisions of several; "
        f"{len(measured.rest)} decisions with a rest, {open_ones} of them not justified",
        (
            f"The library of the tree, built by {measured.compiler} with {' '.join(FLAGS)}, ran the self-test on "
            f"{vectors} vectors and the calls that the network refuses; llvm-cov counted. A decision of "
            "one condition is in the branch coverage.",
        ),
        (
            Table(
                "Conditions whose effect no vector shows",
                ("file", "line", "function", "C", "why this is in order"),
                tuple((entry.file, entry.line, entry.function, entry.text, entry.why) for entry in measured.rest),
            ),
        ),
        holds=open_ones == 0,
    )
