"""The axes that operators index, and whether the indices are in range.

    %at = graph.argmax %scores {axis = 0}        in range of an axis of size N, if %scores has N elements in a run
    %y = graph.gather %x, %at {axis = 0}         %x: 128 rows at the most, N in a run

An axis whose size varies has as many positions as the run says: a proof for it holds at the least size, or says that
the index counts along another axis of the same size.
"""

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from s2s.analysis.network.functions import NAME, text
from s2s.analysis.network.varying_values import VaryingValues
from s2s.analysis.numbers.index_ranges import IndexRanges, Needed
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.support.frozen import frozen
from s2s.types.index_bounds import IndexBounds
from s2s.types.sizes import SizeTable


class IndexedAxis(NamedTuple):
    """An axis that indices count along."""

    bounds: IndexBounds
    """What they have to lie within at the greatest size; negative ones count from the end."""
    size: str = ""
    """The size that the axis has in a run; empty for a constant one."""


class Column(NamedTuple):
    """Indices that count along axes of one size."""

    indices: SSAValue
    axis: IndexedAxis


@frozen
class IndexProofs:
    """Proves that indices are in range in every run, whatever its sizes."""

    ranges: IndexRanges
    varying: VaryingValues
    table: SizeTable

    def axes(self, op: graph.IndexingOp) -> list[IndexedAxis]:
        """Return the axes of `op.x` that its indices count along."""
        shape, names = shape_of(op.x), self.varying.extents_of(op.x) or ("",) * len(shape_of(op.x))
        return [
            IndexedAxis(IndexBounds(0 if op.is_nonnegative else -shape[axis], shape[axis] - 1), names[axis])
            for axis in op.indexed_axes
        ]

    def columns(self, op: graph.IndexingOp) -> list[Column] | None:
        """Return the indices of `op`, by the axis that they count along; None where coordinates stand in one tensor
        and their axes differ."""
        axes = self.axes(op)
        if op.has_coordinates:
            found = list(_of_coordinates(op.indices, axes))
            return None if None in found else [each for each in found if each is not None]
        return [Column(op.indices, axes[0])]

    def are_in_range(self, op: graph.IndexingOp) -> bool:
        """Return whether all indices of `op` are in range in every run."""
        every = self.columns(op)
        return _is_known_in_range(op) or (every is not None and all(map(self._is_in_range, every)))

    def needed_of_inputs(self, main: FuncOp, op: graph.IndexingOp) -> list[Needed] | None:
        """Return what inputs and states have to be for the indices of `op`, in `main`, to be in range at the greatest
        sizes: nothing where they always are, None where no bounds of inputs and states say it exactly."""
        found, every = list[Needed](), [] if _is_known_in_range(op) else self.columns(op)
        if every is None:
            return None
        for column in every:
            needed = self.ranges.needed(column.indices, column.axis.bounds)
            if needed is None or not all(name_of(main, each.argument) for each in needed):
                return None
            found += needed
        return found

    def _is_in_range(self, column: Column) -> bool:
        bounds, size = column.axis
        if size:
            least = self.table.range(size).least
            bounds = IndexBounds(max(bounds.least, -least), least - 1)
        return self.ranges.needed(column.indices, bounds) == [] or bool(size and self._counts_along(column, bounds))

    def _counts_along(self, column: Column, at_least: IndexBounds) -> bool:
        """Return whether the elements of a column are positions of axes that have its size, or lie within bounds that
        hold `at_least` the size is."""
        pending, seen = [column.indices], {column.indices}
        while pending:
            value = pending.pop()
            if self.ranges.needed(value, at_least) == [] or self._counted(value) == column.axis.size:
                continue
            behind = self._moved(value)
            if behind is None:
                return False
            pending += [each for each in behind if each not in seen]
            seen.update(behind)
        return True

    def _counted(self, value: SSAValue) -> str | None:
        """Return the size of the axis that `value` holds positions of; None where it holds no positions."""
        match value.owner:
            case graph.ArgmaxOp(x=x, axis=axis) | graph.ArgminOp(x=x, axis=axis):
                return self._size_of(x, axis.value.data)
            case graph.IotaOp(axis=axis):
                return self._size_of(value, axis.value.data)
            case graph.TopKOp(x=x):
                return self._size_of(x, -1)
            case graph.RowOrderOp(x=x):
                return self._size_of(x, 0)
            case graph.NonzeroOp(mask=mask) if len(shape_of(mask)) == 1:
                return self._size_of(mask, 0)
            case _:
                return None

    def _size_of(self, value: SSAValue, axis: int) -> str | None:
        names = self.varying.extents_of(value)
        return None if names is None else names[axis]

    def _moved(self, value: SSAValue) -> tuple[SSAValue, ...] | None:
        """Return the values that each element of `value` is an element of; None where it is computed."""
        if isinstance(value, BlockArgument):
            handed = self.ranges.handed(value)
            return None if handed is None else (handed,)
        match value.owner:
            case graph.ReshapeOp(x=x) | graph.BroadcastToOp(x=x) | graph.TransposeOp(x=x) | graph.TileOp(x=x):
                return (x,)
            case graph.SliceOp(x=x) | graph.DynamicSliceOp(x=x) | graph.GatherFamilyOp(x=x):
                return (x,)
            case graph.ReduceMaxOp(x=x) | graph.ReduceMinOp(x=x):
                return (x,)
            case graph.CastOp(x=x) if self.ranges.range(x) is not None and self.ranges.range(value) is not None:
                return (x,)
            case graph.ConcatOp(inputs=parts):
                return tuple(parts)
            case graph.SelectOp(a=a, b=b) | graph.MinimumOp(a=a, b=b) | graph.MaximumOp(a=a, b=b):
                return (a, b)
            case _:
                return None


def _is_known_in_range(op: graph.IndexingOp) -> bool:
    """Return whether a pass has found all indices of `op` in range."""
    return isinstance(op, graph.GatherFamilyOp) and op.in_range is not None


def _of_coordinates(indices: SSAValue, axes: list[IndexedAxis]) -> Iterator[Column | None]:
    """Yield the columns of coordinates `[…, k]`."""
    concat = indices.owner
    if isinstance(concat, graph.ConcatOp) and concat.axis.value.data == len(shape_of(indices)) - 1:
        first = 0
        for part in concat.inputs:
            count = shape_of(part)[-1]
            yield from _of_coordinates(part, axes[first : first + count])
            first += count
    elif axes:
        yield Column(indices, axes[0]) if len(set(axes)) == 1 else None


def name_of(main: FuncOp, argument: BlockArgument) -> str | None:
    """Return the name of an argument of `main`; None for other arguments."""
    if argument.owner is not main.body.block or main.arg_attrs is None:
        return None
    return text(main.arg_attrs.data[argument.index], NAME)
