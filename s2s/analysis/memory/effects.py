"""Cache the kinds of memory effects of operations.

xDSL computes the effects of a loop from those of all nested operations on every query, and every enclosing loop repeats
that, which takes time quadratic in the depth of a nest.
"""

from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cache

from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from s2s.dialects.walk import operations
from s2s.support.mutable import mutable

Kinds = frozenset[MemoryEffectKind]
NOTHING: Kinds = frozenset()
READ: Kinds = frozenset({MemoryEffectKind.READ})


@mutable
class Effects:
    """A cache of the memory effects of operations. An entry stays valid until a region of its operation gains an
    operation with other effects."""

    _found: dict[Operation, Kinds | None] = field(default_factory=dict[Operation, Kinds | None])

    def kinds(self, op: Operation) -> Kinds | None:
        """Return the kinds of effects of `op`; None if they are unknown."""
        if _has_none(type(op)):
            return NOTHING
        try:
            return self._found[op]
        except KeyError:
            self._found[op] = kinds = self._compute(op)
            return kinds

    def writes(self, op: Operation) -> bool:
        """Return whether `op` may write memory."""
        kinds = self.kinds(op)
        return kinds is None or MemoryEffectKind.WRITE in kinds

    def is_unused(self, op: Operation) -> bool:
        """Return whether the results of `op` are unused and it has no effect but reads."""
        for result in op.results:
            if result.first_use is not None:
                return False
        if not _may_be_unused(type(op)):
            return False
        kinds = self.kinds(op)
        return kinds is not None and (kinds <= READ or (MemoryEffectKind.ALLOC in kinds and is_trivially_dead(op)))

    def _compute(self, op: Operation) -> Kinds | None:
        if not _is_recursive(type(op)):
            effects = effects_of(op)
            return frozenset([effect.kind for effect in effects]) if effects is not None else None
        found: Kinds = NOTHING
        for inner in (self.kinds(each) for region in op.regions for block in region.blocks for each in block.ops):
            if inner is None:
                return None
            found |= inner
        return found


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """Return the effects of an operation, as xDSL's `get_effects` does but without iterating over all its traits on
    every call."""
    interfaces = _interfaces(type(op))
    return interfaces[0].get_effects(op) if len(interfaces) == 1 else get_effects(op)


def erase_unused(block: Block, effects: Effects) -> None:
    """Erase operations whose results are unused and which have no effect but reads; users go before what they use."""
    for op in reversed(operations(block)):
        for region in op.regions:
            for inner in region.blocks:
                erase_unused(inner, effects)
        if effects.is_unused(op):
            Rewriter.erase_op(op)


@cache
def is_terminator(kind: type[Operation]) -> bool:
    """Return whether operations of this class terminate their block."""
    return kind.has_trait(IsTerminator)


@cache
def _may_be_unused(kind: type[Operation]) -> bool:
    return not kind.has_trait(IsTerminator) and not kind.has_trait(SymbolOpInterface)


@cache
def _has_none(kind: type[Operation]) -> bool:
    """Return whether operations of this class only compute."""
    return [type(each) for each in _interfaces(kind)] in ([Pure], [NoMemoryEffect])


@cache
def _is_recursive(kind: type[Operation]) -> bool:
    """Return whether operations of this class have the effects of the operations nested in them."""
    return any(isinstance(each, RecursiveMemoryEffect) for each in _interfaces(kind))


@cache
def _interfaces(kind: type[Operation]) -> tuple[MemoryEffect, ...]:
    return tuple(kind.get_traits_of_type(MemoryEffect))
