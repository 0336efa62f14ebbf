"""Expressions as scalar regions of `tensor.compute`."""

from collections.abc import Callable, Mapping, Sequence

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
    SUB,
    Scalar,
    Scalars,
)
from s2s.tvm.te.expressions import Binary, Call, Cast, Const, Expr, IterVar, Read, Select, Var, walk
from s2s.tvm.te.loops import Loops, affine, reads_of, size_of
from s2s.tvm.te.nests import Nest
from s2s.types.dtypes import from_numpy

COMPARISONS = {
    "<": LESS, "<=": LESS_EQUAL, ">": GREATER, ">=": GREATER_EQUAL, "==": EQUAL, "!=": NOT_EQUAL,
}  # fmt: skip
CHOICES = {"+": ADD, "-": SUB, "*": MUL, "/": DIV, "pow": POWER, "and": AND, "or": OR}
UNARY = {
    "ceil": graph.CeilOp,
    "cos": graph.CosOp,
    "erf": graph.ErfOp,
    "exp": graph.ExpOp,
    "floor": graph.FloorOp,
    "log": graph.LogOp,
    "round": graph.RoundOp,
    "rsqrt": graph.RsqrtOp,
    "sigmoid": graph.SigmoidOp,
    "sin": graph.SinOp,
    "sqrt": graph.SqrtOp,
    "tanh": graph.TanhOp,
}
STARTS: Mapping[str, Callable[[Attribute], int | float]] = {
    "sum": lambda element: 0,
    "max": lambda element: limits(element)[0],
    "min": lambda element: limits(element)[1],
}
Values = Mapping[object, SSAValue]
"""The value of each tensor by its operation."""


def element_of(dtype: str) -> Attribute:
    """The element type that numpy calls `dtype`."""
    return from_numpy(np.dtype(dtype))


def computation(nest: Nest, loops: Loops, values: Values) -> tensor.ComputeOp:
    """The computation of a nest, without its schedule."""
    reduction, element = nest.reduction, element_of(nest.tensor.dtype)
    operands = _Operands(loops, values)
    reads: Sequence[Operand] = ()
    inits: list[tuple[int | float, Attribute]] = []
    body = None
    if reduction is not None:
        kind = widened(element_of(reduction.dtype))
        reads, number = operands.of(reduction.value, inside=True)
        inits = [(STARTS[reduction.kind](kind), kind)]
        fold, value = reduction.kind, reduction.value

        def step(s: Scalars, *arguments: Scalar) -> Scalar:
            *taken, acc = arguments
            return _folded(s, fold, acc, _Writer(loops, s, dict(zip(number, taken, strict=True))).scalar(value))

        body = step
    epilogue = nest.epilogue
    arguments, numbers = operands.of(epilogue, inside=False, folded=nest.folded) if epilogue is not None else ((), [])

    def finish(s: Scalars, *arguments: Scalar) -> Scalar:
        if epilogue is None:
            return arguments[0]
        taken = arguments[1:] if reduction is not None else arguments
        found = dict(zip(numbers, taken, strict=True))
        if nest.folded is not None:
            found |= {each: arguments[0] for each in reads_of(epilogue) if each.tensor.op is nest.folded.op}
        return _Writer(loops, s, found).scalar(epilogue)

    sizes = loops.sizes
    return structured(
        sizes[: loops.rank],
        sizes[loops.rank :],
        reads=reads,
        epilogue=arguments,
        inits=inits,
        reduce=body,
        apply=finish,
        element=element,
        names=loops.names,
        shape=[size_of(size, loops.bind) for size in nest.tensor.shape],
    )


def _folded(s: Scalars, kind: str, acc: Scalar, value: Scalar) -> Scalar:
    if kind == "sum":
        return acc + value
    return s.maximum(acc, value) if kind == "max" else s.minimum(acc, value)


class _Operands:
    """Finds the operands that expressions read, and the accesses to them."""

    def __init__(self, loops: Loops, values: Values) -> None:
        self._loops, self._values = loops, values

    def of(self, expr: Expr, *, inside: bool, folded: object | None = None) -> tuple[list[Operand], list[Read]]:
        """The operands of `expr` with the read that each stands for; `inside` of a reduction none may be missed."""
        own = getattr(folded, "op", None)
        optional = {id(part) for each in walk(expr) if isinstance(each, Select) for side in (each.a, each.b)
                    for part in walk(side)}  # fmt: skip
        operands: list[Operand] = []
        reads: list[Read] = []
        for each in walk(expr):
            if not isinstance(each, Read) or each.tensor.op is own:
                continue
            operand = self._operand(each)
            if access_of(operand, self._bounds(inside)).is_guarded and (inside or id(each) not in optional):
                raise self._loops.nest.refusal(
                    f"{each} leaves {each.tensor.name} at some points; "
                    + ("pad it as a tensor of its own" if inside else "read it inside of te.if_then_else")
                )
            operands.append(operand)
            reads.append(each)
        return operands, reads

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
        return at(self._values[read.tensor.op], *known)


class _Writer:
    """Writes an expression into a region; `known` are the scalars of its reads."""

    def __init__(self, loops: Loops, s: Scalars, known: Mapping[Read, Scalar]) -> None:
        self._loops, self._s, self._known = loops, s, known

    def scalar(self, expr: Expr) -> Scalar:
        """The value of `expr`."""
        s = self._s
        match expr:
            case Read():
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
                return s.select(self.scalar(expr.condition), self.scalar(expr.a), self.scalar(expr.b))
            case Call():
                return FUNCTIONS[UNARY[expr.function]](s, self.scalar(expr.x))
            case Binary():
                return self._binary(expr.sign, self.scalar(expr.a), self.scalar(expr.b))
            case _:
                raise self._loops.nest.refusal(f"{expr}: stands inside of a formula; compute it as a tensor of its own")

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
