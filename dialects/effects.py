"""What operations with regions do to memory."""

from collections.abc import Set as AbstractSet

from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffectKind, RecursiveMemoryEffect, get_effects

_READS_AND_WRITES = frozenset(map(EffectInstance, (MemoryEffectKind.READ, MemoryEffectKind.WRITE)))


class NestedEffects(RecursiveMemoryEffect):
    """The effects of the operations inside.

    An operation that both reads and writes is neither moved, merged nor erased, whatever else it does: nothing is
    looked at behind the first operation that makes it one. A body is thousands of operations, and every loop around it
    asks.
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
                    found |= effects
                    if found >= _READS_AND_WRITES:
                        return _READS_AND_WRITES
        return found
