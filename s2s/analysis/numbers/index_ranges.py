"""Find out whether indices are in range: proved for all runs, or for which values of the arguments of `main`.

    %at = graph.add %position, dense<[0, 1, 2]>          needed(%at, [0, 5]): %position within [0, 3]
    %ring = graph.mod %position, dense<6>                needed(%ring, [0, 5]): nothing, a remainder is in range
    %at = graph.concat %rows, %columns {axis = 1}        needed(%at, [0, 5]): both within [0, 5]

An element of an argument stands for one number, whichever operation moves it, so that bounds of the argument are exact:
it is in range if and only if the index is.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import BlockArgument, SSAValue

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import number, type_of
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.index_bounds import IndexBounds
from s2s.types.weights import WeightStore


class Needed(NamedTuple):
    """Bounds that all elements of an argument of `main` have to lie within."""

    argument: BlockArgument
    bounds: IndexBounds


@frozen
class IndexRanges:
    """The ranges of integers in `main`."""

    weights: WeightStore

    def needed(self, index: SSAValue, bounds: IndexBounds) -> list[Needed] | None:
        """Return what arguments have to be for all elements of `index` to lie within `bounds`; nothing if they always
        do, None where no bounds of arguments say it exactly."""
        range = self.range(index)
        if range is not None and bounds.least <= range.least and range.most <= bounds.most:
            return []
        if isinstance(index, BlockArgument):
            own = _type_range(index)
            return None if own is None else [Needed(index, bounds.within(own))]
        match index.owner:
            case graph.ReshapeOp(x=x) | graph.BroadcastToOp(x=x) | graph.TransposeOp(x=x) | graph.TileOp(x=x):
                return self.needed(x, bounds)
            case graph.CastOp(x=x) if isa(type_of(x).element_type, IntegerType):
                return self.needed(x, bounds)
            case graph.ConcatOp(inputs=parts):
                every = [self.needed(part, bounds) for part in parts]
                return None if None in every else [each for part in every if part is not None for each in part]
            case graph.AddOp(a=a, b=b):
                return (
                    self._shifted(a, b, bounds) if known_value(a, self.weights) is None else self._shifted(b, a, bounds)
                )
            case graph.SubOp(a=a, b=b):
                return self._shifted(a, b, bounds, sign=-1)
            case graph.DivOp(a=a, b=b):
                return self._divided(a, b, bounds)
            case graph.SelectOp(cond=cond, a=a, b=b):
                return self._from_the_front(cond, a, b, bounds)
            case _:
                return None

    def _shifted(self, x: SSAValue, by: SSAValue, bounds: IndexBounds, sign: int = 1) -> list[Needed] | None:
        """`x + sign * by`: exact if every element of `x` meets the least and the greatest element of `by`."""
        known = known_value(by, self.weights)
        if known is None or not known.size or not _meets_all(shape_of(x), known):
            return None
        offsets = [sign * int(known.min()), sign * int(known.max())]
        return self.needed(x, IndexBounds(bounds.least - min(offsets), bounds.most - max(offsets)))

    def _divided(self, x: SSAValue, by: SSAValue, bounds: IndexBounds) -> list[Needed] | None:
        """`x / by` towards zero: -5 / 2 = -2, so that a result from -2 on needs an `x` from -5 on."""
        known = known_value(by, self.weights)
        if known is None or known.size != 1 or known.item() < 1:
            return None
        divisor = int(known.item())
        least = bounds.least * divisor - (divisor - 1 if bounds.least <= 0 else 0)
        most = bounds.most * divisor + (divisor - 1 if bounds.most >= 0 else 0)
        return self.needed(x, IndexBounds(least, most))

    def _from_the_front(self, cond: SSAValue, a: SSAValue, b: SSAValue, bounds: IndexBounds) -> list[Needed] | None:
        """`x + size if x < 0 else x`, as exporters count a negative index from the front."""
        if not isinstance(cond.owner, graph.LessOp) or not isinstance(a.owner, graph.AddOp):
            return None
        zero, size = known_value(cond.owner.b, self.weights), known_value(a.owner.b, self.weights)
        if zero is None or size is None or zero.any() or size.size != 1 or {cond.owner.a, a.owner.a} != {b}:
            return None
        count = int(size.item())
        if bounds.least > 0 or bounds.most < count - 1:
            return None
        return self.needed(b, IndexBounds(bounds.least - count, bounds.most))

    def range(self, value: SSAValue) -> IndexBounds | None:
        """Return bounds that all elements of `value` lie within in every run; None if there are none but its type's."""
        known = known_value(value, self.weights)
        if known is not None:
            return IndexBounds(int(known.min()), int(known.max())) if known.size and known.dtype.kind in "biu" else None
        narrow = _range_of_narrow(value)
        computed = None if isinstance(value, BlockArgument) else self._computed(value)
        return narrow if computed is None else computed

    def _computed(self, value: SSAValue) -> IndexBounds | None:
        match value.owner:
            case graph.ReshapeOp(x=x) | graph.BroadcastToOp(x=x) | graph.TransposeOp(x=x) | graph.TileOp(x=x):
                return self.range(x)
            case graph.SliceOp(x=x):
                return self.range(x)
            case graph.CastOp(x=x):
                range, own = self.range(x), _type_range(value)
                fits = range is not None and own is not None and own.least <= range.least and range.most <= own.most
                return range if fits else None
            case graph.ConcatOp(inputs=parts):
                return _union([self.range(part) for part in parts])
            case graph.SelectOp(a=a, b=b):
                return _union([self.range(a), self.range(b)])
            case graph.ArgmaxOp(x=x, axis=axis) | graph.ArgminOp(x=x, axis=axis):
                return IndexBounds(0, max(shape_of(x)[axis.value.data] - 1, 0))
            case graph.IotaOp(axis=axis):
                return IndexBounds(0, max(shape_of(value)[axis.value.data] - 1, 0))
            case graph.ClampOp(x=x, min=least, max=most):
                return _clamped(self.range(x), number(least), number(most))
            case graph.MinimumOp() | graph.MaximumOp() | graph.ModOp() | graph.AddOp() | graph.SubOp():
                return self._of_two(value.owner)
            case _:
                return None

    def _of_two(self, op: graph.BinaryElementwiseOp) -> IndexBounds | None:
        a, b = self.range(op.a), self.range(op.b)
        if isinstance(op, graph.ModOp):
            positive = b is not None and b.least == b.most > 0 and op.fmod is None
            return IndexBounds(0, b.most - 1) if positive and b is not None else None
        if a is None or b is None:
            return None
        result = _COMBINED[type(op)](a, b)
        type_range = _type_range(op.y)
        fits = type_range is not None and type_range.least <= result.least and result.most <= type_range.most
        return result if fits else None


_COMBINED: dict[type[graph.BinaryElementwiseOp], Callable[[IndexBounds, IndexBounds], IndexBounds]] = {
    graph.MinimumOp: lambda a, b: IndexBounds(min(a.least, b.least), min(a.most, b.most)),
    graph.MaximumOp: lambda a, b: IndexBounds(max(a.least, b.least), max(a.most, b.most)),
    graph.AddOp: lambda a, b: IndexBounds(a.least + b.least, a.most + b.most),
    graph.SubOp: lambda a, b: IndexBounds(a.least - b.most, a.most - b.least),
}
_WIDEST_NARROW = 16
"""Integers of up to this many bits are in range of large tensors by their type."""


def _meets_all(shape: Sequence[int], values: Array) -> bool:
    """Return whether each element of a tensor of `shape` is paired by broadcasting with elements of all `values`: these
    differ along axes only that the tensor is repeated along."""
    rank = max(len(shape), values.ndim)
    values = values.reshape((1,) * (rank - values.ndim) + values.shape)
    lengths = (1,) * (rank - len(shape)) + tuple(shape)
    repeated = (slice(None) if length == 1 else slice(0, 1) for length in lengths)
    return bool(np.all(values == values[tuple(repeated)]))


def _type_range(value: SSAValue) -> IndexBounds | None:
    """Return the range of the integer type of `value`."""
    element = type_of(value).element_type
    if not isa(element, IntegerType):
        return None
    width = element.width.data
    if width == 1 or element.signedness.data == Signedness.UNSIGNED:
        return IndexBounds(0, (1 << width) - 1)
    return IndexBounds(-(1 << (width - 1)), (1 << (width - 1)) - 1)


def _range_of_narrow(value: SSAValue) -> IndexBounds | None:
    element = type_of(value).element_type
    return _type_range(value) if isa(element, IntegerType) and element.width.data <= _WIDEST_NARROW else None


def _union(ranges: list[IndexBounds | None]) -> IndexBounds | None:
    every = [each for each in ranges if each is not None]
    if len(every) < len(ranges) or not every:
        return None
    return IndexBounds(min(each.least for each in every), max(each.most for each in every))


def _clamped(range: IndexBounds | None, least: float | None, most: float | None) -> IndexBounds | None:
    """Return the range of `minimum(maximum(x, least), most)`."""
    low, high = (None, None) if range is None else range
    low = low if least is None else int(least) if low is None else max(low, int(least))
    high = high if most is None else int(most) if high is None else min(high, int(most))
    return None if low is None or high is None else IndexBounds(min(low, high), high)
