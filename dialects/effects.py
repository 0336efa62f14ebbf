"""What operations say of their effects: on memory where they have regions, and on the path of a run.

The path is which instructions run, and which addresses they access. An operation without `PathInterface` runs the same
instructions at the same addresses for all data, given its operands that are indices.
"""

from abc import abstractmethod
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffectKind, RecursiveMemoryEffect, get_effects

from s2s.dialects.operation import OpMeta

_READS_AND_WRITES = frozenset(map(EffectInstance, (MemoryEffectKind.READ, MemoryEffectKind.WRITE)))


class NestedEffects(RecursiveMemoryEffect):
    """Gives an operation the kinds of effects of the operations nested in it, on unknown buffers.

    An operation that both reads and writes is neither moved, merged nor erased, whatever else it does, so the search
    ends at the first operation that makes it one: a body is thousands of operations, and every loop around it asks.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance] | None:
        found = set[EffectInstance]()
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    effects = get_effects(inner)
                    if effects is None:
                        return None
                    found.update(EffectInstance(effect.kind) for effect in effects)
                    if found >= _READS_AND_WRITES:
                        return _READS_AND_WRITES
        return found


class Turn(NamedTuple):
    """A way in which the path of a run depends on data."""

    why: str
    """What the operation does then: `reads at positions that data give`."""
    on: Sequence[SSAValue] | None = None
    """It does so where one of these values comes from data; None if it always does."""
    repeats: bool = False
    """Whether data decide how often instructions run; else they choose between some, or addresses."""
    most: int | None = None
    """How often instructions run at most where they repeat, or where data choose them; None if nobody knows."""
    stands_alone: bool = False
    """Whether a loop of them stands in no other one: it then asks once more than it turns, not once more each time."""

    @property
    def questions(self) -> int:
        """How often a loop asks whether to turn again."""
        turns = self.most or 0
        return turns + 1 if self.stands_alone else 2 * turns


class PathInterface(Operation, metaclass=OpMeta):
    """An operation that may run other instructions, or access other addresses, for other data."""

    @abstractmethod
    def turns(self) -> Sequence[Turn]:
        """All ways in which the path depends on data."""
