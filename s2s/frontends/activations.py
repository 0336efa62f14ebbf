"""Functions that importers of several formats compose of operations: activations, and the label of their steps.

    @composes("gelu")
    def gelu(x): ...        ->   %2 = graph.erf %1 {part_of = "gelu"}, and a kernel `matmul_add_gelu`

A function within another one is a step of the outer one: the softplus of a mish has the label `mish`. `rounded_once` is
for functions whose steps lose digits in 16 bits.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from math import isfinite, pi, sqrt
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from s2s.dialects import graph
from s2s.dialects.graph.traits import set_part_of
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, less, maximum, minimum, select, widened

P = ParamSpec("P")
R = TypeVar("R")


class Built(Protocol):
    """A value or a node, which knows the builder of the network that it belongs to."""

    @property
    def builder(self) -> Builder:
        """The builder that appends operations to the network."""
        ...


B = TypeVar("B", bound=Built)


@contextmanager
def composed(builder: Builder, function: str) -> Generator[None]:
    """Label the operations that are appended inside as steps of `function`, a word for names in C."""
    before = builder.block.last_op
    yield
    op = builder.block.last_op
    while op is not None and op is not before:
        if not isinstance(op, graph.ConstantInterface):
            set_part_of(op, function)
        op = op.prev_op


def composes(function: str) -> Callable[[Callable[Concatenate[B, P], R]], Callable[Concatenate[B, P], R]]:
    """Return a decorator that labels all operations that a call appends, by the builder of its first argument."""

    def decorate(build: Callable[Concatenate[B, P], R]) -> Callable[Concatenate[B, P], R]:
        @wraps(build)
        def labelled(first: B, *args: P.args, **kwargs: P.kwargs) -> R:
            with composed(first.builder, function):
                return build(first, *args, **kwargs)

        return labelled

    return decorate


def rounded_once(function: Callable[Concatenate[Value, P], Value]) -> Callable[Concatenate[Value, P], Value]:
    """Return a decorated function that computes floats of 16 bits in float32 and rounds the result.

    Rounded at each step the gelu of -3 in float16 is 0, because `erf + 1` has lost all of its digits.
    """

    @wraps(function)
    def rounded(x: Value, *args: P.args, **kwargs: P.kwargs) -> Value:
        return cast(function(widened(x), *args, **kwargs), x.dtype)

    return rounded


def hinted(x: Value, word: str) -> Value:
    """Return `x`, an intermediate result which C calls `word` where it is stored."""
    if x.ssa is not None:
        x.ssa.name_hint = word
    return x


def sigmoid(x: Value) -> Value:
    """`1 / (1 + e ** -x)`."""
    return emit(graph.SigmoidOp, x)


@composes("softplus")
@rounded_once
def softplus(x: Value) -> Value:
    """`ln(1 + e ** x)`, written so that nothing overflows."""
    return maximum(x, 0) + emit(graph.LogOp, emit(graph.ExpOp, -abs(x)) + 1)


@composes("mish")
@rounded_once
def mish(x: Value) -> Value:
    """`x * tanh(ln(1 + e ** x))`."""
    return x * emit(graph.TanhOp, softplus(x))


@composes("elu")
@rounded_once
def elu(x: Value, alpha: float) -> Value:
    """`x` where positive, else `alpha * (e ** x - 1)`; one of the two terms is zero, unless `alpha` is infinite."""
    if not isfinite(alpha):
        return select(less(x, 0), alpha * (emit(graph.ExpOp, x) - 1), x)
    return maximum(x, 0) + alpha * (emit(graph.ExpOp, minimum(x, 0)) - 1)


def leaky_relu(x: Value, alpha: float) -> Value:
    """`x` where positive, else `alpha * x`."""
    return emit(graph.PreluOp, x, x.like(alpha))


@composes("hard_sigmoid")
def hard_sigmoid(x: Value, alpha: float, beta: float) -> Value:
    """`alpha * x + beta` limited to `[0, 1]`."""
    return clamp(alpha * x + beta, 0, 1)


@composes("gelu")
@rounded_once
def gelu(x: Value) -> Value:
    """`x * P(X <= x)` of a normal variable X."""
    return x * 0.5 * (emit(graph.ErfOp, x * sqrt(0.5)) + 1)


@composes("gelu")
@rounded_once
def gelu_by_tanh(x: Value) -> Value:
    """`gelu`, its integral approximated by a tangens hyperbolicus."""
    return x * 0.5 * (emit(graph.TanhOp, (x + 0.044715 * (x * x * x)) * sqrt(2 / pi)) + 1)
