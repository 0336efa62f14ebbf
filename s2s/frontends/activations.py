"""Formulas of activation functions that several formats have."""

from math import isfinite, pi, sqrt

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import clamp, less, maximum, minimum, select


def sigmoid(x: Value) -> Value:
    """`1 / (1 + e ** -x)`."""
    return emit(graph.SigmoidOp, x)


def softplus(x: Value) -> Value:
    """`ln(1 + e ** x)`, written so that nothing overflows."""
    return maximum(x, 0) + emit(graph.LogOp, emit(graph.ExpOp, -abs(x)) + 1)


def elu(x: Value, alpha: float) -> Value:
    """`x` where positive, else `alpha * (e ** x - 1)`; one of the two terms is zero, unless `alpha` is infinite."""
    if not isfinite(alpha):
        return select(less(x, 0), alpha * (emit(graph.ExpOp, x) - 1), x)
    return maximum(x, 0) + alpha * (emit(graph.ExpOp, minimum(x, 0)) - 1)


def leaky_relu(x: Value, alpha: float) -> Value:
    """`x` where positive, else `alpha * x`."""
    return emit(graph.PreluOp, x, x.like(alpha))


def hard_sigmoid(x: Value, alpha: float, beta: float) -> Value:
    """`alpha * x + beta` limited to `[0, 1]`."""
    return clamp(alpha * x + beta, 0, 1)


def gelu(x: Value) -> Value:
    """`x * P(X <= x)` of a normal variable X."""
    return x * 0.5 * (emit(graph.ErfOp, x * sqrt(0.5)) + 1)


def gelu_by_tanh(x: Value) -> Value:
    """`gelu`, its integral approximated by a tangens hyperbolicus."""
    return x * 0.5 * (emit(graph.TanhOp, (x + 0.044715 * (x * x * x)) * sqrt(2 / pi)) + 1)
