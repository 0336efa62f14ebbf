"""Choose names for values from the hints of the lowering, unique where they are visible; steps of a sum share one."""

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i1, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.c_syntax.expressions import EXPRESSIONS
from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import c
from s2s.dialects.walk import operations, walk
from s2s.passes.c.name_temporaries.aliases import root_of
from s2s.passes.c.name_temporaries.placement import is_long_sum
from s2s.types.hints import isa

_COUNTERS = "ijklmn"
_ACCUMULATOR = re.compile(r"acc\d*")
"""The hint of what several accumulators begin with: where that is loaded, it is named after its buffer."""


class Scope:
    """The names visible in a block: its own names and the enclosing blocks' names.

    Blocks that stand side by side may use the same names, as loops of a hand-written function use `i` again and again.
    """

    def __init__(self, taken: frozenset[str], outer: "Scope | None" = None) -> None:
        self._taken = taken
        self._outer = outer
        self._own: set[str] = set()
        self.depth: int = 0 if outer is None else outer.depth + 1

    def inner(self) -> "Scope":
        """Return the scope of a block nested in this one."""
        return Scope(self._taken, self)

    def _is_free(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._own:
                return False
            scope = scope._outer
        return name not in self._taken

    def declare(self, wish: str) -> str:
        """Declare `wish`, or the nearest free name, and return it: `acc`, `acc2`, `acc3`; `x0`, `x0_2`; beside a
        parameter `x`: `x0`."""
        base = c_identifier(wish)
        name, count = base, -1 if self._outer is not None and base in self._outermost()._own else 1
        while not self._is_free(name):
            count += 1
            name = f"{base}_{count}" if base[-1].isdigit() else f"{base}{count}"
        self._own.add(name)
        return name

    def _outermost(self) -> "Scope":
        return self if self._outer is None else self._outer._outermost()

    def declare_numbered(self, base: str) -> str:
        """Declare the first free name of `t0`, `t1`, `t2`, and return it."""
        count = 0
        while not self._is_free(f"{base}{count}"):
            count += 1
        self._own.add(f"{base}{count}")
        return f"{base}{count}"

    def declare_value(self, value: SSAValue) -> str:
        """Declare a name for a temporary or a variable, and return it."""
        hint = readable_hint(value)
        if hint is None or (isinstance(value.owner, c.LoadOp) and _ACCUMULATOR.fullmatch(hint)):
            return self.declare_numbered(_kind(value))
        return self.declare(hint)

    def declare_counter(self, value: SSAValue) -> str:
        """Declare a name for a loop counter, and return it."""
        hint = readable_hint(value)
        if hint is not None:
            return self.declare(hint)
        free = next((letter for letter in _COUNTERS if self._is_free(letter)), None)
        return self.declare(free) if free is not None else self.declare_numbered("i")


def readable_hint(value: SSAValue) -> str | None:
    """The name hint of `value`, unless it is a number from a printer."""
    hint = value.name_hint
    return hint if hint is not None and re.search("[A-Za-z]", hint) else None


def _kind(value: SSAValue) -> str:
    """Return a name for an unnamed value: the name of the buffer it is loaded from, `sum`, or one by its type."""
    if isinstance(value.owner, c.LoadOp):
        root = root_of(value.owner.place).of
        if isinstance(root, BlockArgument) and (hint := readable_hint(root)) is not None:
            return c_identifier(hint).rstrip("0123456789") or "t"
    if isinstance(value.owner, c.BinaryOp) and is_long_sum(value.owner) and value.type == i32:
        return "sum"
    return _kind_of_type(value.type)


def _kind_of_type(type: Attribute) -> str:
    if isinstance(type, c.PtrType):
        return "p"
    if isinstance(type, IndexType):
        return "at"
    if type == i1:
        return "test"
    if isinstance(type, IntegerType):
        return "n"
    return "v" if isinstance(type, VectorType) else "t"


class Updates:
    """Finds values of a block that take the place of the value that they were computed from: steps of a sum.

        const int32_t acc0 = bias[n];                       int32_t acc0 = bias[n];
        const int32_t acc0_2 = dot(acc0, a0, b0);     ->    acc0 = dot(acc0, a0, b0);
        y[n] = acc0_2;                                      y[n] = acc0;

    Declined where the earlier value is read again later, or is in a variable that the block does not write in the end.
    """

    def __init__(self, block: Block, named: set[SSAValue], around: "Updates | None" = None) -> None:
        self.block, self.named, self.around = block, named, around
        self._positions = {op: position for position, op in enumerate(operations(block))}
        self._lets: dict[SSAValue, str | None] = {}
        """The values that have got a name so far, with the hint that the name is from."""
        self._variables: dict[str, c.VariableOp] = {}
        """The latest variable of the block for each hint."""

    def add(self, let: c.LetOp, hint: str | None) -> None:
        """Take note of the name of a value."""
        self._positions[let] = self._positions[_computed(let)]
        self._lets[let.result] = hint

    def reuse(self, op: c.VariableOp) -> bool:
        """Assign the first value of a variable to an earlier one of the same hint and type that nothing reads any more;
        return whether there is one. Accumulators of the next tile do not get names of their own."""
        hint, initial = op.result.name_hint, op.initial
        if hint is None or initial is None:
            return False
        earlier = self._unread(op, op, hint)
        if op.align is None and op.comment is None:
            self._variables[hint] = op
        if earlier is None:
            return False
        if earlier.parent is self.block:
            self._variables[hint] = earlier
        else:
            self._variables.pop(hint, None)
        assign = c.AssignOp(earlier.result, initial)
        self._positions[assign] = self._positions[op]
        Rewriter.replace_op(op, assign, [earlier.result])
        return True

    def _unread(self, op: c.VariableOp, at: Operation, hint: str) -> c.VariableOp | None:
        """Return the variable of the same hint and type as `op`, in this block or in one around it, that nothing reads
        any more from `at` on, the operation of this block that `op` is in."""
        earlier = self._variables.get(hint)
        if earlier is None:
            outer = self.block.parent_op()
            return None if self.around is None or outer is None else self.around._unread(op, outer, hint)
        same = earlier.result.type == op.result.type
        return earlier if same and self._is_over(earlier.result, self._positions[at]) else None

    def update(self, op: Operation) -> bool:
        """Assign the result of `op` to the variable of the value that it follows; return whether there is one."""
        value = op.results[0]
        if value.name_hint is None:
            return False
        places = (self._variable(leaf, value.name_hint, op) for leaf in self._leaves(op))
        place = next((place for place in places if place is not None), None)
        if place is None:
            return False
        assign, load = c.AssignOp(place, value), c.LoadOp(place)
        Rewriter.insert_op([assign, load], InsertPoint.after(op))
        self._positions[assign] = self._positions[load] = self._positions[op]
        value.replace_uses_with_if(load.result, lambda use: use.operation is not assign)
        return True

    def _leaves(self, op: Operation) -> Iterator[SSAValue]:
        """Yield the named values and the variables that the expression of `op` reads."""
        for operand in op.operands:
            owner = operand.owner
            if operand in self._lets or (isinstance(owner, c.LoadOp) and isinstance(owner.place.owner, c.VariableOp)):
                yield operand
            elif isinstance(owner, Operation) and type(owner) in EXPRESSIONS and owner.parent is self.block:
                yield from self._leaves(owner)

    def _variable(self, leaf: SSAValue, hint: str | None, op: Operation) -> SSAValue[c.LValueType] | None:
        """Return the variable of `leaf` if `op` may write it."""
        if leaf in self._lets:
            if self._lets[leaf] != hint or self._last(leaf) > self._positions[op] or leaf.type != op.results[0].type:
                return None
            return self._as_variable(leaf)
        assert isinstance(leaf.owner, c.LoadOp)
        place = leaf.owner.place
        assert isa(place, SSAValue[c.LValueType])
        fits = place.name_hint == hint and place.type.element == op.results[0].type
        return place if fits and self._is_overwritten(place, op) else None

    def _is_overwritten(self, place: SSAValue, op: Operation) -> bool:
        """Return whether nothing reads the variable `place` from `op` on, before something writes it or it ends."""
        here, uses = self._positions[op], [use.operation for use in place.uses]
        if not all(isinstance(use, c.LoadOp | c.AssignOp) for use in uses):
            return False
        inside = [use for use in uses if self._outer(use) is not None]
        writes = [self._positions[use] for use in inside if _sets(use) and use.parent is self.block]
        end = min((at for at in writes if at > here), default=len(self._positions))
        if place.owner not in self._positions and (end == len(self._positions) or self._leaves_between(here, end)):
            return False
        return all(self._reads_until(use, here, end) for use in inside)

    def _leaves_between(self, here: int, end: int) -> bool:
        """Return whether the block may be left between two positions."""
        between = [op for op, position in self._positions.items() if here < position < end and op.regions]
        return any(isinstance(inner, c.BreakOp | c.ReturnOp) for op in between for inner in walk(op))

    def _is_over(self, place: SSAValue, here: int) -> bool:
        """Return whether all uses of the variable `place` are before position `here`."""
        uses = [use.operation for use in place.uses]
        return all(
            isinstance(use, c.AssignOp | c.LoadOp)
            and self._at(use) < here
            and (isinstance(use, c.AssignOp) or self._last(use.results[0]) < here)
            for use in uses
        )

    def _reads_until(self, use: Operation, here: int, end: int) -> bool:
        """Return whether a use of a variable is over at position `here`, or begins behind `end`."""
        if isinstance(use, c.AssignOp):
            at = self._at(use)
            return at <= here or at >= end
        return self._last(use.results[0]) <= here or self._at(use) >= end

    def _as_variable(self, let: SSAValue) -> SSAValue[c.LValueType]:
        """Turn a named value into a variable, which may change."""
        op = let.owner
        assert isinstance(op, c.LetOp)
        variable = c.VariableOp(let.type, op.value, identifier=op.identifier.data)
        variable.result.name_hint = self._lets.pop(let)
        load = c.LoadOp(variable.result)
        self._positions[variable] = self._positions[load] = self._positions[op]
        Rewriter.replace_op(op, [variable, load], [load.result])
        return variable.result

    def _last(self, value: SSAValue) -> int:
        """Return the position of the last operation of the block that reads `value`, itself or by an expression."""
        last = -1
        for use in value.uses:
            user = use.operation
            last = max(last, self._last(user.results[0]) if self._is_inline(user) else self._at(user))
        return last

    def _is_inline(self, op: Operation) -> bool:
        """Return whether `op` is written where operations of the block use it."""
        if op.parent is not self.block or type(op) not in EXPRESSIONS or not op.results:
            return False
        return bool(op.results[0].uses) and op.results[0] not in self.named

    def _outer(self, op: Operation) -> Operation | None:
        """Return the operation of this block that is `op` or contains it; None if there is none."""
        step: Operation | None = op
        while step is not None and step.parent is not self.block:
            step = step.parent_op()
        return step

    def _at(self, op: Operation) -> int:
        outer = self._outer(op)
        assert outer is not None
        return self._positions[outer]


def _sets(op: Operation) -> bool:
    """Return whether `op` writes a variable without reading it."""
    return isinstance(op, c.AssignOp) and op.operator.data == "="


def _computed(let: c.LetOp) -> Operation:
    owner = let.value.owner
    assert isinstance(owner, Operation)
    return owner
