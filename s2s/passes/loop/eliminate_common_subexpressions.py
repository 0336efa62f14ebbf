"""Eliminate common subexpressions and dead code in linear time.

    %a = loop.load %x[%i] : memref<16xf32>, f32
    %b = loop.load %x[%i] : memref<16xf32>, f32
    %c = arith.addf %a, %b : f32
->
    %a = loop.load %x[%i] : memref<16xf32>, f32
    %c = arith.addf %a, %a : f32

An operation repeats another one if both are pure, or only read and nothing of their block is written in between.
Declined for operations that write, and for two reads in different blocks. It does what xDSL's `cse` and `dce` do, in
linear time: the effects of a nest are computed once, and a block is not searched for writes between two reads.
"""

from collections.abc import Hashable
from dataclasses import field
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove
from xdsl.transforms.common_subexpression_elimination import OperationInfo

from s2s.analysis.memory.effects import NOTHING, READ, Effects, erase_unused, is_terminator
from s2s.dialects.walk import operations
from s2s.support.mutable import mutable


class EliminateCommonSubexpressionsPass(ModulePass):
    name = "loop-eliminate-common-subexpressions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        effects = Effects()
        _Scope(effects, _Numbers()).simplify(op.body.block)
        erase_unused(op.body.block, effects)


class _Known(NamedTuple):
    """An operation that later ones may repeat, and its position in its block."""

    op: Operation
    block: Block
    position: int


@mutable
class _Scope:
    """The operations that are visible at the current operation."""

    effects: Effects
    numbers: "_Numbers"
    known: dict[Hashable, _Known] = field(default_factory=dict[Hashable, _Known])

    def simplify(self, block: Block) -> None:
        """Replace repeated operations, inner blocks first; then forget the operations of this block."""
        before: list[tuple[Hashable, _Known | None]] = []
        last_write = -1
        for position, op in enumerate(operations(block)):
            self._simplify_regions(op)
            if not is_terminator(type(op)):
                if self.effects.is_unused(op):
                    Rewriter.erase_op(op)
                    continue
                self._simplify(op, _Known(op, block, position), last_write, before)
            if self.effects.writes(op):
                last_write = position
        for key, known in reversed(before):
            if known is None:
                del self.known[key]
            else:
                self.known[key] = known

    def _simplify_regions(self, op: Operation) -> None:
        if not op.regions:
            return
        scope = (
            _Scope(self.effects, self.numbers) if op.has_trait(IsolatedFromAbove, value_if_unregistered=True) else self
        )
        for region in op.regions:
            if len(region.blocks) == 1:
                scope.simplify(region.block)

    def _simplify(
        self, op: Operation, found: _Known, last_write: int, before: list[tuple[Hashable, _Known | None]]
    ) -> None:
        """Replace `op` if it repeats a known operation; else record it."""
        kinds = self.effects.kinds(op)
        if kinds is None or not kinds <= READ or any(len(region.blocks) > 1 for region in op.regions):
            return
        key = self.numbers.meaning(op)
        known = self.known.get(key)
        if known is not None and (kinds == NOTHING or (known.block is found.block and known.position > last_write)):
            Rewriter.replace_op(op, [], known.op.results)
            return
        before.append((key, known))
        self.known[key] = found


@mutable
class _Numbers:
    """Numbers of attributes, equal for equal ones: hashing an attribute takes long, and most are shared objects."""

    by_identity: dict[int, int] = field(default_factory=dict[int, int])
    by_value: dict[Attribute, int] = field(default_factory=dict[Attribute, int])
    kept: list[Attribute] = field(default_factory=list[Attribute])
    """The attributes of `by_identity`: while they exist, no other object has their identity."""

    def of(self, attribute: Attribute) -> int:
        """Return the number of `attribute`."""
        number = self.by_identity.get(id(attribute))
        if number is None:
            number = self.by_value.setdefault(attribute, len(self.by_value))
            self.by_identity[id(attribute)] = number
            self.kept.append(attribute)
        return number

    def meaning(self, op: Operation) -> Hashable:
        """Return a key that is equal for operations that compute the same value from the same memory."""
        if op.regions:
            return OperationInfo(op)
        return (
            op.name,
            tuple([id(operand) for operand in op.operands]),
            frozenset([(name, self.of(value)) for name, value in op.properties.items()]),
            frozenset([(name, self.of(value)) for name, value in op.attributes.items()]),
            tuple([self.of(result.type) for result in op.results]),
        )
