"""The diagram of ARCHITECTURE.md, drawn from the imports of the package.

make structure        PYTHONPATH=.:tests python -m support.architecture      (writes the diagram again)
"""

import re
from collections.abc import Mapping
from functools import cache

from test_imports import ROOMS, WITHOUT_CODE, room

from support.import_graph import import_graph
from support.project import ROOT

PAGE = ROOT / "ARCHITECTURE.md"
BLOCK = re.compile(r"```mermaid\n.*?^```\n", re.MULTILINE | re.DOTALL)

GROUPS: Mapping[str, tuple[str, ...]] = {
    "what a user calls": ("cli", "tvm", "api", "torch_backend", "onnx_backend", "__main__"),
    "measures and reports": (
        *("report", "evidence", "tuning", "farm", "profiling", "mixed", "fuzz", "testing", "demos", "joint"),
    ),
    "drives, verifies, packs": (
        *("artifact", "inspection", "projects", "packagings", "verify", "prove", "boards", "quantization", "budgets"),
        *("reproducer", "compilation", "stages", "pipeline", "pipeline_step", "registry"),
    ),
    "writes files": ("emit", "executor"),
    "reads models": ("frontends", "data"),
    "transforms": ("passes",),
    "chooses": ("options", "decisions", "schedules", "targets", "external", "memory"),
    "knows and runs the IR": ("analysis", "interpret"),
    "is the IR": ("dialects", "types", "c_syntax", "chat"),
    "serves all": ("support", "errors", "version"),
}
"""The rooms by what they are for, the highest first."""


def group_of(name: str) -> str:
    """The group of a room."""
    return next(group for group, rooms in GROUPS.items() if name in rooms)


@cache
def edges() -> frozenset[tuple[str, str]]:
    """The groups that import each other directly."""
    return frozenset(
        (group_of(room(module)), group_of(room(other)))
        for module, imported in import_graph().items()
        for other in imported
        if room(module) in ROOMS and room(other) in ROOMS and group_of(room(module)) != group_of(room(other))
    )


def diagram() -> str:
    """The groups as boxes, with an arrow from each to those it imports and does not reach by a longer way."""
    names = list(GROUPS)
    lines = ["```mermaid", "flowchart TD"]
    for number, (group, rooms) in enumerate(GROUPS.items()):
        rows = [", ".join(rooms[first : first + 4]) for first in range(0, len(rooms), 4)]
        lines.append(f'    g{number}["<b>{group}</b><br>{"<br>".join(rows)}"]')
    for first, second in sorted(edges(), key=lambda edge: (names.index(edge[0]), names.index(edge[1]))):
        if not any((first, other) in edges() and _reaches(other, second) for other in names if other != second):
            lines.append(f"    g{names.index(first)} --> g{names.index(second)}")
    return "\n".join([*lines, "```", ""])


def _reaches(first: str, second: str) -> bool:
    """Whether there is a way of imports from a group to another one."""
    seen, waiting = {first}, [first]
    while waiting:
        group = waiting.pop()
        if group == second:
            return True
        ahead = {other for start, other in edges() if start == group} - seen
        seen |= ahead
        waiting.extend(ahead)
    return False


def rooms_without_a_place() -> set[str]:
    """Rooms that are in no group."""
    return set[str](ROOMS) - WITHOUT_CODE - {each for rooms in GROUPS.values() for each in rooms}


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(lambda _: diagram(), PAGE.read_text(), count=1))
