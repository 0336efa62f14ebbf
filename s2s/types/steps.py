"""Steps of a run: their bound as options name it (`20000cycles`, `50000macs`), and how the IR is marked with them.

func.func @main(…) attributes {step_count = 18, longest_step = 19200, step_unit = "cycles"} {
  func.call @conv(%y, %x) {step = 0, tiles = 16}      sixteen steps, each a tile
  func.call @relu(%z, %y) {step = 1}                  the next step,
  func.call @pool(%p, %z) {step = 1}                  which does this, too
"""

import re
from typing import Literal, NamedTuple, cast, get_args

from s2s.errors import InputError

StepUnit = Literal["cycles", "macs"]
_BOUND = re.compile(r"(?P<most>[0-9]{1,12}) ?(?P<unit>[a-z]+)")


class StepBound(NamedTuple):
    """The most that a step of a run may take."""

    most: int
    unit: StepUnit
    """`cycles` of the target's core, by its model; `macs`: multiply-adds, and elements that are stored."""

    def __str__(self) -> str:
        return f"{self.most}{self.unit}"

    @staticmethod
    def parse(text: str) -> "StepBound":
        """Return the bound of `20000cycles`. Raises `InputError` for another form."""
        units = get_args(StepUnit)
        matched = _BOUND.fullmatch(text.strip())
        if matched is None or matched["unit"] not in units or not int(matched["most"]):
            raise InputError(
                f"--steps {text}: is no bound of a step; write, for example, --steps 20000cycles or 50000macs"
            )
        return StepBound(int(matched["most"]), cast(StepUnit, matched["unit"]))


__all__ = ["StepBound", "StepUnit"]
