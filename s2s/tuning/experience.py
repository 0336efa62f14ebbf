"""What searches of other tasks have measured, for the learned cost model of a new one."""

from collections.abc import Sequence
from math import nan

Rows = Sequence[Sequence[float]]


class Experience:
    """Features of schedules with their scores, by task."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Rows, Sequence[float]]] = {}

    def keep(self, task: str, rows: Rows, scores: Sequence[float], own: Sequence[int]) -> None:
        """Keep what a task has taught, without the features `own` that mean something for it alone."""
        masked = [[nan if number in own else value for number, value in enumerate(row)] for row in rows]
        self._rows[task] = (masked, tuple(scores))

    def of_others(self, task: str, width: int) -> tuple[list[Sequence[float]], list[float]]:
        """Return features and scores of other tasks whose rows have `width` features."""
        rows: list[Sequence[float]] = []
        scores: list[float] = []
        for name, (kept, told) in self._rows.items():
            if name != task and kept and len(kept[0]) == width:
                rows += kept
                scores += told
        return rows, scores
