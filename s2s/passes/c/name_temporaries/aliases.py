"""Find the writes that a read of memory must not be moved across.

Memory is told apart by the object it belongs to: two variables are different, a `restrict` pointer shares its object
with no other pointer, and what a call does, it does through the pointers it is handed.
"""

from bisect import bisect_right
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from s2s.dialects import c
from s2s.dialects.walk import operations, walk
from s2s.support.mutable import mutable


class Root(NamedTuple):
    """The memory object that a place designates: a variable, or the target of a parameter or a symbol; `None` if it is
    unknown."""

    of: SSAValue | str | None


UNKNOWN = Root(None)


def root_of(value: SSAValue) -> Root:
    """Return the memory object that `value`, a place or a pointer, designates."""
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


def _is_constant_table(place: SSAValue, root: Root) -> bool:
    """Return whether the object is a global that is read through a pointer to const, a weight or a table: nothing
    writes it."""
    return isinstance(root.of, str) and isinstance(place.type, c.LValueType | c.PtrType) and place.type.is_const


def _is_variable(root: Root) -> bool:
    return isinstance(root.of, SSAValue) and isinstance(root.of.owner, c.VariableOp)


def _is_private(root: Root) -> bool:
    """Return whether the object is a variable whose address is not taken."""
    if not _is_variable(root):
        return False
    assert isinstance(root.of, SSAValue)
    return not any(isinstance(use.operation, c.AddressOfOp) for use in root.of.uses)


def _is_apart(root: Root) -> bool:
    """Return whether the object is accessed by its own name only."""
    return _is_restrict(root) or _is_private(root)


def _is_restrict(root: Root) -> bool:
    """Return whether the object is the target of a `restrict` pointer, which no other pointer aliases."""
    return isinstance(root.of, BlockArgument) and isinstance(root.of.type, c.PtrType) and root.of.type.is_restrict


@mutable
class Writes:
    """The writes in a block, each with the position of the operation of the block that contains it."""

    block: Block
    positions: dict[Operation, int] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = {op: position for position, op in enumerate(operations(self.block))}

    @cached_property
    def by_root(self) -> dict[Root, list[int]]:
        """Return the positions of the writes to each object, in order; a write in a nested block has the position of
        the operation that holds the block."""
        found: dict[Root, list[int]] = {}
        for op, position in self.positions.items():
            for root in _written_by(op):
                found.setdefault(root, []).append(position)
        return found

    @cached_property
    def shared(self) -> list[Root]:
        """Return the written objects that other names may alias."""
        return [root for root in self.by_root if not _is_apart(root)]

    def between(self, read: SSAValue, first: int, last: int) -> bool:
        """Return whether an operation behind `first`, up to and including `last`, may change what is read at `read`."""
        if first >= last:
            return False
        seen = root_of(read)
        if _is_constant_table(read, seen):
            return False
        if self._is_written(seen, first, last):
            return True
        if _is_apart(seen):
            return False
        is_variable = _is_variable(seen)
        return any(
            self._is_written(root, first, last) for root in self.shared if not (is_variable and _is_variable(root))
        )

    def _is_written(self, root: Root, first: int, last: int) -> bool:
        positions = self.by_root.get(root, ())
        return bisect_right(positions, first) < bisect_right(positions, last)


def _written_by(op: Operation) -> set[Root]:
    """Return the places that an operation, or an operation nested in it, writes."""
    return {root for each in walk(op) for root in _written_at(each)} if op.regions else set(_written_at(op))


def _written_at(op: Operation) -> list[Root]:
    if isinstance(op, c.AssignOp):
        return [root_of(op.place)]
    if isinstance(op, c.CallOp) and op.may_write:
        return [root_of(argument) for argument in pointers(op) if not _leads_to_const(argument)]
    return []


def pointers(op: c.CallOp) -> list[SSAValue]:
    """Return the pointer arguments of a call, through which it accesses memory."""
    return [argument for argument in op.arguments if isinstance(argument.type, c.PtrType)]


def _leads_to_const(pointer: SSAValue) -> bool:
    return isinstance(pointer.type, c.PtrType) and pointer.type.is_const
