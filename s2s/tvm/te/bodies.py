"""Expressions as scalar regions of `tensor.compute`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.dialects import graph, tensor
from s2s.passes.graph.lower_to_tensor.compute import Operand, access_of, at, structured
from s2s.passes.graph.lower_to_tensor.conversion import limits, widened
from s2s.passes.graph.lower_to_tensor.elementwise import FUNCTIONS
from s2s.passes.graph.lower_to_tensor.scalars import (
    ADD,
    AND,
    DIV,
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    MUL,
    NOT_EQUAL,
    OR,
    POWER,
    REM,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SUB,
    XOR,
    Scalar,
    Scalars,
)
from s2s.tvm.te.expressions import Binary, Call, Cast, Const, Expr, IterVar, Read, Select, Var, walk
from s2s.tvm.te.intrinsics import Intrinsic, lowered
from s2s.tvm.te.loops import Loops, affine, reads_of
from s2s.tvm.te.nests import Nest
from s2s.tvm.te.neutral import adds_nothing_without
from s2s.tvm.te.operations import Reduce, Slot, items_of
from s2s.tvm.te.sizes import greatest_of, size_of
from s2s.types.dtypes import from_numpy

COMPARISONS = {
    "<": LESS, "<=": LESS_EQUAL, ">": GREATER, ">=": GREATER_EQUAL, "==": EQUAL, "!=": NOT_EQUAL,
}  # fmt: skip
CHOICES = {
    "+": ADD, "-": SUB, "*": MUL, "/": DIV, "quo": DIV, "rem": REM, "pow": POWER, "and": AND, "or": OR,
    "&": AND, "|": OR, "^": XOR, "<<": SHIFT_LEFT, ">>": SHIFT_RIGHT,
}  # fmt: skip
UNARY = {
    "acos": graph.AcosOp,
    "acosh": graph.AcoshOp,
    "asin": graph.AsinOp,
    "asinh": graph.AsinhOp,
    "atan": graph.AtanOp,
    "atanh": graph.AtanhOp,
    "ceil": graph.CeilOp,
    "cos": graph.CosOp,
    "cosh": graph.CoshOp,
    "erf": graph.ErfOp,
    "exp": graph.ExpOp,
    "floor": graph.FloorOp,
    "log": graph.LogOp,
    "nearbyint": graph.RoundOp,
    "rsqrt": graph.RsqrtOp,
    "sigmoid": graph.SigmoidOp,
    "sin": graph.SinOp,
    "sinh": graph.SinhOp,
    "sqrt": graph.SqrtOp,
    "tan": graph.TanOp,
    "tanh": graph.TanhOp,
}
STARTS: Mapping[str, Callable[[Attribute], int | float]] = {
    "sum": lambda element: 0,
    "max": lambda element: limits(element)[0],
    "min": lambda element: limits(element)[1],
}
Values = Mapping[object, SSAValue]
"""The value of each tensor by its key."""


def element_of(dtype: str) -> Attribute:
    """The element type that numpy calls `dtype`."""
    return from_numpy(np.dtype(dtype))


def computation(nest: Nest, loops: Loops, values: Values) -> tensor.ComputeOp:
    """The computation of a nest, without its schedule."""
    reduction = nest.reduction
    operands = _Operands(loops, values, reduction)
    tables = _tables(nest, operands)
    count = len(tables)
    reads: Sequence[Operand] = ()
    inits: list[tuple[int | float, Attribute]] = []
    body = None
    if reduction is not None:
        reads, number = operands.of(reduction.value, inside=True)
        inits = _inits(reduction)
        whole = reduction

        def step(s: Scalars, *arguments: Scalar) -> tuple[Scalar, ...]:
            taken, accumulators = arguments[: len(number)], arguments[len(number) : len(number) + len(inits)]
            known = dict(zip(number, taken, strict=True))
            writer = _Writer(loops, s, known, dict(zip(tables, arguments[len(arguments) - count :], strict=True)))
            return _folded(writer, whole, accumulators, tuple(map(writer.scalar, items_of(whole.value))))

        body = step
    epilogue = nest.epilogue
    arguments, numbers = operands.of(epilogue, inside=False, folded=nest.folded) if epilogue is not None else ((), [])

    def finish(s: Scalars, *arguments: Scalar) -> tuple[Scalar, ...]:
        if epilogue is None:
            return arguments[: len(inits)]
        end = len(arguments) - count
        found: dict[Expr, Scalar] = dict(zip(numbers, arguments[len(inits) : end], strict=True))
        if nest.folded is not None:
            folded = [each for each in reads_of(epilogue) if each.tensor.op is nest.folded.op]
            found |= {each: arguments[each.tensor.value_index] for each in folded}
        writer = _Writer(loops, s, found, dict(zip(tables, arguments[end:], strict=True)))
        return tuple(map(writer.scalar, items_of(epilogue)))

    sizes = loops.sizes
    return structured(
        sizes[: loops.rank],
        sizes[loops.rank :],
        reads=reads,
        epilogue=arguments,
        tables=[values[key] for key in tables],
        inits=inits,
        reduce=body,
        apply=finish,
        element=[element_of(each.dtype) for each in nest.outputs],
        names=loops.names,
        shape=[greatest_of(size, loops.bind) for size in nest.tensor.shape],
    )


def _inits(reduction: Reduce) -> list[tuple[int | float, Attribute]]:
    """The numbers that the accumulators start from, with their types."""
    kinds = [widened(element_of(each.dtype)) for each in items_of(reduction.value)]
    if reduction.reducer is None:
        return [(STARTS[reduction.kind](kind), kind) for kind in kinds]
    return list(zip(reduction.reducer.identity, kinds, strict=True))


def _folded(
    writer: "_Writer", reduction: Reduce, accumulators: Sequence[Scalar], values: Sequence[Scalar]
) -> tuple[Scalar, ...]:
    """The accumulators after one more step."""
    reducer, s = reduction.reducer, writer.scalars
    if reducer is not None:
        slots = dict(zip((*reducer.left, *reducer.right), (*accumulators, *values), strict=True))
        return tuple(map(writer.knowing(slots).scalar, reducer.results))
    (acc,), (value,) = accumulators, values
    if reduction.kind == "sum":
        return (acc + value,)
    return (s.maximum(acc, value) if reduction.kind == "max" else s.minimum(acc, value),)


def _tables(nest: Nest, operands: "_Operands") -> list[object]:
    """The keys of the tensors that are read at places which the values of others give."""
    parts = [part for part in (nest.reduction, nest.epilogue) if part is not None]
    reads = [each for part in parts for each in reads_of(part) if operands.is_computed(each)]
    return list(dict.fromkeys(each.tensor.key for each in reads))


class _Operands:
    """Finds the operands that expressions read, and the accesses to them.

    A reduction skips points at which an operand is read outside of its tensor. Where such a point counts, the element
    is taken out of the whole tensor, as at a computed place.
    """

    def __init__(self, loops: Loops, values: Values, reduction: Reduce | None) -> None:
        self._loops, self._values = loops, values
        self._counting: list[Read] = []
        if reduction is not None:
            self._counting = [
                read
                for read in reads_of(reduction)
                if not self.is_computed(read)
                and self._is_guarded(read, inside=True)
                and _is_optional(read, reduction.value)
                and not adds_nothing_without(reduction, read)
            ]

    def of(self, expr: Expr, *, inside: bool, folded: object | None = None) -> tuple[list[Operand], list[Read]]:
        """The operands of `expr` with the read that each stands for; `inside` of a reduction none may be missed."""
        own = getattr(folded, "op", None)
        operands: list[Operand] = []
        reads: list[Read] = []
        for each in walk(expr):
            if not isinstance(each, Read) or each.tensor.op is own or self.is_computed(each):
                continue
            if self._is_guarded(each, inside=inside) and not _is_optional(each, expr):
                raise self._loops.nest.refusal(
                    f"{each} leaves {each.tensor.name} at some points; read it inside of te.if_then_else"
                )
            operands.append(self._operand(each))
            reads.append(each)
        return operands, reads

    def is_computed(self, read: Read) -> bool:
        """Whether an element is taken out of the whole tensor: its place is computed from values, or it counts where it
        is outside."""
        is_indirect = any(isinstance(part, Read) for index in read.indices for part in walk(index))
        return is_indirect or any(read is other for other in self._counting)

    def _is_guarded(self, read: Read, *, inside: bool) -> bool:
        """Whether a read leaves its tensor at some points."""
        return access_of(self._operand(read), self._bounds(inside)).is_guarded

    def _bounds(self, inside: bool) -> list[int]:
        sizes = self._loops.sizes
        return sizes if inside else sizes[: self._loops.rank]

    def _operand(self, read: Read) -> Operand:
        indices = [affine(index, self._loops) for index in read.indices]
        known = [index for index in indices if index is not None]
        if len(known) < len(indices):
            raise self._loops.nest.refusal(
                f"{read}: an index is a sum of multiples of loop variables, divided or not by numbers; compute others "
                "with s2s.tvm.relay's take or gather_nd"
            )
        if read.tensor.key not in self._values:
            raise self._loops.nest.refusal(
                f"{read}: {read.tensor.name} is computed inside of another stage; compute it at a loop around all that "
                "read it"
            )
        return at(self._values[read.tensor.key], *known)


def _is_optional(read: Read, expr: Any) -> bool:
    """Whether a read stands on a side of a choice."""
    choices = [part for part in walk(expr) if isinstance(part, Select)]
    sides = [side for choice in choices for side in (choice.true_value, choice.false_value)]
    return any(part is read for side in sides for part in walk(side))


class _Writer:
    """Writes an expression into a region; `known` are the scalars of its reads."""

    def __init__(
        self, loops: Loops, s: Scalars, known: Mapping[Any, Scalar], tables: Mapping[Any, Scalar] | None = None
    ) -> None:
        self._loops, self._s, self._known, self._tables = loops, s, known, tables or {}

    @property
    def scalars(self) -> Scalars:
        """The region that is written."""
        return self._s

    def knowing(self, known: Mapping[Any, Scalar]) -> "_Writer":
        """A writer into the same region that knows more scalars."""
        return _Writer(self._loops, self._s, {**self._known, **known}, self._tables)

    def scalar(self, expr: Expr) -> Scalar:
        """The value of `expr`."""
        s = self._s
        match expr:
            case Read() if expr not in self._known:
                return self._taken(expr)
            case Read() | Slot():
                return self._known[expr]
            case Const():
                return s.constant(expr.value, widened(element_of(expr.dtype)))
            case Var():
                return s.constant(size_of(expr, self._loops.bind), i32)
            case IterVar():
                return self._index(self._loops.index(expr))
            case Cast():
                return s.cast(self.scalar(expr.x), widened(element_of(expr.dtype)))
            case Select():
                return s.select(
                    self.scalar(expr.condition), self.scalar(expr.true_value), self.scalar(expr.false_value)
                )
            case Call():
                return FUNCTIONS[UNARY[expr.function]](s, self.scalar(expr.x))
            case _:
                return self._operation(expr)

    def _operation(self, expr: Expr) -> Scalar:
        """The value of an operation of two values, or of a call by name."""
        match expr:
            case Intrinsic():
                return self.scalar(lowered(expr))
            case Binary():
                return self._binary(expr.sign, self.scalar(expr.a), self.scalar(expr.b))
            case _:
                raise self._loops.nest.refusal(f"{expr}: stands inside of a formula; compute it as a tensor of its own")

    def _taken(self, read: Read) -> Scalar:
        """The element at a computed place, which is clipped so that it is one of the tensor."""
        s = self._s
        table = self._tables[read.tensor.key]
        places: list[Scalar] = []
        for index, size in zip(read.indices, read.tensor.shape, strict=True):
            place, last = self.scalar(index), size_of(size, self._loops.bind) - 1
            places.append(s.minimum(s.maximum(place, s.like(place, 0)), s.like(place, last)))
        return s.extract(table, places)

    def _binary(self, sign: str, a: Scalar, b: Scalar) -> Scalar:
        s = self._s
        if sign in COMPARISONS:
            return s.compare(COMPARISONS[sign], a, b)
        if sign in CHOICES:
            return s.binary(CHOICES[sign], a, b)
        match sign:
            case "//":
                return self._floor(a, b)
            case "%":
                return a - self._floor(a, b) * b
            case "max":
                return s.maximum(a, b)
            case _:
                return s.minimum(a, b)

    def _floor(self, a: Scalar, b: Scalar) -> Scalar:
        """`a / b` rounded down, as Python's integers."""
        s = self._s
        quotient, rest = s.binary(DIV, a, b), s.binary(REM, a, b)
        apart = s.binary(AND, s.not_equal(rest, 0), s.not_equal(s.cast(s.less(rest, 0), i1), s.less(b, 0)))
        return s.select(apart, quotient - 1, quotient)

    def _index(self, expr: AffineExpr) -> Scalar:
        """An affine expression of the dimensions as an `i32`."""
        match expr:
            case AffineConstantExpr():
                return self._s.constant(expr.value, i32)
            case AffineDimExpr():
                return self._s.position(expr.position)
            case AffineBinaryOpExpr():
                signs = {
                    AffineBinaryOpKind.Add: "+",
                    AffineBinaryOpKind.Mul: "*",
                    AffineBinaryOpKind.FloorDiv: "//",
                    AffineBinaryOpKind.Mod: "%",
                }
                return self._binary(signs[expr.kind], self._index(expr.lhs), self._index(expr.rhs))
            case _:
                raise self._loops.nest.refusal(f"{expr}: is no index; index by sums and products of loops")
