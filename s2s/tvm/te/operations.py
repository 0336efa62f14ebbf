"""Formulas of several values, reductions, and the operation that computes tensors by a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import Expr, IterVar, Number, Read, Tensor, TensorOp, walk


@frozen(eq=False, repr=False)
class Pack(Expr):
    """Several values at one point: what a formula of several tensors returns, or a reduction of tuples takes."""

    items: tuple[Expr, ...]

    @property
    def dtype(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The element type of the first value."""
        return self.items[0].dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.items

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Pack(operands)

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


class Slot(Expr):
    """A value that the combination of a reducer is written about."""

    def __init__(self, name: str, dtype: str) -> None:
        self.name, self.dtype = name, dtype

    def __repr__(self) -> str:
        return self.name


@frozen(eq=False)
class Reducer:
    """How two tuples of values become one: `results` are expressions of the slots `left` and `right`."""

    name: str
    left: tuple[Slot, ...]
    right: tuple[Slot, ...]
    results: tuple[Expr, ...]
    identity: tuple[Number, ...]
    """The values that change nothing, one for each slot."""


@frozen(eq=False, repr=False)
class Reduce(Expr):
    """The `sum`, `max` or `min` of `value` over loop variables, or what `reducer` makes of it."""

    kind: str
    value: Expr
    axes: tuple[IterVar, ...]
    reducer: Reducer | None = None

    @property
    def dtype(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The element type of the value."""
        return self.value.dtype

    @property
    def source(self) -> tuple[Expr, ...]:
        """The values that are reduced: one, or the fields of a tuple."""
        return items_of(self.value)

    @property
    def axis(self) -> tuple[IterVar, ...]:
        """The loop variables that it runs over."""
        return self.axes

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return self.of(operands[0], self.axes)

    def of(self, value: Expr, axes: tuple[IterVar, ...]) -> Reduce:
        """The same reduction of another value over other loops."""
        return Reduce(self.kind, value, axes, self.reducer)

    def __repr__(self) -> str:
        return f"{self.kind}({self.value}, axis={list(self.axes)})"


def items_of(expr: Expr) -> tuple[Expr, ...]:
    """The values that a formula gives at one point: a tuple's values, else the one."""
    if isinstance(expr, Reduce):
        return items_of(expr.value)
    return expr.items if isinstance(expr, Pack) else (expr,)


@frozen(eq=False)
class ComputeOp(TensorOp):
    """The operation of a tensor that `formula` computes at each point of `axis`."""

    formula: Expr
    tag: str = ""
    """What a program calls the kind of the operation."""
    attrs: Mapping[str, object] = field(default_factory=dict[str, object])
    """What a program keeps with the operation."""

    @property
    def reduce_axis(self) -> tuple[IterVar, ...]:
        """The loop variables of its reduction."""
        return self.formula.axes if isinstance(self.formula, Reduce) else ()

    @property
    def body(self) -> tuple[Expr, ...]:
        """The formula of each tensor that it makes; of one reduction of several values it is the same for all."""
        return (self.formula,) * self.num_outputs if isinstance(self.formula, Reduce) else items_of(self.formula)

    @property
    def input_tensors(self) -> tuple[Tensor, ...]:
        """The tensors that it reads, each once, in the order in which the formula names them."""
        return tuple(dict.fromkeys(each.tensor for each in walk(self.formula) if isinstance(each, Read)))

    @property
    def num_outputs(self) -> int:
        """The number of tensors that it makes: one for each value of its formula."""
        return len(items_of(self.formula))

    def output(self, index: int) -> Tensor:
        """One of the tensors that it makes."""
        return Tensor(tuple(each.extent for each in self.axis), items_of(self.formula)[index].dtype, self, index)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The tensors that it makes."""
        return tuple(map(self.output, range(self.num_outputs)))


def outputs_of(op: TensorOp) -> tuple[Tensor, ...]:
    """The tensors that an operation of formulas makes; none of another."""
    return op.outputs if isinstance(op, ComputeOp) else ()
