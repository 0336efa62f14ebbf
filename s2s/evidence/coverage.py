"""Measure which branches of the C the test vectors take, with gcov, and say of each one that they do not take why."""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.errors import ToolchainError
from s2s.evidence.document import Document, Table, not_measured
from s2s.evidence.trial import Trial
from s2s.support.frozen import frozen
from s2s.verify.toolchain import compiler_version, run_program

NAME, TITLE = "coverage", "Branch coverage"
FLAGS = ("-O0", "--coverage")
Place = tuple[str, int, int]
"""File, first and last line."""
UNJUSTIFIED = "not justified: no vector takes it; review the line"


@frozen
class Rest:
    """A branch that no vector takes, or a condition whose effect none shows."""

    file: str
    line: int
    function: str
    text: str
    """The line of C."""
    why: str


@frozen
class Coverage:
    """What the vectors reach."""

    lines: tuple[int, int]
    """Lines that ran, and lines with code."""
    branches: tuple[int, int]
    calls: Mapping[str, int]
    """How often each function ran."""
    places: Mapping[str, Place]
    """Where each function is."""
    rest: tuple[Rest, ...] = ()


def measure_coverage(trial: Trial, folder: Path, reasons: Mapping[str, str]) -> Coverage | str:
    """Run the test programs and return what they reach; the reason where that cannot be measured.

    `reasons` says of functions why it is in order that no vector takes a branch of them.
    """
    if missing := [name for name in ("gcc", "gcov") if shutil.which(name) is None]:
        return f"{' and '.join(missing)} is not installed; install gcc"
    try:
        objects = trial.compile("gcc", folder, *FLAGS)
        trial.run("gcc", folder, objects, *FLAGS)
        texts = [
            run_program(["gcov", "--json-format", "--stdout", "--branch-probabilities", object_file])
            for object_file in objects
        ]
    except ToolchainError as error:
        return f"the test programs cannot be run for gcov: {error}"
    return _merged(trial, [json.loads(text) for text in texts], reasons)


def _merged(trial: Trial, measured: Sequence[Mapping[str, Any]], reasons: Mapping[str, str]) -> Coverage:
    """Add up the counts of all objects, as functions of headers are in several; lines of functions that never ran are
    left out."""
    lines: dict[tuple[str, int], int] = defaultdict(int)
    branches: dict[tuple[str, int, int], int] = defaultdict(int)
    calls: dict[str, int] = defaultdict(int)
    places: dict[str, Place] = {}
    for file in (entry for unit in measured for entry in unit["files"] if not entry["file"].startswith("/")):
        name = str(file["file"])
        for function in file["functions"]:
            calls[function["name"]] += int(function["execution_count"])
            places[function["name"]] = (name, int(function["start_line"]), int(function["end_line"]))
        for line in file["lines"]:
            lines[name, int(line["line_number"])] += int(line["count"])
            for number, branch in enumerate(line["branches"]):
                branches[name, int(line["line_number"]), number] += int(branch["count"])
    ran = {function: place for function, place in places.items() if calls[function]}
    owner = {at: _owner(at, ran) for at in lines}
    lines = {at: count for at, count in lines.items() if owner[at]}
    branches = {at: count for at, count in branches.items() if owner.get(at[:2])}
    rest = [
        Rest(
            file, line, owner[file, line], line_of(trial.tree / file, line), reasons.get(owner[file, line], UNJUSTIFIED)
        )
        for file, line in sorted({at[:2] for at, count in branches.items() if not count})
    ]
    return Coverage(
        lines=(sum(map(bool, lines.values())), len(lines)),
        branches=(sum(map(bool, branches.values())), len(branches)),
        calls=dict(sorted(calls.items())),
        places=dict(sorted(places.items())),
        rest=tuple(rest),
    )


def _owner(at: tuple[str, int], ran: Mapping[str, Place]) -> str:
    """The function that a line is in; empty if none of them ran. The text of a macro's function has several."""
    file, line = at
    return next((name for name, (where, first, last) in ran.items() if where == file and first <= line <= last), "")


def line_of(path: Path, line: int) -> str:
    """A line of a file, counted from 1, without its indentation; empty beyond the end."""
    measured = path.read_text(encoding="utf-8").splitlines()
    return measured[line - 1].strip() if 0 < line <= len(measured) else ""


def coverage_document(measured: Coverage | str, vectors: int) -> Document:
    """The document about branches."""
    if isinstance(measured, str):
        return not_measured(NAME, TITLE, measured)
    (lines, of_lines), (branches, of_branches) = measured.lines, measured.branches
    open_ones = sum(entry.why == UNJUSTIFIED for entry in measured.rest)
    return Document(
        NAME,
        TITLE,
        f"{branches} of {of_branches} branches ({share(branches, of_branches)}), {lines} of {of_lines} lines; "
        f"{len(measured.rest)} lines with a branch that no vector takes, {open_ones} of them not justified",
        (
            f"The library of the tree, built by {compiler_version(('gcc',))} with {' '.join(FLAGS)}, ran the self-test "
            f"on {vectors} vectors and the calls that the network refuses; gcov counted. Functions that "
            "never ran are listed at the end, and do not count.",
            "The forms of functions that a core's own instructions replace are not in this figure, where this machine "
            "has other instructions: it is about the C that was compiled here.",
        ),
        (
            Table(
                "Branches that no vector takes",
                ("file", "line", "function", "C", "why this is in order"),
                tuple((entry.file, entry.line, entry.function, entry.text, entry.why) for entry in measured.rest),
            ),
            Table("Functions and how often they ran", ("function", "runs"), tuple(measured.calls.items())),
        ),
        holds=open_ones == 0,
    )


def share(part: int, whole: int) -> str:
    """A share in per cent, rounded down, so that 100.0% means all."""
    return f"{int(1000 * part / whole) / 10 if whole else 100.0:.1f}%"
