"""The meaning of operations on registers."""

from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np

from s2s.dialects import loop
from s2s.interpret.loop.operations import MEANINGS, step_of
from s2s.interpret.loop.scope import Scope, Step
from s2s.interpret.numbers import fused_multiply_add, maximum, minimum, where
from s2s.interpret.scalar import Scalar, dtype_of

_COMBINE: Mapping[str, Callable[[Scalar, Scalar], Scalar]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": maximum,
    "min": minimum,
}


@MEANINGS.register(loop.BroadcastOp)
def broadcast(scope: Scope, op: loop.BroadcastOp) -> Step:
    """`loop.broadcast`."""
    shape, dtype = op.result.type.get_shape(), dtype_of(op.result.type)

    def repeat(value: Scalar) -> Scalar:
        vector = np.empty(shape, dtype)
        vector.fill(value)
        return vector

    return step_of(scope, op, repeat)


@MEANINGS.register(loop.FmaOp)
def fma(scope: Scope, op: loop.FmaOp) -> Step:
    """`loop.fma`."""
    return step_of(scope, op, fused_multiply_add if scope.options.fused else _multiply_then_add)


def _multiply_then_add(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    return a * b + c


@MEANINGS.register(loop.ReduceOp)
def reduce_lanes(scope: Scope, op: loop.ReduceOp) -> Step:
    """`loop.reduce`."""
    combine = _COMBINE[op.kind.data]

    def lane_by_lane(vector: Scalar) -> Scalar:
        return reduce(combine, vector)

    return step_of(scope, op, lane_by_lane)


@MEANINGS.register(loop.HalveOp)
def halve(scope: Scope, op: loop.HalveOp) -> Step:
    """`loop.halve`."""
    combine = _COMBINE[op.kind.data]
    (lanes,) = op.result.type.get_shape()

    def fold(vector: Scalar) -> Scalar:
        return combine(vector[:lanes], vector[lanes:])

    return step_of(scope, op, fold)


_COMPARE: Mapping[str, Callable[[Scalar, Scalar], Scalar]] = {
    "oeq": np.equal,
    "une": np.not_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
}


@MEANINGS.register(loop.ChooseOp)
def choose(scope: Scope, op: loop.ChooseOp) -> Step:
    """`loop.choose`."""
    compare = _COMPARE[op.predicate.data]

    def choose(a: Scalar, b: Scalar, x: Scalar, y: Scalar) -> Scalar:
        return where(compare(a, b), x, y)

    return step_of(scope, op, choose)
