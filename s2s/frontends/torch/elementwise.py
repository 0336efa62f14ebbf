"""Arithmetic, comparisons, logic and elementary functions."""

from collections.abc import Callable, Mapping
from math import log

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Scalar, Value, emit
from s2s.frontends.formulas import (
    arc_tangent,
    broadcast_to,
    cast,
    clamp,
    equal,
    floor_quotient,
    greater,
    less,
    maximum,
    minimum,
    select,
)
from s2s.frontends.torch.dtypes import BOOL, is_float
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import as_result, together, typed

OperationClass = Callable[..., Operation]


def _float(operation: OperationClass) -> Importer:
    """A function of floats; integers are converted."""
    return lambda node: emit(operation, as_result(node))


def _arithmetic(node: Node) -> tuple[Value, Value]:
    """`self` and `other` in the type of the result."""
    dtype = node.result_dtype()
    return typed(node, node.operand("self"), dtype), typed(node, node.operand("other"), dtype)


def _scaled(node: Node, x: Value) -> Value:
    alpha = node.number("alpha") if node.has("alpha") else 1
    return x if alpha == 1 else x * alpha


def _add(node: Node) -> Value:
    a, b = _arithmetic(node)
    if a.is_bool:
        return emit(graph.LogicalOrOp, a, b)
    return a + _scaled(node, b)


def _sub(node: Node) -> Value:
    a, b = _arithmetic(node)
    return a - _scaled(node, b)


def _rsub(node: Node) -> Value:
    a, b = _arithmetic(node)
    return b - _scaled(node, a)


def _mul(node: Node) -> Value:
    a, b = _arithmetic(node)
    return emit(graph.LogicalAndOp, a, b) if a.is_bool else a * b


def trunc(x: Value) -> Value:
    """`x` without its fraction."""
    return select(less(x, 0), emit(graph.CeilOp, x), emit(graph.FloorOp, x)) if x.is_float else x


def _div(node: Node) -> Value:
    a, b = _arithmetic(node)
    mode = node.text("rounding_mode") if node.has("rounding_mode") else ""
    if mode == "floor":
        return _floor_divided(a, b)
    return trunc(a / b) if mode == "trunc" else a / b


def _floor_divided(a: Value, b: Value) -> Value:
    """The largest integer not above `a / b`: of floats computed from the remainder, so that the quotient is exact, and
    infinite for a divisor of 0."""
    if not a.is_float:
        return floor_quotient(a, b)
    rest = emit(graph.ModOp, a, b, fmod=True)
    opposite = emit(graph.LogicalXorOp, less(rest, 0), less(b, 0))
    above = emit(graph.LogicalAndOp, opposite, emit(graph.LogicalNotOp, equal(rest, 0)))
    quotient = emit(graph.RoundOp, (a - rest) / b) - cast(above, a.dtype)
    return select(equal(b, 0), a / b, quotient)


def _floor_divide(node: Node) -> Value:
    return _floor_divided(*_arithmetic(node))


def _remainder(node: Node) -> Value:
    return emit(graph.ModOp, *_arithmetic(node))


def _fmod(node: Node) -> Value:
    return emit(graph.ModOp, *_arithmetic(node), fmod=True)


def _pow(node: Node) -> Value:
    dtype = node.result_dtype()
    base, exponent = node.operand("self"), node.operand("exponent")
    return emit(graph.PowOp, typed(node, base, dtype), typed(node, exponent, dtype))


def _atan2(node: Node) -> Value:
    return arc_tangent(*_arithmetic(node))


def _comparison(operation: OperationClass) -> Importer:
    return lambda node: emit(operation, *_comparable(node))


def _comparable(node: Node) -> list[Value]:
    """`self` and `other` in their common type; graph orders numbers only."""
    found = together(node, ("self", "other"))
    ordered = node.operator not in ("eq", "ne")
    return [cast(value, np.dtype(np.int8)) if ordered and value.is_bool else value for value in found]


def _not_equal(node: Node) -> Value:
    return emit(graph.LogicalNotOp, emit(graph.EqualOp, *_comparable(node)))


def _logical(operation: OperationClass) -> Importer:
    return lambda node: emit(operation, *(typed(node, node.operand(name), BOOL) for name in ("self", "other")))


def _logical_not(node: Node) -> Value:
    return emit(graph.LogicalNotOp, cast(node.value("self"), BOOL))


def _bitwise(on_bool: OperationClass, on_integers: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        a, b = _arithmetic(node)
        return emit(on_bool if a.is_bool else on_integers, a, b)

    return importer


def _bitwise_not(node: Node) -> Value:
    x = node.value("self")
    return emit(graph.LogicalNotOp if x.is_bool else graph.BitwiseNotOp, x)


def _shift(operation: OperationClass) -> Importer:
    return lambda node: emit(operation, *_arithmetic(node))


def _predicate(operation: OperationClass) -> Importer:
    """A question about floats; integers are neither infinite nor NaN."""

    def importer(node: Node) -> Value:
        x = node.value("self")
        return emit(operation, x) if x.is_float else node.builder.filled(False, x.shape, BOOL)

    return importer


def _log_of_base(base: float) -> Importer:
    return lambda node: emit(graph.LogOp, as_result(node)) * (1 / log(base))


def _log1p(node: Node) -> Value:
    """`ln(1 + x)` without the error of the sum: `x * ln(u) / (u - 1)` for `u = 1 + x` rounded."""
    x = as_result(node)
    u = x + 1
    logarithm = emit(graph.LogOp, u)
    lost, infinite = equal(u, 1), emit(graph.IsInfOp, u)
    quotient = x * (logarithm / select(lost, u.like(1), u - 1))
    return select(lost, x, select(infinite, logarithm, quotient))


def expm1(x: Value) -> Value:
    """`e ** x - 1` without the error of the difference: `(u - 1) * x / ln(u)` for `u = e ** x` rounded."""
    u = emit(graph.ExpOp, x)
    lost = equal(u, 1)
    plain = emit(graph.LogicalOrOp, equal(u - 1, -1), emit(graph.IsInfOp, u))
    quotient = (u - 1) * (x / emit(graph.LogOp, select(emit(graph.LogicalOrOp, lost, plain), u.like(2), u)))
    return select(lost, x, select(plain, u - 1, quotient))


def _expm1(node: Node) -> Value:
    return expm1(as_result(node))


def _sign(node: Node) -> Value:
    """-1, 0 or 1; 0 for NaN, which is neither above nor below zero."""
    x = node.value("self")
    if x.is_float:
        return cast(greater(x, 0), x.dtype) - cast(less(x, 0), x.dtype)
    return x if x.is_bool else emit(graph.SignOp, x)


def _abs(node: Node) -> Value:
    return abs(node.value("self"))


def _neg(node: Node) -> Value:
    x = node.value("self")
    return emit(graph.SubOp, x.like(0), x) if np.issubdtype(x.dtype, np.unsignedinteger) else -x


def _rounding(operation: OperationClass) -> Importer:
    """Rounding, which leaves integers as they are."""

    def importer(node: Node) -> Value:
        x = node.value("self")
        if node.overload == "decimals" and node.integer("decimals"):
            scale = 10.0 ** node.integer("decimals")
            return emit(operation, x * scale) / scale
        return emit(operation, x) if x.is_float else x

    return importer


def _trunc(node: Node) -> Value:
    return trunc(node.value("self"))


def _where(node: Node) -> Value:
    dtype = node.result_dtype()
    yes, no = typed(node, node.operand("self"), dtype), typed(node, node.operand("other"), dtype)
    return select(cast(node.value("condition"), BOOL), yes, no)


def _clamp(node: Node) -> Value:
    x = as_result(node)
    bounds = [node.operand(name) if node.has(name) else None for name in ("min", "max")]
    if not any(isinstance(bound, Value) for bound in bounds):
        low, high = (bound if not isinstance(bound, Value) else None for bound in bounds)
        return _clamped(x, low, high)
    low, high = (None if bound is None else typed(node, bound, x.dtype) for bound in bounds)
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def _clamped(x: Value, low: Scalar | None, high: Scalar | None) -> Value:
    """`x` within bounds of which the upper one wins, as torch has it."""
    return clamp(x, low if low is None or high is None else min(low, high), high)


def _maximum(node: Node) -> Value:
    return _extreme(node, graph.MaximumOp, graph.LogicalOrOp)


def _minimum(node: Node) -> Value:
    return _extreme(node, graph.MinimumOp, graph.LogicalAndOp)


def _extreme(node: Node, operation: OperationClass, on_bool: OperationClass) -> Value:
    a, b = _arithmetic(node)
    return emit(on_bool if a.is_bool else operation, a, b)


def _identity(node: Node) -> Value:
    return node.value("self")


def _convert(node: Node) -> Value:
    """`_to_copy`: a float becomes an integer by cutting its fraction off."""
    x = node.value("self")
    return cast(x, node.result_dtype())


def _copy(node: Node) -> Value:
    """`src` in the type and shape of `self`."""
    x = node.value("self")
    return broadcast_to(cast(node.value("src"), x.dtype), x.shape)


def _masked_fill(node: Node) -> Value:
    x = node.value("self")
    return select(node.value("mask"), typed(node, node.operand("value"), x.dtype), x)


def _nan_to_num(node: Node) -> Value:
    x = node.value("self")
    if not is_float(x.dtype):
        return x
    info = np.finfo(x.dtype.str)
    nan, high, low = (node.number_or_none(name) for name in ("nan", "posinf", "neginf"))
    x = select(emit(graph.IsNanOp, x), x.like(0.0 if nan is None else nan), x)
    infinite = emit(graph.IsInfOp, x)
    top = x.like(float(info.max) if high is None else high)
    bottom = x.like(float(info.min) if low is None else low)
    return select(infinite, select(greater(x, 0), top, bottom), x)


IMPORTERS: Mapping[str, Importer] = {
    "__lshift__": _shift(graph.ShiftLeftOp),
    "__rshift__": _shift(graph.ShiftRightOp),
    "_to_copy": _convert,
    "abs": _abs,
    "acos": _float(graph.AcosOp),
    "acosh": _float(graph.AcoshOp),
    "add": _add,
    "alias": _identity,
    "asin": _float(graph.AsinOp),
    "asinh": _float(graph.AsinhOp),
    "atan": _float(graph.AtanOp),
    "atan2": _atan2,
    "atanh": _float(graph.AtanhOp),
    "bitwise_and": _bitwise(graph.LogicalAndOp, graph.BitwiseAndOp),
    "bitwise_left_shift": _shift(graph.ShiftLeftOp),
    "bitwise_not": _bitwise_not,
    "bitwise_or": _bitwise(graph.LogicalOrOp, graph.BitwiseOrOp),
    "bitwise_right_shift": _shift(graph.ShiftRightOp),
    "bitwise_xor": _bitwise(graph.LogicalXorOp, graph.BitwiseXorOp),
    "ceil": _rounding(graph.CeilOp),
    "clamp": _clamp,
    "clone": _identity,
    "contiguous": _identity,
    "copy": _copy,
    "cos": _float(graph.CosOp),
    "cosh": _float(graph.CoshOp),
    "detach": _identity,
    "div": _div,
    "eq": _comparison(graph.EqualOp),
    "erf": _float(graph.ErfOp),
    "exp": _float(graph.ExpOp),
    "expm1": _expm1,
    "floor": _rounding(graph.FloorOp),
    "floor_divide": _floor_divide,
    "fmod": _fmod,
    "ge": _comparison(graph.GreaterEqualOp),
    "gt": _comparison(graph.GreaterOp),
    "isinf": _predicate(graph.IsInfOp),
    "isnan": _predicate(graph.IsNanOp),
    "le": _comparison(graph.LessEqualOp),
    "lift_fresh_copy": _identity,
    "log": _float(graph.LogOp),
    "log10": _log_of_base(10),
    "log1p": _log1p,
    "log2": _log_of_base(2),
    "logical_and": _logical(graph.LogicalAndOp),
    "logical_not": _logical_not,
    "logical_or": _logical(graph.LogicalOrOp),
    "logical_xor": _logical(graph.LogicalXorOp),
    "lt": _comparison(graph.LessOp),
    "masked_fill": _masked_fill,
    "maximum": _maximum,
    "minimum": _minimum,
    "mul": _mul,
    "nan_to_num": _nan_to_num,
    "ne": _not_equal,
    "neg": _neg,
    "pow": _pow,
    "reciprocal": _float(graph.ReciprocalOp),
    "remainder": _remainder,
    "round": _rounding(graph.RoundOp),
    "rsqrt": _float(graph.RsqrtOp),
    "rsub": _rsub,
    "sign": _sign,
    "sin": _float(graph.SinOp),
    "sinh": _float(graph.SinhOp),
    "sqrt": _float(graph.SqrtOp),
    "sub": _sub,
    "tan": _float(graph.TanOp),
    "tanh": _float(graph.TanhOp),
    "trunc": _trunc,
    "where": _where,
}
