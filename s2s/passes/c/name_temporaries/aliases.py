"""Which writes a read must not move across.

Memory is told apart by the object it belongs to: two variables are different, a `restrict` pointer shares its object
with no other pointer, and what a call does, it does through the pointers it is handed.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, has_effects

from s2s.dialects import c


@dataclass(frozen=True)
class Root:
    """The object behind a place: a variable, what a parameter or a symbol points at, `None` for what is not known."""

    of: SSAValue | str | None


UNKNOWN = Root(None)


def root_of(value: SSAValue) -> Root:
    """The object that `value`, a place or a pointer, leads to."""
    while isinstance(op := value.owner, Operation):
        match op:
            case c.SubscriptOp() | c.MemberOp():
                value = op.base
            case c.AddressOfOp():
                value = op.place
            case c.CastOp():
                value = op.operand
            case c.LetOp():
                value = op.value
            case c.BinaryOp():
                value = op.lhs
            case c.SymbolOp():
                return Root(op.symbol.data)
            case c.VariableOp():
                return Root(value)
            case _:
                return UNKNOWN
    return Root(value)


def may_change(read: SSAValue, written: Root) -> bool:
    """Whether a write to `written` may change what is read at the place `read`."""
    seen = root_of(read)
    if _is_constant_table(read, seen):
        return False
    if seen == written:
        return True
    if _is_private(seen) or _is_private(written):
        return False
    if _is_variable(seen) and _is_variable(written):
        return False
    return not (_is_restrict(seen) or _is_restrict(written))


def _is_constant_table(place: SSAValue, root: Root) -> bool:
    """A global is not written while anyone reads it through a pointer to const: it is a weight or a table."""
    return isinstance(root.of, str) and isinstance(place.type, c.LValueType | c.PtrType) and place.type.is_const


def _is_variable(root: Root) -> bool:
    return isinstance(root.of, SSAValue) and isinstance(root.of.owner, c.VariableOp)


def _is_private(root: Root) -> bool:
    """A variable whose address goes nowhere."""
    if not _is_variable(root):
        return False
    assert isinstance(root.of, SSAValue)
    return not any(isinstance(use.operation, c.AddressOfOp) for use in root.of.uses)


def _is_restrict(root: Root) -> bool:
    """What a restrict pointer leads to is reached through no other root."""
    return isinstance(root.of, BlockArgument) and isinstance(root.of.type, c.PtrType) and root.of.type.is_restrict


@dataclass
class Writes:
    """The writes of a block, by the position of the operation of the block that does them."""

    block: Block
    positions: dict[Operation, int] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = {op: position for position, op in enumerate(self.block.ops)}

    @cached_property
    def by_root(self) -> dict[Root, list[int]]:
        """Positions in order, for each object written; a nested block's writes count where its operation stands."""
        found: dict[Root, list[int]] = {}
        for op, position in self.positions.items():
            for root in _written_by(op):
                found.setdefault(root, []).append(position)
        return found

    def between(self, read: SSAValue, first: int, last: int) -> bool:
        """Whether an operation behind `first` and up to and with `last` may change what is read at `read`."""
        return any(
            bisect_right(positions, first) < bisect_right(positions, last) and may_change(read, root)
            for root, positions in self.by_root.items()
        )


def _written_by(op: Operation) -> set[Root]:
    """What an operation writes, or those in its blocks do."""
    return {root for each in op.walk() for root in _written_at(each)} if op.regions else set(_written_at(op))


def _written_at(op: Operation) -> list[Root]:
    if isinstance(op, c.AssignOp):
        return [root_of(op.place)]
    if isinstance(op, c.CallOp) and has_effects(op, MemoryEffectKind.WRITE):
        return [root_of(argument) for argument in pointers(op) if not _leads_to_const(argument)]
    return []


def pointers(op: c.CallOp) -> list[SSAValue]:
    """The arguments through which a call reaches memory."""
    return [argument for argument in op.arguments if isinstance(argument.type, c.PtrType)]


def _leads_to_const(pointer: SSAValue) -> bool:
    return isinstance(pointer.type, c.PtrType) and pointer.type.is_const
