"""The time of each kernel call that a board has measured, beside the nodes of the model."""

from collections.abc import Mapping, Sequence
from typing import Any

from s2s.analysis.cost.kernels import KernelCost
from s2s.emit.call_comments import KernelCall, PlacedCall
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.verify.serial_link import KernelTimes


@frozen
class TimedCall:
    """All runs of one kernel call in a run of the network."""

    call: KernelCall
    count: int
    ticks: int
    operations: int
    """Arithmetic operations of all these runs, as `s2s profile` counts them."""

    def as_dict(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {
            "kernel": self.call.kernel,
            "nodes": self.call.nodes,
            "calls": self.count,
            "ticks": self.ticks,
            "operations": self.operations,
        }


def timed_calls(
    times: KernelTimes, calls: Sequence[PlacedCall], costs: Mapping[str, KernelCost], *, on: str
) -> list[TimedCall]:
    """Match the times of a board with the calls of this compilation, in the order of the C.

    A call that the run did not reach has no time. Raise an error for a board whose program was compiled otherwise.
    """
    if times.lost:
        raise InputError(
            f"--on {on}: the board had no room for the times of {times.lost} calls of kernels; give its table more rows"
        )
    rows: list[tuple[PlacedCall, TimedCall]] = []
    for row in times.rows:
        placed = next((each for each in calls if each.first <= row.line <= each.last), None)
        if placed is None or placed.call.kernel != row.kernel:
            raise InputError(
                f"--on {on}: the board calls {row.kernel} in line {row.line} of its C, which this compilation does "
                "not; give the options that the board's program was compiled with (--target, ...)"
            )
        cost = costs.get(row.kernel)
        operations = 0 if cost is None else row.runs * (cost.operations.floats + cost.operations.integers)
        rows.append((placed, TimedCall(placed.call, row.runs, row.ticks, operations)))
    return [timed for _, timed in sorted(rows, key=lambda each: each[0].first)]
