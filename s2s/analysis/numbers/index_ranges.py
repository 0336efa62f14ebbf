"""Find out whether indices are in range: proved for all runs, or for which values of the arguments of `main`.

    %at = graph.add %position, dense<[0, 1, 2]>          needed(%at, [0, 5]): %position within [0, 3]
    %ring = graph.mod %position, dense<6>                needed(%ring, [0, 5]): nothing, a remainder is in range
    %at = graph.concat %rows, %columns {axis = 1}        needed(%at, [0, 5]): both within [0, 5]

An element of an argument stands for one number, whichever operation moves it, so that bounds of the argument are exact:
it is in range if and only if the index is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.analysis.network.functions import NAME, text
from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import number, type_of
from s2s.errors import CompilerBug
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
    """The ranges of integers in networks."""

    weights: WeightStore
    runners: Mapping[str, graph.NetworkOp] = field(default_factory=dict[str, graph.NetworkOp])
    """The operation that runs each network besides `main`, by the name of the network."""
    _computed_before: dict[SSAValue, IndexBounds | None] = field(default_factory=dict[SSAValue, IndexBounds | None])

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
        """Return the range of what a network is handed in all of its runs; None for what goes from step to step."""
        network = value.owner.parent_op()
        runner = self.runners.get(network.sym_name.data) if isinstance(network, FuncOp) else None
        match runner:
            case graph.IfOp():
                return self.range(runner.inputs[value.index])
            case graph.WhileOp() if value.index >= len(runner.outputs):
                return self.range(runner.inputs[value.index])
            case graph.ScanOp() if value.index >= runner.carried.value.data:
                return self.range(runner.inputs[value.index])
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
            case graph.SizeValuesOp(values=values):
                return IndexBounds(0, max(values.get_values()))
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


Indexing = graph.GatherFamilyOp | graph.ScatterFamilyOp
"""The operations that read or write at indices held in a tensor."""


class Column(NamedTuple):
    """Indices that count along axes of one size."""

    indices: SSAValue
    bounds: IndexBounds
    """What they have to lie within."""


def axes_of(op: Indexing) -> tuple[int, ...]:
    """Return the axes of `op.x` that its indices count along: one, or one for each number of a coordinate."""
    match op:
        case graph.GatherOp(axis=axis) | graph.GatherElementsOp(axis=axis) | graph.ScatterElementsOp(axis=axis):
            return (axis.value.data,)
        case graph.GatherNdOp() | graph.ScatterNdOp():
            first = op.batch_dims.value.data if isinstance(op, graph.GatherNdOp) else 0
            return tuple(range(first, first + shape_of(op.indices)[-1]))
        case _:
            raise CompilerBug(f"{op.name} states no axis that its indices count along")


def bounds_along(op: Indexing) -> list[IndexBounds]:
    """Return the bounds of the indices along each of `axes_of(op)`; negative ones count from the end."""
    sizes = [shape_of(op.x)[axis] for axis in axes_of(op)]
    return [IndexBounds(0 if op.is_nonnegative else -size, size - 1) for size in sizes]


def columns(op: Indexing) -> list[Column] | None:
    """Return the indices of `op`, by the axis that they count along; None where coordinates stand in one tensor and
    their bounds differ."""
    bounds = bounds_along(op)
    if isinstance(op, graph.GatherNdOp | graph.ScatterNdOp):
        found = list(_of_coordinates(op.indices, bounds))
        return None if None in found else [each for each in found if each is not None]
    return [Column(op.indices, bounds[0])]


def _of_coordinates(indices: SSAValue, bounds: list[IndexBounds]) -> Iterator[Column | None]:
    """Yield the columns of coordinates `[…, k]`."""
    concat = indices.owner
    if isinstance(concat, graph.ConcatOp) and concat.axis.value.data == len(shape_of(indices)) - 1:
        first = 0
        for part in concat.inputs:
            count = shape_of(part)[-1]
            yield from _of_coordinates(part, bounds[first : first + count])
            first += count
    elif bounds:
        yield Column(indices, bounds[0]) if len(set(bounds)) == 1 else None


def needed_of_inputs(main: FuncOp, op: Indexing, ranges: IndexRanges) -> list[Needed] | None:
    """Return what inputs and states have to be for the indices of `op`, in `main`, to be in range: nothing where they
    always are, None where no bounds of inputs and states say it exactly."""
    found, every = list[Needed](), columns(op)
    if every is None:
        return None
    for column in every:
        needed = ranges.needed(*column)
        if needed is None or not all(name_of(main, each.argument) for each in needed):
            return None
        found += needed
    return found


def name_of(main: FuncOp, argument: BlockArgument) -> str | None:
    """Return the name of an argument of `main`; None for other arguments."""
    if argument.owner is not main.body.block or main.arg_attrs is None:
        return None
    return text(main.arg_attrs.data[argument.index], NAME)
