"""The worst case of a network on a board: the greatest number of cycles of any run, and what it rests on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from s2s.boards.paths.longest import Longest, Proof
from s2s.support.frozen import frozen
from s2s.verify.counted_blocks import Window

Unit = Literal["cycles", "instructions"]
IDLE = 1
"""What an empty run takes beside its return, `movs r0, #0`: it is taken off of each run, which returns, too."""


@frozen
class WorstCase:
    """The greatest number of cycles that a run takes, whatever its inputs are, or of instructions."""

    most: int | None
    """None where there is no bound. Cycles are by the model of the core, with the most that its manual allows."""
    unit: Unit = "cycles"
    """Instructions where the core has no model of cycles."""
    bounded: tuple[str, ...] = ()
    """The functions whose path depends on data: the longer side of each branch counts."""
    reasons: tuple[str, ...] = ()
    """Why there is no bound."""

    def describe(self) -> str:
        """Return it in words: `4,619,646 cycles (exact path; 2 kernels bounded: …)`."""
        if self.most is None:
            return f"not bounded: {'; '.join(self.reasons)}"
        kernels = f"{len(self.bounded)} kernel{'s' if len(self.bounded) > 1 else ''} bounded"
        more = f"; {kernels}: {', '.join(self.bounded)}" if self.bounded else ""
        return f"{self.most:,} {self.unit} (exact path{more})"


def proof_of(record: Mapping[str, Any], functions: Iterable[str]) -> Proof:
    """Return what the record of a tree says of the paths of the functions of its objects."""
    paths: list[dict[str, Any]] = record.get("paths", [])
    stated = {entry["kernel"] for entry in paths}
    unknown = {kernel for kernel in record["kernels"] if kernel not in stated}
    return Proof(
        checked=f"{record['name']}_run",
        functions=frozenset(name.partition(".")[0] for name in functions),
        repeating=frozenset(entry["kernel"] for entry in paths if entry["repeats"]) | unknown,
        turns={entry["kernel"]: entry["turns"] for entry in paths},
    )


def worst_case(windows: Sequence[Window], record: Mapping[str, Any], unit: Unit) -> WorstCase | None:
    """Return the worst case of counted runs, of which the first is an empty one; None where none was counted."""
    empty, longest = windows[:1], [entry.longest for entry in windows[1:] if entry.longest is not None]
    if not longest:
        return None
    choosing = [entry["kernel"] for entry in record.get("paths", []) if entry["path"] == "bounded"]
    bounded = tuple(dict.fromkeys([*(name for entry in longest for name in entry.bounded), *choosing]))
    reasons = tuple(dict.fromkeys(reason for entry in longest for reason in entry.reasons))
    cycles = [entry.cycles - empty[0].cycles.most + IDLE for entry in longest if entry.cycles is not None]
    return WorstCase(None if reasons else max(cycles), unit, bounded, reasons)


def greatest(longest: Longest | None, empty: Window) -> int | None:
    """Return the greatest cycles of one kernel; None where there is no bound."""
    return None if longest is None or longest.cycles is None else longest.cycles - empty.cycles.most


__all__ = ["IDLE", "WorstCase", "greatest", "proof_of", "worst_case"]
