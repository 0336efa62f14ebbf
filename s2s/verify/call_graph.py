"""Compute the deepest stack of a function from the call graphs of gcc (`-fcallgraph-info=su,da`).

A call graph is text in the VCG format: a node for each function, with the bytes of its frame and its return address,
and an edge for each call. A function of another file is a node without bytes. The title of a static function contains
its file (`src/kws.c:conv`), so that equal names in several files stay distinct.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from s2s.errors import InputError
from s2s.support.frozen import frozen

INDIRECT = "__indirect_call"
"""The title that gcc gives to an unknown callee."""

EXECUTOR = "executor.c"
"""The runtime file that calls kernels through the tables of a network."""

TABLES = "_graph.c"
"""The suffix of the file with these tables, whose static functions are the entries of the tables."""

OWN = "src"
"""The folder of a tree with the functions of its networks."""

_NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "([^"]*)"', re.MULTILINE)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', re.MULTILINE)
_FRAME = re.compile(r"^(\d+) bytes \(([a-z,]+)\)$")


@frozen
class Frame:
    """A function that is defined in one of the files."""

    name: str
    place: str
    """File, line and column."""
    bytes: int
    is_bounded: bool
    """Whether `bytes` is a bound: not with `alloca` or variable-length arrays."""


@frozen
class Stack:
    """The deepest stack of a function with its callees, or the reasons why it is unknown."""

    bytes: int | None
    path: tuple[str, ...] = ()
    """The call path of the deepest stack, the function itself first."""
    outside: tuple[str, ...] = ()
    """Library functions that are called; their stacks are not included."""
    reasons: tuple[str, ...] = ()
    """The reasons why the depth is unknown."""
    kernels: Mapping[str, int] = field(default_factory=dict[str, int])
    """The same bytes of each other function of the network's own files, the deepest first; of copies the deepest."""

    @property
    def note(self) -> str:
        """The remark beside the number, or instead of it; often empty."""
        if self.reasons:
            return "; ".join(self.reasons)
        return f"on top comes what {', '.join(self.outside)} takes" if self.outside else ""


@frozen
class UnitGraph:
    """The call graph of one file."""

    text: str
    """The call graph as gcc wrote it."""
    gaps: Mapping[str, int] = field(default_factory=dict[str, int])
    """Bytes that functions may take beyond gcc's figures, by their names in the object file."""


@dataclass
class CallGraph:
    """Functions of several files and their calls, by title."""

    frames: dict[str, Frame] = field(default_factory=dict[str, Frame])
    calls: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """The first title of each function name: gcc puts the file in front of weak functions, as of static ones."""

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
                self.titles.setdefault(name, title)

    def title_of(self, name: str) -> str:
        """The title of the function that a call of `name` from another file reaches."""
        return name if name in self.frames else self.titles.get(name, name)

    def callees(self, title: str) -> Iterator[str]:
        """Yield the callees of a function; the executor calls every kernel of the tables."""
        for callee in self.calls.get(title, ()):
            if callee == INDIRECT and _file(self.frames[title].place).name == EXECUTOR:
                yield from self._kernels()
            else:
                yield self.title_of(callee)

    def _kernels(self) -> Iterator[str]:
        """Yield the static functions of the files with tables, which are the only entries of the tables."""
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
    entry = graph.title_of(entry)
    if entry not in graph.frames:
        raise InputError(f"{entry}: no such function in these files; name one that is defined there and not static")
    reached = _reached(graph, entry)
    outside = tuple(sorted(title for title in reached if title not in graph.frames and title != INDIRECT))
    if reasons := tuple(_reasons(graph, reached, entry)):
        return Stack(None, outside=outside, reasons=reasons)
    paths: dict[str, tuple[str, ...]] = {}
    path = _deepest_path(graph, entry, paths)
    kernels: dict[str, int] = {}
    for title in (title for title in paths if title != entry and _is_own(graph.frames[title])):
        name = graph.frames[title].name.partition(".")[0]
        kernels[name] = max(kernels.get(name, 0), _bytes(graph, paths[title]))
    deepest = dict(sorted(kernels.items(), key=lambda kernel: (-kernel[1], kernel[0])))
    return Stack(_bytes(graph, path), tuple(graph.frames[title].name for title in path), outside, kernels=deepest)


def _reached(graph: CallGraph, entry: str) -> tuple[str, ...]:
    """Return every function that a run of `entry` may call, in the order of discovery."""
    reached = {entry: None}
    waiting = [entry]
    while waiting:
        for callee in graph.callees(waiting.pop()):
            if callee not in reached:
                reached[callee] = None
                waiting.append(callee)
    return tuple(reached)


def _reasons(graph: CallGraph, reached: Iterable[str], entry: str) -> Iterator[str]:
    """Yield the reasons why the stack depth is unknown."""
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
    """Return a cyclic chain of calls; empty if there is none."""
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
    """Return the call path from `title` that takes the most stack, the first of equal ones."""
    if title not in known:
        paths = [_deepest_path(graph, callee, known) for callee in graph.callees(title) if callee in graph.frames]
        known[title] = (title, *max(paths, key=lambda path: _bytes(graph, path), default=()))
    return known[title]


def _bytes(graph: CallGraph, path: Iterable[str]) -> int:
    return sum(graph.frames[title].bytes for title in path)


def _is_own(frame: Frame) -> bool:
    """Whether a function is in the files of a network, and not in these of its runtime or in a library."""
    return OWN in _file(frame.place).parts[:1]


def _file(place: str) -> PurePosixPath:
    """Return the file of a place: `src/kws.c` of `src/kws.c:12:5`."""
    return PurePosixPath(place.rsplit(":", 2)[0])
