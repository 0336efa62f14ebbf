"""Find out whether indices are in range: proved for all runs, or for which values of the arguments of `main`.

    %at = graph.add %position, dense<[0, 1, 2]>          needed(%at, [0, 5]): %position within [0, 3]
    %ring = graph.mod %position, dense<6>                needed(%ring, [0, 5]): nothing, a remainder is in range
    %at = graph.concat %rows, %columns {axis = 1}        needed(%at, [0, 5]): both within [0, 5]

An element of an argument stands for one number, whichever operation moves it, so that bounds of the argument are exact:
it is in range if and only if the index is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

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


class _Goal(NamedTuple):
    """What all elements of a value have to lie within."""

    value: SSAValue
    bounds: IndexBounds


@frozen
class IndexRanges:
    """The ranges of integers in networks."""

    weights: WeightStore
    runners: Mapping[str, graph.NetworkOp] = field(default_factory=dict[str, graph.NetworkOp])
    """The operation that runs each network besides `main`, by the name of the network."""
    _computed_before: dict[SSAValue, IndexBounds | None] = field(default_factory=dict[SSAValue, IndexBounds | None])

    def needed(self, index: SSAValue, bounds: IndexBounds) -> list[Needed] | None:
        """Return what arguments have to be for all elements of `index` to lie within `bounds`; nothing if they always
        do, None where no bounds of arguments say it exactly."""
        found, pending, seen = list[Needed](), [_Goal(index, bounds)], {_Goal(index, bounds)}
        while pending:
            goal = pending.pop()
            if self._is_within(*goal):
                continue
            if isinstance(goal.value, BlockArgument):
                own = _type_range(goal.value)
                if own is None:
                    return None
                found.append(Needed(goal.value, goal.bounds.within(own)))
                continue
            behind = self._behind(*goal)
            if behind is None:
                return None
            pending += [each for each in reversed(dict.fromkeys(behind)) if each not in seen]
            seen.update(behind)
        return found

    def _is_within(self, index: SSAValue, bounds: IndexBounds) -> bool:
        range = self.range(index)
        return range is not None and bounds.least <= range.least and range.most <= bounds.most

    def _behind(self, index: SSAValue, bounds: IndexBounds) -> "list[_Goal] | None":
        """Return what operands have to lie within, if and only if the result `index` is to lie within `bounds`."""
        match index.owner:
            case graph.ReshapeOp(x=x) | graph.BroadcastToOp(x=x) | graph.TransposeOp(x=x) | graph.TileOp(x=x):
                return [_Goal(x, bounds)]
            case graph.CastOp(x=x) if _is_integer(x):
                return [_Goal(x, bounds)]
            case graph.ConcatOp(inputs=parts):
                return [_Goal(part, bounds) for part in parts]
            case graph.AddOp(a=a, b=b):
                x, by = (a, b) if known_value(a, self.weights) is None else (b, a)
                return self._shifted(x, by, bounds)
            case graph.SubOp(a=a, b=b):
                return self._shifted(a, b, bounds, sign=-1)
            case graph.DivOp(a=a, b=b):
                return self._divided(a, b, bounds)
            case graph.SelectOp(cond=cond, a=a, b=b):
                return self._from_the_front(cond, a, b, bounds)
            case _:
                return None

    def _shifted(self, x: SSAValue, by: SSAValue, bounds: IndexBounds, sign: int = 1) -> "list[_Goal] | None":
        """`x + sign * by`: exact if every element of `x` meets the least and the greatest element of `by`."""
        known = known_value(by, self.weights)
        if known is None or not known.size or not _meets_all(shape_of(x), known):
            return None
        offsets = [sign * int(known.min()), sign * int(known.max())]
        return [_Goal(x, IndexBounds(bounds.least - min(offsets), bounds.most - max(offsets)))]

    def _divided(self, x: SSAValue, by: SSAValue, bounds: IndexBounds) -> "list[_Goal] | None":
        """`x / by` towards zero: -5 / 2 = -2, so that a result from -2 on needs an `x` from -5 on."""
        known = known_value(by, self.weights)
        if known is None or known.size != 1 or known.item() < 1:
            return None
        divisor = int(known.item())
        least = bounds.least * divisor - (divisor - 1 if bounds.least <= 0 else 0)
        most = bounds.most * divisor + (divisor - 1 if bounds.most >= 0 else 0)
        return [_Goal(x, IndexBounds(least, most))]

    def _from_the_front(self, cond: SSAValue, a: SSAValue, b: SSAValue, bounds: IndexBounds) -> "list[_Goal] | None":
        """`x + size if x < 0 else x`, as exporters count a negative index from the front."""
        if not isinstance(cond.owner, graph.LessOp) or not isinstance(a.owner, graph.AddOp):
            return None
        zero, size = known_value(cond.owner.b, self.weights), known_value(a.owner.b, self.weights)
        if zero is None or size is None or zero.any() or size.size != 1 or {cond.owner.a, a.owner.a} != {b}:
            return None
        count = int(size.item())
        if bounds.least > 0 or bounds.most < count - 1:
            return None
        return [_Goal(b, IndexBounds(bounds.least - count, bounds.most))]

    def range(self, value: SSAValue) -> IndexBounds | None:
        """Return bounds that all elements of `value` lie within in every run; None if there are none but its type's."""
        for each in _not_yet_in(self._computed_before, value):
            self._computed_before[each] = self._range(each)
        return self._computed_before[value]

    def _range(self, value: SSAValue) -> IndexBounds | None:
        known = known_value(value, self.weights)
        if known is not None:
            return IndexBounds(int(known.min()), int(known.max())) if known.size and known.dtype.kind in "biu" else None
        narrow = _range_of_narrow(value)
        computed = self._of_argument(value) if isinstance(value, BlockArgument) else self._computed(value)
        return narrow if computed is None else computed

    def _of_argument(self, value: BlockArgument) -> IndexBounds | None:
        handed = self.handed(value)
        return None if handed is None else self.range(handed)

    def handed(self, value: BlockArgument) -> SSAValue | None:
        """Return the value that the argument of a network is a part of in all of its runs; None for values that go from
        step to step, and for the arguments of `main`."""
        network = value.owner.parent_op()
        runner = self.runners.get(network.sym_name.data) if isinstance(network, FuncOp) else None
        match runner:
            case graph.IfOp():
                return runner.inputs[value.index]
            case graph.WhileOp() if value.index >= len(runner.outputs):
                return runner.inputs[value.index]
            case graph.ScanOp() if value.index >= runner.carried.value.data:
                return runner.inputs[value.index]
            case _:
                return None

    def _computed(self, value: SSAValue) -> IndexBounds | None:
        match value.owner:
            case graph.ReshapeOp(x=x) | graph.BroadcastToOp(x=x) | graph.TransposeOp(x=x) | graph.TileOp(x=x):
                return self.range(x)
            case graph.SliceOp(x=x) | graph.ReduceMaxOp(x=x) | graph.ReduceMinOp(x=x) | graph.GatherFamilyOp(x=x):
                return self.range(x)
            case graph.DynamicSliceOp(x=x):
                return self.range(x)
            case graph.SizeValuesOp():
                return self._of_sizes(value.owner)
            case graph.CastOp(x=x) if isa(type_of(x).element_type, IntegerType):
                range = self.range(x)
                return None if range is None else _if_it_fits(value, range)
            case graph.CastOp(x=x):
                return self._truncated(value, x)
            case graph.ConcatOp(inputs=parts):
                return _union([self.range(part) for part in parts])
            case graph.SelectOp(a=a, b=b):
                return _union([self.range(a), self.range(b)])
            case _:
                most = _last_position(value)
                return self._calculated(value) if most is None else IndexBounds(0, max(most, 0))

    def _calculated(self, value: SSAValue) -> IndexBounds | None:
        match value.owner:
            case graph.ClampOp(x=x, min=least, max=most):
                return _clamped(self.range(x), number(least), number(most))
            case graph.ModOp() | graph.AddOp() | graph.SubOp() | graph.MulOp() | graph.MinimumOp() | graph.MaximumOp():
                return self._of_two(value.owner)
            case graph.DivOp(a=a, b=b):
                return self._quotient(a, b)
            case graph.ReduceSumOp(x=x):
                return self._sum(value, x, prod(shape_of(x)) // max(prod(shape_of(value)), 1))
            case graph.CumsumOp(x=x, axis=axis):
                return self._sum(value, x, shape_of(x)[axis.value.data])
            case _:
                return None

    def _of_sizes(self, op: graph.SizeValuesOp) -> IndexBounds | None:
        from s2s.analysis.network.named_sizes import range_of_numbers  # most networks have constant sizes

        range = range_of_numbers(op)
        return None if range is None else _if_it_fits(op.y, range)

    def _truncated(self, value: SSAValue, x: SSAValue) -> IndexBounds | None:
        """The range of floats that are made integers, towards zero; NaN gives 0."""
        from s2s.analysis.numbers.float_ranges import float_range  # few networks compute indices from floats

        bounds = float_range(x, self.weights)
        if not bounds.is_finite:
            return None
        return _if_it_fits(value, IndexBounds(min(int(bounds.least), 0), max(int(bounds.most), 0)))

    def _of_two(self, op: graph.BinaryElementwiseOp) -> IndexBounds | None:
        a, b = self.range(op.a), self.range(op.b)
        if isinstance(op, graph.ModOp):
            positive = b is not None and b.least == b.most > 0 and op.fmod is None
            return IndexBounds(0, b.most - 1) if positive and b is not None else None
        if isinstance(op, graph.MinimumOp | graph.MaximumOp):
            a, b = a or _type_range(op.a), b or _type_range(op.b)
        if a is None or b is None:
            return None
        return _if_it_fits(op.y, _COMBINED[type(op)](a, b))

    def _quotient(self, a: SSAValue, b: SSAValue) -> IndexBounds | None:
        """Integers divide towards zero: from -5 to 5 by 2 gives -2 to 2."""
        x, by = self.range(a), known_value(b, self.weights)
        if x is None or by is None or by.size != 1 or by.dtype.kind not in "iu" or by.item() < 1:
            return None
        return IndexBounds(*(abs(end) // int(by.item()) * (1 if end >= 0 else -1) for end in x))

    def _sum(self, value: SSAValue, x: SSAValue, terms: int) -> IndexBounds | None:
        """Up to `terms` elements of `x`: of 12 bools from 0 to 12."""
        one = self.range(x)
        if one is None:
            return None
        return _if_it_fits(value, IndexBounds(min(0, one.least) * terms, max(0, one.most) * terms))


_COMBINED: dict[type[graph.BinaryElementwiseOp], Callable[[IndexBounds, IndexBounds], IndexBounds]] = {
    graph.MinimumOp: lambda a, b: IndexBounds(min(a.least, b.least), min(a.most, b.most)),
    graph.MaximumOp: lambda a, b: IndexBounds(max(a.least, b.least), max(a.most, b.most)),
    graph.AddOp: lambda a, b: IndexBounds(a.least + b.least, a.most + b.most),
    graph.SubOp: lambda a, b: IndexBounds(a.least - b.most, a.most - b.least),
    graph.MulOp: lambda a, b: _hull([x * y for x, y in product(a, b)]),
}
_WIDEST_NARROW = 16
"""Integers of up to this many bits are in range of large tensors by their type."""


def _not_yet_in(done: Mapping[SSAValue, object], value: SSAValue) -> list[SSAValue]:
    """Return the integers that `value` is computed from, operands first, and `value`, without the ones in `done`."""
    order, pending = dict[SSAValue, None](), [value]
    while pending:
        last = pending[-1]
        behind = last.owner.operands if isinstance(last.owner, Operation) and last not in done else ()
        missing = [each for each in behind if each not in order and each not in done and _is_integer(each)]
        if missing:
            pending += missing
        else:
            order.setdefault(pending.pop())
    return [each for each in order if each not in done]


def _is_integer(value: SSAValue) -> bool:
    return isa(type_of(value).element_type, IntegerType)


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


def _last_position(value: SSAValue) -> int | None:
    """Return the last position of the axis or tensor that `value` holds positions of; None if it holds no positions."""
    match value.owner:
        case graph.ArgmaxOp(x=x, axis=axis) | graph.ArgminOp(x=x, axis=axis):
            return shape_of(x)[axis.value.data] - 1
        case graph.TopKOp(x=x):
            return shape_of(x)[-1] - 1
        case graph.RowOrderOp(x=x):
            return shape_of(x)[0] - 1
        case graph.NonzeroOp(mask=mask):
            return prod(shape_of(mask)) - 1
        case graph.IotaOp(axis=axis):
            return shape_of(value)[axis.value.data] - 1
        case _:
            return None


def _if_it_fits(value: SSAValue, range: IndexBounds) -> IndexBounds | None:
    """Return the range of `value` that no integer leaves its type by; None where some would wrap around."""
    own = _type_range(value)
    return range if own is not None and own.least <= range.least and range.most <= own.most else None


def _hull(numbers: Sequence[int]) -> IndexBounds:
    return IndexBounds(min(numbers), max(numbers))


def _union(ranges: list[IndexBounds | None]) -> IndexBounds | None:
    every = [each for each in ranges if each is not None]
    if len(every) < len(ranges) or not every:
        return None
    return IndexBounds(min(each.least for each in every), max(each.most for each in every))


def _clamped(range: IndexBounds | None, least: float | None, most: float | None) -> IndexBounds | None:
    """Return the range of `minimum(maximum(x, least), most)`: of -1 with bounds from 0 to 4 it is 0."""
    low, high = (least, most) if range is None else range
    if low is None or high is None:
        return None
    ends = (max(end, low if least is None else least) for end in (low, high))
    return IndexBounds(*(int(min(end, high if most is None else most)) for end in ends))
