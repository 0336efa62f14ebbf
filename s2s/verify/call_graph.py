"""The deepest stack of a function, from the call graphs that gcc writes with `-fcallgraph-info=su,da`.

A call graph is text in the VCG format: a node for each function, with the bytes of its frame and its return address,
and an edge for each call. A function of another file is a node without bytes. A static function carries its file in its
title (`src/kws.c:conv`), so files keep apart what has the same name.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from s2s.errors import InputError

INDIRECT = "__indirect_call"
"""The title that gcc gives to a callee it does not know."""

EXECUTOR = "executor.c"
"""The file of the runtime that calls kernels through the tables of a network."""

TABLES = "_graph.c"
"""How the name of a file with such tables ends; its static functions are what the tables name."""

_NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "([^"]*)"', re.MULTILINE)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', re.MULTILINE)
_FRAME = re.compile(r"^(\d+) bytes \(([a-z,]+)\)$")


@dataclass(frozen=True)
class Frame:
    """A function that is defined in one of the files."""

    name: str
    place: str
    """File, line and column."""
    bytes: int
    is_bounded: bool
    """Whether `bytes` is all it takes: not with `alloca` or arrays of variable length."""


@dataclass(frozen=True)
class Stack:
    """The deepest stack of a function with everything it calls, or why there is no such number."""

    bytes: int | None
    path: tuple[str, ...] = ()
    """The calls that lead there, the function itself first."""
    outside: tuple[str, ...] = ()
    """Functions of libraries that are called; what they take comes on top."""
    reasons: tuple[str, ...] = ()
    """What stands in the way of a number."""

    @property
    def note(self) -> str:
        """What has to be said beside the number, or instead of it; often nothing."""
        if self.reasons:
            return "; ".join(self.reasons)
        return f"on top comes what {', '.join(self.outside)} takes" if self.outside else ""


@dataclass(frozen=True)
class UnitGraph:
    """What is known of the functions of one file."""

    text: str
    """The call graph as gcc wrote it."""
    gaps: Mapping[str, int] = field(default_factory=dict[str, int])
    """Bytes that functions may take beyond what gcc says, by their names in the object file."""


@dataclass
class CallGraph:
    """Functions of several files and their calls, by title."""

    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    calls: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def add(self, unit: "UnitGraph") -> None:
        """Add what gcc wrote for one file."""
        text = unit.text
        callees: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for caller, callee in _EDGE.findall(text):
            callees[caller][callee] = None
        for title, label in _NODE.findall(text):
            name, place, bound, *_ = [*label.split("\\n"), "", ""]
            if frame := _FRAME.match(bound):
                size = int(frame[1]) + unit.gaps.get(title.rpartition(":")[2], 0)
                self.frames[title] = Frame(name, place, size, frame[2] != "dynamic")
                self.calls[title] = tuple(callees[title])

    def callees(self, title: str) -> Iterator[str]:
        """What a function calls; the executor calls every kernel of the tables, and nothing else is called unseen."""
        for callee in self.calls.get(title, ()):
            if callee == INDIRECT and _file(self.frames[title].place).name == EXECUTOR:
                yield from self._kernels()
            else:
                yield callee

    def _kernels(self) -> Iterator[str]:
        """The static functions beside the tables. No other can stand in them: the tables are written that way."""
        return (
            title
            for title, frame in self.frames.items()
            if title != frame.name and _file(frame.place).name.endswith(TABLES)
        )


def deepest_stack(units: Iterable[UnitGraph], entry: str, libraries: Mapping[str, int] | None = None) -> Stack:
    """The stack that `entry` takes, from the call graphs of all files that it is made of.

    `libraries` says what functions of libraries take, where that is known, with everything they call.
    """
    graph = CallGraph()
    for unit in units:
        graph.add(unit)
    for name, size in (libraries or {}).items():
        graph.frames[name] = Frame(name, "library", size, is_bounded=True)
    if entry not in graph.frames:
        raise InputError(f"{entry}: no such function in these files; name one that is defined there and not static")
    reached = _reached(graph, entry)
    outside = tuple(sorted(title for title in reached if title not in graph.frames and title != INDIRECT))
    if reasons := tuple(_reasons(graph, reached, entry)):
        return Stack(None, outside=outside, reasons=reasons)
    path = _deepest_path(graph, entry, {})
    return Stack(_bytes(graph, path), tuple(graph.frames[title].name for title in path), outside)


def _reached(graph: CallGraph, entry: str) -> tuple[str, ...]:
    """Every function that a run of `entry` may call, in the order they are met."""
    reached = {entry: None}
    waiting = [entry]
    while waiting:
        for callee in graph.callees(waiting.pop()):
            if callee not in reached:
                reached[callee] = None
                waiting.append(callee)
    return tuple(reached)


def _reasons(graph: CallGraph, reached: Iterable[str], entry: str) -> Iterator[str]:
    """Why nobody can tell how deep the stack gets."""
    for title in reached:
        frame = graph.frames.get(title)
        if frame is None:
            continue
        if not frame.is_bounded:
            yield f"{frame.name} ({frame.place}): its frame grows while it runs"
        if INDIRECT in graph.callees(title):
            yield f"{frame.name} ({frame.place}): calls through a pointer that is not in the tables of a network"
    if cycle := _cycle(graph, entry, ()):
        yield f"{' calls '.join(graph.frames[title].name for title in cycle)}: recursion has no known depth"


def _cycle(graph: CallGraph, title: str, callers: tuple[str, ...], seen: set[str] | None = None) -> tuple[str, ...]:
    """A chain of calls that comes back to where it began, empty if there is none."""
    seen = seen if seen is not None else set()
    if title in callers:
        return (*callers[callers.index(title) :], title)
    if title in seen:
        return ()
    for callee in graph.callees(title):
        if cycle := _cycle(graph, callee, (*callers, title), seen):
            return cycle
    seen.add(title)
    return ()


def _deepest_path(graph: CallGraph, title: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The chain of calls from `title` on that takes the most stack; of equals the one that comes first."""
    if title not in known:
        paths = [_deepest_path(graph, callee, known) for callee in graph.callees(title) if callee in graph.frames]
        known[title] = (title, *max(paths, key=lambda path: _bytes(graph, path), default=()))
    return known[title]


def _bytes(graph: CallGraph, path: Iterable[str]) -> int:
    return sum(graph.frames[title].bytes for title in path)


def _file(place: str) -> PurePosixPath:
    """The file of `src/kws.c:12:5`."""
    return PurePosixPath(place.rsplit(":", 2)[0])
