"""What measuring a candidate gives: costs, or a kind of error."""

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum
from typing import Literal

from s2s.errors import InputError
from s2s.support.frozen import frozen

Objective = Literal["instructions", "time", "flash", "ram"]
OBJECTIVES: tuple[Objective, ...] = ("instructions", "time", "flash", "ram")
UNITS: Mapping[Objective, str] = {
    "instructions": "instructions",
    "time": "seconds",
    "flash": "bytes of flash",
    "ram": "bytes of ram",
}
"""The units of records, by objective."""
PER_CALL: frozenset[Objective] = frozenset(("instructions", "time"))
"""Objectives that a kernel costs with each call; it takes its bytes once."""
SMALL_FLASH = "bytes of flash at -Os"
"""The unit of the flash that a kernel takes on a board when it is compiled for size."""


class ErrorKind(IntEnum):
    """Why a measurement failed, numbered as AutoTVM's `MeasureErrorNo`."""

    NO_ERROR = 0
    INSTANTIATION_ERROR = 1
    """The schedule could not be lowered."""
    COMPILE_HOST = 2
    COMPILE_DEVICE = 3
    """The C compiler refused the kernel."""
    RUNTIME_DEVICE = 4
    """The kernel crashed."""
    WRONG_ANSWER = 5
    BUILD_TIMEOUT = 6
    RUN_TIMEOUT = 7
    UNKNOWN_ERROR = 8


@frozen
class Measurement:
    """The costs of a candidate by unit: `seconds`, `instructions`, `bytes of flash`, `bytes of ram`."""

    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    error: ErrorKind = ErrorKind.NO_ERROR
    message: str = ""
    """What is known of the error."""
    noise: float = 0.0
    """How far the median of the rounds lies above the minimum, as a part of the minimum; 0 for exact counts."""
    seconds: float = 0.0
    """How long building and measuring took."""
    code: str = ""
    """A hash of the C that was measured, without its comments; schedules that are lowered alike have equal ones."""


@frozen
class Goal:
    """What is minimised: one objective, or a sum of several, in which each unit has a weight.

    `instructions=1,flash=50`: a byte of flash is worth 50 instructions of a run.
    """

    weights: tuple[tuple[Objective, float], ...]

    @staticmethod
    def of(text: str) -> "Goal":
        """Return the goal of `flash`, or of `instructions=1,flash=50`."""
        found: dict[Objective, float] = {}
        for part in text.split(","):
            name, _, weight = part.strip().partition("=")
            if name not in OBJECTIVES or name in found:
                known = ", ".join(OBJECTIVES)
                raise InputError(f"--objective {text}: {name!r} is unknown, or is there twice; give one of {known}")
            found[name] = _weight(text, weight)
        if len(found) == 1:
            found = dict.fromkeys(found, 1.0)
        return Goal(tuple(sorted(found.items(), key=lambda each: OBJECTIVES.index(each[0]))))

    @staticmethod
    def of_unit(unit: str) -> "Goal":
        """Return the goal whose costs have a unit, as records state it."""
        return Goal.of(next((objective for objective, each in UNITS.items() if each == unit), unit))

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What has to be measured."""
        return tuple(each for each, _ in self.weights)

    def weight(self, objective: Objective) -> float:
        """The weight of one objective; 0 where it does not count."""
        return dict(self.weights).get(objective, 0.0)

    def without(self, objective: Objective) -> "Goal":
        """The same goal without one of several objectives; itself where there is no other one."""
        rest = tuple(each for each in self.weights if each[0] != objective)
        return Goal(rest) if rest else self

    def of_run(self, costs: Mapping[str, float], calls: int) -> float | None:
        """The cost of all `calls` calls of a kernel in one run, by what was measured: it takes its bytes once."""
        total = 0.0
        for objective, weight in self.weights:
            if UNITS[objective] not in costs:
                return None
            total += weight * costs[UNITS[objective]] * (calls if objective in PER_CALL else 1)
        return total

    @property
    def unit(self) -> str:
        """The unit of its costs in records."""
        if len(self.weights) == 1:
            return UNITS[self.weights[0][0]]
        return ",".join(f"{objective}={weight:g}" for objective, weight in self.weights)

    def cost(self, measured: Measurement, calls: int = 1) -> float | None:
        """The cost of one of `calls` calls of a kernel; None for a measurement that failed or lacks a unit."""
        if measured.error is not ErrorKind.NO_ERROR:
            return None
        return self.of_costs(measured.costs, calls)

    def of_costs(self, costs: Mapping[str, float], calls: int = 1) -> float | None:
        """The cost by what was measured, by unit."""
        if len(self.weights) == 1:
            return costs.get(self.unit)
        total = 0.0
        for objective, weight in self.weights:
            if UNITS[objective] not in costs:
                return None
            total += weight * costs[UNITS[objective]] / (1 if objective in PER_CALL else calls)
        return total


def _weight(text: str, weight: str) -> float:
    try:
        number = float(weight or 1)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise InputError(f"--objective {text}: {weight!r} is no weight; give positive numbers, instructions=1,flash=50")
    return number
