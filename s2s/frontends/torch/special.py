"""Functions of floats that torch keeps whole and other operators express: error functions, signs, powers of two."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_product
from s2s.frontends.formulas import (
    cast,
    equal,
    greater,
    has_sign_bit,
    less,
    maximum,
    minimum,
    reshape,
    select,
    take,
    transpose,
)
from s2s.frontends.torch.dtypes import BOOL, INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import as_result, typed

_TAIL = (
    *(0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807),
    *(-0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223),
)
"""Chebyshev's fit of `ln(e ** (x * x) * erfc(x) / t)` by powers of `t = 2 / (2 + x)`, for x >= 0, with a relative error
of 1.2e-7 (Press et al., Numerical Recipes, 6.2)."""
_NEAR = (
    *(2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087),
    *(-0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
)
"""Fit of `erfinv(x) / x` by powers of `w - 2.5`, for `w = -ln(1 - x * x)` below 5 (Giles, Approximating the erfinv
function, 2011)."""
_FAR = (
    *(-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773),
    *(-0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
)
"""The same by powers of `sqrt(w) - 3`, for other `w`."""
_SMALL = 0.5
"""The number up to which `1 - erf(x)` loses no digits."""


def _polynomial(x: Value, factors: Sequence[float]) -> Value:
    """Horner's scheme, the highest power first."""
    y = x.like(factors[0])
    for factor in factors[1:]:
        y = y * x + factor
    return y


def _single(node: Node) -> Value:
    """The operand as a float of at most 32 bits, for which the fits are right."""
    x = as_result(node)
    if x.dtype.itemsize > 4:
        raise node.unsupported("is fitted to 32 bits and given float64", "convert its operand to float32")
    return x


def _scaled_tail(x: Value) -> Value:
    """`e ** (x * x) * erfc(x)` for x >= 0."""
    t = 1 / (x * 0.5 + 1)
    return t * emit(graph.ExpOp, _polynomial(t, _TAIL))


def _erfc(node: Node) -> Value:
    x = _single(node)
    tail = _scaled_tail(maximum(x, _SMALL)) * emit(graph.ExpOp, -(x * x))
    return select(greater(x, _SMALL), tail, 1 - emit(graph.ErfOp, x))


def _erfcx(node: Node) -> Value:
    """`e ** (x * x) * erfc(x)`, of negative numbers from `erfc(x) = 2 - erfc(-x)`."""
    x = _single(node)
    tail = _scaled_tail(abs(x))
    return select(less(x, 0), emit(graph.ExpOp, x * x) * 2 - tail, tail)


def _erfinv(node: Node) -> Value:
    x = _single(node)
    one, size = x.like(1), abs(x)
    w = -emit(graph.LogOp, (one - x) * (one + x))
    near, far = _polynomial(w - 2.5, _NEAR), _polynomial(emit(graph.SqrtOp, w) - 3, _FAR)
    fitted = x * select(less(w, 5), near, far)
    return select(equal(size, 1), x * float(np.inf), fitted)


def _exp2(node: Node) -> Value:
    x = as_result(node)
    return emit(graph.PowOp, x.like(2), x)


def _ldexp(node: Node) -> Value:
    dtype = node.result_dtype()
    x, exponent = (typed(node, node.operand(name), dtype) for name in ("self", "other"))
    return x * emit(graph.PowOp, exponent.like(2), exponent)


def _hypot(node: Node) -> Value:
    """`sqrt(a * a + b * b)` without the overflow of the squares: the larger one times a root between 1 and 2."""
    a, b = (abs(typed(node, node.operand(name), node.result_dtype())) for name in ("self", "other"))
    most, least = maximum(a, b), minimum(a, b)
    ratio = least / select(equal(most, 0), most.like(1), most)
    infinite = emit(graph.LogicalOrOp, emit(graph.IsInfOp, a), emit(graph.IsInfOp, b))
    return select(infinite, most.like(np.inf), most * emit(graph.SqrtOp, ratio * ratio + 1))


def _is_negative(x: Value) -> Value:
    if x.is_bool:
        return x.builder.filled(False, x.shape, BOOL)
    return has_sign_bit(x) if x.is_float else less(x, 0)


def _signbit(node: Node) -> Value:
    return _is_negative(node.value("self"))


def _copysign(node: Node) -> Value:
    x, other = (typed(node, node.operand(name), node.result_dtype()) for name in ("self", "other"))
    size = abs(x)
    return select(_is_negative(other), -size, size)


def _cumprod(node: Node) -> Value:
    x = as_result(node)
    return running_product(x, node.axis("dim", x.rank)) if x.rank else x


def _kth_value(node: Node) -> list[Value]:
    """The `k`-th smallest element along a dimension, and its place."""
    x = node.value("self")
    if not x.rank:
        return [x, node.constant(0, INT64)]
    axis, k = node.axis("dim", x.rank), node.integer("k")
    perm = [*(dim for dim in range(x.rank) if dim != axis), axis]
    rows = transpose(x, perm)
    last = take(emit(graph.TopKOp, rows, count=k, smallest=True), x.rank - 1, k - 1, 1)
    values = emit(graph.GatherElementsOp, rows, last, axis=x.rank - 1)
    back = [perm.index(dim) for dim in range(x.rank)]
    kept = [1 if dim == axis else size for dim, size in enumerate(x.shape)]
    shape = kept if node.flag("keepdim") else [*kept[:axis], *kept[axis + 1 :]]
    return [reshape(transpose(kth, back), shape) for kth in (values, cast(last, INT64))]


IMPORTERS: Mapping[str, Importer] = {
    "copysign": _copysign,
    "cumprod": _cumprod,
    "erfc": _erfc,
    "erfinv": _erfinv,
    "exp2": _exp2,
    "hypot": _hypot,
    "kthvalue": _kth_value,
    "ldexp": _ldexp,
    "signbit": _signbit,
    "special_erfcx": _erfcx,
}
