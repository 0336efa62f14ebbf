"""What an operation says of the path of a run: what depends on data, which instructions it runs and where they access
memory.

An operation without the interface runs the same instructions at the same addresses for all data, given its operands
that are indices.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from s2s.dialects.operation import OpMeta


class Turn(NamedTuple):
    """A way in which the path of a run depends on data."""

    why: str
    """What the operation does then: `reads at positions that data give`."""
    on: Sequence[SSAValue] | None = None
    """It does so where one of these values comes from data; None if it always does."""
    repeats: bool = False
    """Whether data decide how often instructions run; else they choose between some, or addresses."""
    most: int | None = None
    """How often instructions run at most where they repeat; None if nobody knows."""


class PathInterface(Operation, metaclass=OpMeta):
    """An operation that may run other instructions, or access other addresses, for other data."""

    @abstractmethod
    def turns(self) -> Sequence[Turn]:
        """All ways in which the path depends on data."""


__all__ = ["PathInterface", "Turn"]
