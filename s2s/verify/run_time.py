"""The time and the energy of a run from its cycles: by the clock that a user states, or the clock of a
microcontroller."""

from typing import Any

from s2s.boards import PREFIX, Board
from s2s.boards.cycles.cycles import Cycles
from s2s.boards.parts import Part, get_part
from s2s.errors import InputError
from s2s.support.frozen import frozen


@frozen
class RunTime:
    """How cycles become time and energy."""

    megahertz: float = 0
    """Of the clock; 0 where nobody states it."""
    part: Part | None = None

    def milliseconds(self, cycles: int) -> float | None:
        """Return the time of some cycles; None without a clock."""
        return cycles / (self.megahertz * 1000) if self.megahertz else None

    def figures(self, cycles: Cycles) -> dict[str, Any]:
        """Return cycles, milliseconds and microjoules of a run for JSON."""
        found: dict[str, Any] = {"cycles": cycles.count, "cycles_range": [cycles.least, cycles.most]}
        time = self.milliseconds(cycles.count)
        if time is not None:
            found["milliseconds"] = round(time, 3)
            found["clock_megahertz"] = self.megahertz
        energy = None if self.part is None else self.part.microjoules(cycles.count)
        if energy is not None:
            found["microjoules"] = [round(energy[0], 1), round(energy[1], 1)]
        return found


def run_time(board: Board, part: str | None = None, clock: float | None = None) -> RunTime:
    """Return the clock and the microcontroller of a run on a board.

    `part` is a name (`stm32l4r5`) or a file of TOML, `clock` in megahertz. Raises `InputError` for the part of another
    core than the board's.
    """
    device = None if part is None else get_part(part)
    if device is not None and device.core != board.target:
        raise InputError(
            f"--part {part}: is a {device.core}, and {PREFIX}{board.name} a {board.target}; give a board of that core"
        )
    return RunTime(clock or (0 if device is None else device.megahertz), device)


__all__ = ["RunTime", "run_time"]
