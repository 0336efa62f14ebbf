"""What measuring a candidate gives: costs, or a kind of error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

Objective = Literal["instructions", "time", "flash", "ram"]
OBJECTIVES: tuple[Objective, ...] = ("instructions", "time", "flash", "ram")
UNITS: Mapping[Objective, str] = {
    "instructions": "instructions",
    "time": "seconds",
    "flash": "bytes of flash",
    "ram": "bytes of ram",
}
"""The units of records, by objective."""
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


@dataclass(frozen=True)
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

    def cost(self, objective: Objective) -> float | None:
        """The cost that counts; None for a measurement that failed."""
        return self.costs.get(UNITS[objective]) if self.error is ErrorKind.NO_ERROR else None
