"""The counts of a board, kernel by kernel: instructions of an emulated one, ticks of the clock of a real one."""

from typing import Literal

from s2s.support.frozen import frozen
from s2s.verify.board_check import BoardVerification
from s2s.verify.over_serial import SerialVerification
from s2s.verify.verification import Verification

Unit = Literal["instructions", "ticks"]


@frozen
class BoardCounts:
    """The counts of the most expensive run on a board."""

    place: str
    """The board as `--on` names it."""
    unit: Unit
    run: int
    """Of the whole run."""
    kernels: tuple[tuple[str, int], ...]
    """Of each kernel in the order of the run; none if nobody counted."""
    verification: Verification

    @staticmethod
    def of(run: BoardVerification | SerialVerification, on: str) -> "BoardCounts":
        """Take the counts of a run at `on`."""
        if isinstance(run, BoardVerification):
            kernels = tuple((layer.kernel, layer.instructions) for layer in run.run.layers)
            return BoardCounts(
                f"qemu:{run.board}", "instructions", max(run.run.instructions), kernels, run.verification
            )
        kernels = tuple((layer.call.kernel, layer.ticks) for layer in run.layers)
        return BoardCounts(on, "ticks", max(run.ticks), kernels, run.verification)
