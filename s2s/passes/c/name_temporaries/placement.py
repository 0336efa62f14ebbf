"""Decide which values are printed as expressions where they are used, and which are assigned to a named variable."""

from typing import NamedTuple

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, SSAValue

from s2s.c_syntax.expressions import EXPRESSIONS
from s2s.c_syntax.literals import literal
from s2s.dialects import c
from s2s.dialects.walk import operations
from s2s.passes.c.name_temporaries.aliases import Writes, pointers

MAX_LINE_LENGTH = 88
"""Characters, by a rough count, that an expression may have before a part of it gets a name."""
MAX_SUM_LENGTH = 300
"""The same for a sum, which a reader takes in term by term over some lines."""

_WORTH_A_NAME = 16
_PLACES = (c.SubscriptOp, c.MemberOp)
_SHORT = 4


class Printing(NamedTuple):
    """The places where an unnamed value is printed: how often, up to which operation of its block, whether in a loop,
    which would compute it again in every iteration, and whether in an arm of a conditional expression, which may not
    compute it at all."""

    times: int
    last: int
    nested: bool
    repeated: bool
    in_arm: bool


def named_values(block: Block) -> set[SSAValue]:
    """Return the values computed by the operations of `block` itself that are assigned to a named variable."""
    placement = _Placement(block)
    ops = operations(block)
    for op in reversed(ops):
        if type(op) in EXPRESSIONS and op.results:
            placement.decide(op)
    for op in ops:
        placement.shorten(op)
    return placement.named


class _Placement:
    """The decisions for one block. Users are decided before what they use, as they say where it is printed."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.writes = Writes(block)
        self.named: set[SSAValue] = set()
        self._printings: dict[SSAValue, Printing] = {}
        self._lengths: dict[SSAValue, int] = {}

    def decide(self, op: Operation) -> None:
        """Name the result of `op`, or note where it is printed."""
        value = op.results[0]
        printing = self._printing(value)
        if not isinstance(op, _PLACES) and self._wants_name(op, printing):
            self.named.add(value)
        else:
            self._printings[value] = printing

    def _printing(self, value: SSAValue) -> Printing:
        """Return the places where `value` is printed if it has no name."""
        times, last, nested, repeated, in_arm = 0, -1, False, False, False
        for use in value.uses:
            user = use.operation
            in_arm |= isinstance(user, c.ConditionalOp) and use.index > 0
            inlined = self._printings.get(user.results[0]) if user.results and type(user) in EXPRESSIONS else None
            if inlined is not None:
                times += inlined.times
                last = max(last, inlined.last)
                nested |= inlined.nested
                repeated |= inlined.repeated
                in_arm |= inlined.in_arm
                continue
            outer = self._in_block(user)
            last = max(last, self.writes.positions[outer])
            if outer is user:
                times += 1
                repeated |= isinstance(user, c.ForOp) and use.index == 1
                continue
            times += _times_printed_elsewhere(user)
            nested = True
            repeated |= _repeats(user, use.index, outer)
        return Printing(times, last, nested, repeated, in_arm)

    def _in_block(self, user: Operation) -> Operation:
        """Return the operation of this block that is `user` or contains it."""
        while user.parent is not self.block:
            parent = user.parent_op()
            assert parent is not None
            user = parent
        return user

    def _wants_name(self, op: Operation, printing: Printing) -> bool:
        if isinstance(op, c.LiteralOp | c.SymbolOp) or _is_constant(op) or _is_fixed_offset(op):
            return False
        if isinstance(op, c.CallOp) and op.may_write:
            return bool(op.results[0].uses) and not _hands_on(op)
        if isinstance(op, c.CallOp) and _is_step_of_a_sum(op):
            return True
        if isinstance(op, c.AddressOfOp) and isinstance(op.place.owner, c.VariableOp | c.MemberOp):
            return False
        here = self.writes.positions[op]
        last = printing.last if printing.nested or printing.repeated else printing.last - 1
        if any(self.writes.between(place, here, last) for place in _read_by(op)):
            return True
        if isinstance(op, c.LoadOp) and isinstance(op.place.owner, c.VariableOp):
            return False
        if isinstance(op, c.LoadOp) and printing.in_arm:
            return True
        if printing.repeated:
            return printing.nested or not _is_simple(op)
        return printing.times > 1

    def shorten(self, op: Operation) -> None:
        """Measure the expression of `op`; while it is too long, name the longest of its operands.

        What a statement consists of stays: its parts are short enough by now, and a list of arguments breaks well.
        """
        operands, own = tuple(op.operands), _own_length(op)
        while True:
            lengths = [self._length(operand) for operand in operands]
            total = own + sum(lengths)
            if total <= MAX_LINE_LENGTH or not op.results or (total <= MAX_SUM_LENGTH and is_long_sum(op)):
                break
            candidates = [
                (length, operand)
                for operand, length in zip(operands, lengths, strict=True)
                if length > _WORTH_A_NAME and operand in self._printings and not isinstance(operand.owner, _PLACES)
            ]
            if not candidates:
                break
            self._name(max(candidates, key=lambda candidate: candidate[0])[1])
        for result in op.results:
            self._lengths[result] = total

    def _name(self, value: SSAValue) -> None:
        self.named.add(value)
        del self._printings[value]

    def _length(self, value: SSAValue) -> int:
        """Return the number of characters that `value` takes where it is used."""
        return self._lengths.get(value, _SHORT) if value in self._printings else _SHORT


def _is_constant(op: Operation) -> bool:
    """Return whether a call takes nothing but literals, as a vector of one number does, which reads as well as a
    literal."""
    return (
        isinstance(op, c.CallOp)
        and op.pure is not None
        and all(isinstance(argument.owner, c.LiteralOp) for argument in op.arguments)
    )


def _is_step_of_a_sum(op: c.CallOp) -> bool:
    """Return whether a sum of products of an instruction, a scalar or one of rows in registers, is used by others than
    the next statement: the steps of several sums keep their order, up to the last, so that a core with few registers
    holds the factors of one step only."""
    of_rows = any(isinstance(argument.type, c.NamedType) for argument in op.arguments)
    if op.intrinsic is None or (isinstance(op.result_types[0], VectorType) and not of_rows):
        return False
    return not all(use.operation is op.next_op and isinstance(op.next_op, c.AssignOp) for use in op.results[0].uses)


def _is_fixed_offset(op: Operation) -> bool:
    """Return whether `op` adds a constant to a pointer, `a + 1024`, which is more readable than a name."""
    return (
        isinstance(op, c.BinaryOp)
        and isinstance(op.result.type, c.PtrType)
        and isinstance(op.lhs.owner, c.LetOp | Block)
        and isinstance(op.rhs.owner, c.LiteralOp)
    )


def _read_by(op: Operation) -> list[SSAValue]:
    """Return the places whose contents `op` reads."""
    if isinstance(op, c.LoadOp):
        return [op.place]
    return pointers(op) if isinstance(op, c.CallOp) and op.reads is not None else []


def _times_printed_elsewhere(user: Operation) -> int:
    """Return how often an expression of an inner block is printed: a place is printed once for each operation that
    reads or writes it."""
    if not isinstance(user, (*_PLACES, c.AddressOfOp)):
        return 1
    return sum(_times_printed_elsewhere(use.operation) for use in user.results[0].uses)


def _repeats(user: Operation, operand: int, outer: Operation) -> bool:
    """Return whether a loop evaluates the operand of `user` again in every iteration."""
    if isinstance(user, c.ForOp) and operand == 1:
        return True
    step: Operation | None = user
    while step is not None and step is not outer:
        step = step.parent_op()
        if isinstance(step, c.ForOp | c.LoopOp):
            return True
    return False


def _hands_on(op: c.CallOp) -> bool:
    """Return whether the next statement uses the result unmodified."""
    (use, *others) = op.results[0].uses
    return not others and use.operation is op.next_op and isinstance(use.operation, c.ReturnOp | c.LetOp)


def _is_simple(op: Operation) -> bool:
    """Return whether the expression has one operator on names and literals, as the bound of a loop may have."""
    return isinstance(op, c.BinaryOp | c.UnaryOp) and not any(
        isinstance(operand.owner, c.LoadOp | c.CallOp) for operand in op.operands
    )


def is_long_sum(op: Operation) -> bool:
    """Return whether `op` adds one more term to a sum; false for the sum of a loop, whose steps keep the order of their
    products."""
    if not _is_sum(op) or not isinstance(op.operands[0].owner, Operation) or not _is_sum(op.operands[0].owner):
        return False
    first = op.operands[0]
    while isinstance(first.owner, c.BinaryOp):
        first = first.owner.lhs
    return not (isinstance(first.owner, c.LoadOp) and isinstance(first.owner.place.owner, c.VariableOp))


def _is_sum(op: Operation) -> bool:
    return isinstance(op, c.BinaryOp) and op.operator.data == "+" and not isinstance(op.result.type, c.PtrType)


def _own_length(op: Operation) -> int:
    """Return roughly the number of characters that an operation adds to the characters of its operands."""
    match op:
        case c.CallOp():
            return len(op.callee.data) + 2 * len(op.arguments)
        case c.LiteralOp():
            return len(literal(op.value))
        case c.SymbolOp():
            return len(op.symbol.data)
        case c.CastOp():
            return 10
        case c.ConditionalOp():
            return 6
        case c.LoadOp() | c.AddressOfOp():
            return 0
        case _:
            return 3
