"""A measurer that makes up costs, for tests of tuners."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer


def made_up_cost(text: str) -> float:
    """A cost that only says which text it is of."""
    return 100.0 + Random(text).random()


@dataclass
class MadeUp(Measurer):
    """Costs without building anything."""

    fails: bool = False
    measured: list[Candidate] = field(default_factory=list[Candidate])
    interrupt_after: int | None = None

    def __post_init__(self) -> None:
        self.place = "qemu:m4"
        self.limits, self.parallel = Limits(), 1

    @property
    def compiler(self) -> str:
        return "none"

    def require(self) -> None:
        """Take any place."""

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        self.measured += candidates
        if self.interrupt_after is not None and len(self.measured) > self.interrupt_after:
            raise KeyboardInterrupt
        if self.fails:
            return [Measurement(error=ErrorKind.COMPILE_DEVICE) for _ in candidates]
        texts = [f"{getattr(each.task, 'key', '')} {each.decisions}" for each in candidates]
        return [Measurement({"instructions": made_up_cost(text)}) for text in texts]
