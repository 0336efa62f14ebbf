"""Memory effects of operations with regions."""

from collections.abc import Set as AbstractSet

from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffectKind, RecursiveMemoryEffect, get_effects

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
