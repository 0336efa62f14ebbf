"""Operations that give constants which hold sizes the numbers of the run.

[N, 4]             graph.size_values [N, 4]
[[N, N], [N, N]]   graph.size_values N, broadcast to [2, 2]
[N / 3, 2]         graph.size_values [N, 2] / [3, 1]
[N, 0.5]           graph.size_values [N, 0], and 0.5 selected in its place
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.types.dtypes import Array
from s2s.types.size import Ratio, alike

V_co = TypeVar("V_co", covariant=True)


class NumbersBuilder(Protocol[V_co]):
    """What builds the operations: a builder of the frontends."""

    def sizes(self, numbers: Array, dtype: np.dtype[np.generic]) -> V_co:
        """Return numbers of the run, in one dimension at most."""
        ...

    def constant(self, array: Array) -> V_co:
        """Return a constant."""
        ...

    def emit(self, operation: Callable[..., Operation], *operands: Any, **properties: object) -> V_co:
        """Return the result of an operation."""
        ...


def numbers_of_run(builder: NumbersBuilder[V_co], array: Array, dtype: np.dtype[np.generic]) -> V_co:
    """Return what the elements of `array`, integers, sizes, fractions of sizes and floats, are in a run."""
    numbers = array.reshape(-1).tolist()
    reals = np.array([isinstance(number, float) for number in numbers]).reshape(array.shape)
    if not reals.any():
        return _ratios(builder, array, dtype)
    sizes = _ratios(builder, np.where(reals, 0, array), dtype)
    constant = builder.constant(np.where(reals, array, 0).astype(dtype))
    return builder.emit(graph.SelectOp, builder.constant(reals), constant, sizes)


def _ratios(builder: NumbersBuilder[V_co], array: Array, dtype: np.dtype[np.generic]) -> V_co:
    """Return whole numbers and fractions of sizes, each of which is rounded once, when one whole number is divided by
    another."""
    numbers = array.reshape(-1).tolist()
    ratios = [number if isinstance(number, Ratio) else Ratio(number, Fraction(1)) for number in numbers]
    dividends = np.empty(len(ratios), object)
    dividends[:] = [ratio.size * ratio.factor.numerator for ratio in ratios]
    dividend = _integers(builder, dividends.reshape(array.shape), dtype)
    divisors = np.array([ratio.factor.denominator for ratio in ratios]).reshape(array.shape)
    return (
        dividend
        if (divisors == 1).all()
        else builder.emit(graph.DivOp, dividend, builder.constant(divisors.astype(dtype)))
    )


def _integers(builder: NumbersBuilder[V_co], array: Array, dtype: np.dtype[np.generic]) -> V_co:
    """Return whole numbers of the run: one number everywhere, or a row of them in the shape of `array`."""
    if array.ndim < 2:
        return builder.sizes(array, dtype)
    row: Array = array.reshape(-1)
    if all(alike(row[:1].tolist(), [number]) for number in row.tolist()):
        return builder.emit(graph.BroadcastToOp, builder.sizes(row[:1].reshape(()), dtype), shape=list(array.shape))
    return builder.emit(graph.ReshapeOp, builder.sizes(row, dtype), shape=list(array.shape))
