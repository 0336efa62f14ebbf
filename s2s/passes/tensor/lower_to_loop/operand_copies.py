"""Emit the copies of `cache_read` to scratch.

A copy is either widened to 16 bits, with the zero point subtracted and padding stored as 0; or it keeps the bytes, with
padding stored as the zero point. `copy_plan.py` says what is copied, and where to.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from math import prod

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds, limits_of
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.copy_plan import PAIR, CopyPlan
from s2s.analysis.structure.products import numbered
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.support.frozen import frozen
from s2s.support.mutable import mutable
from s2s.types.affine import at_dims, bounds, coefficient, flat_index, linear, ranges


@frozen
class Segment:
    """A part of a copy: `count` elements at distance `stride`, along the innermost of the copied axes."""

    dims: tuple[int, ...]
    count: int
    stride: int
    rows: int = 1
    """Rows of as many elements that follow each other in the operand, and lie side by side in the copy."""


@mutable
class CopyEmitter:
    """Emits the copy of one plan."""

    plan: CopyPlan
    emitter: Emitter
    source: SSAValue
    target: SSAValue
    names: Sequence[str]

    def emit(self, dims: Sequence[AffineExpr], counts: Sequence[int]) -> CopiedOperand:
        """Emit the copy for the tile at `dims`, with `counts` points along each dimension; return the copy. Reductions
        are where the current block of them starts."""
        plan, rank = self.plan, self.plan.op.rank
        zero = AffineConstantExpr(0)
        base = [expr if dim in plan.outer or dim >= rank else zero for dim, expr in enumerate(dims)]
        operand = CopiedOperand(plan, self.target, base)
        with ExitStack() as stack:
            here = list(base)
            points = [dim for dim in plan.tile_dims if counts[dim] > 1] if plan.is_rows else []
            joined = self._joined(points, counts)
            for dim in points:
                if dim != joined:
                    point = stack.enter_context(self.emitter.loop(Bounds(0, counts[dim]), f"{self.names[dim]}_point"))
                    here[dim] = here[dim] + point
            if plan.is_rows:
                self._rows(operand, here, 1 if joined is None else counts[joined])
            else:
                self._window(operand, here)
        return operand

    def _joined(self, points: Sequence[int], counts: Sequence[int]) -> int | None:
        """Return the dimension of a tile along which rows of neighbouring points follow each other in operand and copy,
        so that one run holds all; None without one. Rows side by side are copied together if they are all of a tile."""
        op, plan = self.plan.op, self.plan
        if not points or self._limits_of_blocks():
            return None
        segment, box = self._row_segment([]), ranges(op.sizes)
        if segment.stride != 1 or segment.count != prod(plan.sizes[op.rank :]):
            return None
        dims = [AffineDimExpr(dim) for dim in range(len(op.sizes))]
        source = flat_index(plan.access.map.data.results, shape_of(op.reads[plan.read]))
        target = plan.position(dims, [AffineConstantExpr(0)] * len(dims))
        by_points = plan.schedule.by_points
        wanted = (segment.count, PAIR if by_points else segment.count)
        steps = {dim: tuple(coefficient(expr, dim, box) for expr in (source, target)) for dim in points}
        joinable = [dim for dim in points if counts[dim] == plan.points or not by_points]
        return next((dim for dim in joinable if steps[dim] == wanted), None)

    # copies of rows, in the order of the reduction

    def _rows(self, operand: CopiedOperand, here: list[AffineExpr], joined: int) -> None:
        """Copy the row of the point at `here`, and the rows of the following points up to `joined` of them."""
        op, plan = self.plan.op, self.plan
        guards = self._limits_of_blocks()
        row = self._row_segment(guards)
        by_points = plan.schedule.by_points
        segment = Segment(row.dims, row.count * (1 if by_points else joined), row.stride, joined if by_points else 1)
        outer = [dim for dim in range(op.rank, len(op.sizes)) if dim not in segment.dims and plan.sizes[dim] > 1]
        with ExitStack() as stack:
            for dim in outer:
                here[dim] = stack.enter_context(self.emitter.loop(self._steps(dim, here[dim]), self.names[dim]))
            inside = [guard for guard in guards if guard.expr.used_dims() & set(segment.dims)]
            around = [Constraint(at_dims(guard.expr, here), guard.modulus) for guard in guards if guard not in inside]
            indices = [at_dims(expr, here) for expr in plan.access.map.data.results]
            source = flat_index(indices, shape_of(op.reads[plan.read]))
            self._guarded(around, operand.position(here), source, segment, self._limits(here, segment, inside))

    def _limits_of_blocks(self) -> list[Constraint]:
        """Return the constraints under which a step of any block is in bounds of the operand.

        They are of two kinds: the guard of a padded operand, and the end of the operand where the last block of a
        reduction is shorter than its copy. With 10 steps in blocks of 4, the copy of the last block has room for steps
        8 to 11; of an operand with 10 elements a row, steps 10 and 11 are stored as padding and never used.
        """
        plan = self.plan
        if not plan.may_leave_operand:
            return []
        covered = [-(-size // part) * part for size, part in zip(plan.op.sizes, plan.sizes, strict=True)]
        limits = limits_of(plan.access, shape_of(plan.op.reads[plan.read]))
        return [limit for limit in limits if limit.holds(ranges(covered)) is not Holds.ALWAYS]

    def _steps(self, dim: int, base: AffineExpr) -> Bounds:
        """Return the steps of reduction `dim` that are copied, from `base` on."""
        whole, block = self.plan.op.sizes[dim], self.plan.sizes[dim]
        if block == whole:
            return Bounds(0, whole)
        return Bounds(0, whole, 1, (base,), (base + block,))

    def _row_segment(self, guards: Sequence[Constraint]) -> Segment:
        """Return the innermost reduction dimensions that form one segment: the source has one stride along all of
        them."""
        op, plan = self.plan.op, self.plan
        shape = shape_of(op.reads[plan.read])
        position = flat_index(plan.access.map.data.results, shape)
        dims: list[int] = []
        count, stride = 1, 1
        for dim in reversed(range(op.rank, len(op.sizes))):
            if plan.sizes[dim] == 1:
                continue
            step = coefficient(position, dim, ranges(op.sizes))
            if step is None or (dims and step != count * stride) or not self._clips(dim, [dim, *dims], guards):
                break
            stride = stride if dims else step
            dims.insert(0, dim)
            count *= plan.sizes[dim]
        return Segment(tuple(dims), count, stride)

    def _clips(self, dim: int, dims: Sequence[int], guards: Sequence[Constraint]) -> bool:
        """Return whether the guards limit `dims` to one range of the segment: none divides, and only the outermost
        dimension has any, at most one for each end of the range."""
        box, ends = ranges(self.plan.op.sizes), list[bool]()
        for guard in guards:
            used = guard.expr.used_dims() & set(dims)
            if not used:
                continue
            step = coefficient(guard.expr, dim, box)
            if guard.modulus or used != {dim} or step is None:
                return False
            ends.append(step > 0)
        return len(set(ends)) == len(ends)

    def _limits(
        self, here: Sequence[AffineExpr], segment: Segment, guards: Sequence[Constraint]
    ) -> tuple[AffineExpr, AffineExpr] | tuple[()]:
        """Return the part of the segment for which `guards`, constraints on its outermost dimension, hold; empty if all
        do."""
        low: AffineExpr = AffineConstantExpr(0)
        high: AffineExpr = AffineConstantExpr(segment.count)
        if not segment.dims:
            return ()
        dim = segment.dims[0]
        inner, size = segment.count // self.plan.sizes[dim], self.plan.sizes[dim]
        box = [*self.emitter.space.bound, (0, size - 1)]
        moving = list(here)
        moving[dim] = moving[dim] + AffineDimExpr(len(box) - 1)
        open_guards = 0
        for guard in guards:
            expr = at_dims(guard.expr, moving)
            if bounds(expr, box)[0] >= 0:
                continue
            open_guards += 1
            form = linear(expr, box)
            factor = form.terms[AffineDimExpr(len(box) - 1)]
            rest = at_dims(guard.expr, here)
            if factor > 0:
                low = (rest * -1).ceil_div(factor) * inner
            else:
                high = (rest // -factor + 1) * inner
        return (low, high) if open_guards else ()

    # copies of windows, padding included

    def fill_margins(self) -> None:
        """Store the padding of all copies of a window, if it lies at the same positions of each."""
        if not self.plan.fixed_ranges:
            return
        size = prod(self.plan.extents)
        zero = AffineConstantExpr(0)
        self._copy([zero] * 4, Segment((), size, 1), 1)

    def _inside(self, operand: CopiedOperand, here: Sequence[AffineExpr], ranges: Mapping[int, range]) -> None:
        """Copy the part of a window that is inside of the operand."""
        plan = self.plan
        shape = shape_of(plan.op.reads[plan.read])
        first = [at_dims(expr, here) for expr in plan.access.map.data.results]
        *outer, last = ranges
        place: list[AffineExpr] = [AffineConstantExpr(0)] * len(shape)
        place[last] = AffineConstantExpr(ranges[last].start)
        with ExitStack() as stack:
            for axis in outer:
                rows = Bounds(ranges[axis].start, ranges[axis].stop)
                place[axis] = stack.enter_context(self.emitter.loop(rows, "row"))
            source = flat_index([at + step for at, step in zip(first, place, strict=True)], shape)
            segment = Segment((), len(ranges[last]), prod(shape[last + 1 :]))
            self._copy([flat_index(place, plan.extents), source], segment, segment.stride)

    def _window(self, operand: CopiedOperand, here: Sequence[AffineExpr]) -> None:
        plan = self.plan
        if plan.fixed_ranges:
            self._inside(operand, here, plan.fixed_ranges)
            return
        shape = shape_of(plan.op.reads[plan.read])
        first = [at_dims(expr, here) for expr in plan.access.map.data.results]
        axes = [axis for axis, extent in enumerate(plan.extents) if extent > 1] or [len(shape) - 1]
        whole = self._whole(first, axes)
        last = whole[0]
        place: list[AffineExpr] = [AffineConstantExpr(0)] * len(shape)
        with ExitStack() as stack:
            for axis in axes[: axes.index(last)]:
                bounds_here = Bounds(0, plan.extents[axis])
                place[axis] = stack.enter_context(self.emitter.loop(bounds_here, "row"))
            around: list[Constraint] = []
            for axis, size in enumerate(shape):
                if plan.may_leave_operand and axis not in whole:
                    inside = first[axis] + place[axis]
                    around += [Constraint(inside), Constraint(inside * -1 + (size - 1))]
            inner = prod(plan.extents[axis] for axis in whole[1:])
            segment = Segment((), plan.extents[last] * inner, 1 if inner > 1 else prod(shape[last + 1 :]))
            source = flat_index([at + step for at, step in zip(first, place, strict=True)], shape)
            behind = bounds(source, self.emitter.space.bound)[1] + (segment.count - 1) * segment.stride >= prod(shape)
            limits: tuple[AffineExpr, AffineExpr] | tuple[()] = ()
            if plan.may_leave_operand or behind:
                limits = self._limits_of_window(first[last], plan.extents[last], shape[last], inner)
            self._guarded(around, flat_index(place, plan.extents), source, segment, limits)

    def _whole(self, first: Sequence[AffineExpr], axes: Sequence[int]) -> list[int]:
        """Return the last axes that are copied in one segment: all of each but the first is copied, so that they are
        contiguous."""
        shape = shape_of(self.plan.op.reads[self.plan.read])
        whole = [axes[-1]]
        while len(whole) < len(axes) and prod(shape[whole[-1] + 1 :]) == 1:
            taken = shape[whole[0]] == self.plan.extents[whole[0]]
            between = prod(shape[axes[-len(whole) - 1] + 1 : whole[0]])
            if not taken or between > 1 or not self._is_inside(first[whole[0]], shape[whole[0]], shape[whole[0]]):
                break
            whole.insert(0, axes[-len(whole) - 1])
        return whole

    def _limits_of_window(
        self, first: AffineExpr, extent: int, size: int, inner: int
    ) -> tuple[AffineExpr, AffineExpr] | tuple[()]:
        """Return the part of a segment inside of the operand: of `extent` positions from `first` on along an axis of
        `size`, each of `inner` elements; empty if all of it is. Rows of a copy may be longer than those of the operand,
        which shows behind its last row."""
        if self._is_inside(first, extent, size):
            return ()
        return first * -inner, (first * -1 + size) * inner

    def _is_inside(self, first: AffineExpr, extent: int, size: int) -> bool:
        low, high = bounds(first, self.emitter.space.bound)
        return low >= 0 and high + extent <= size

    # one segment

    def _guarded(
        self,
        guards: Sequence[Constraint],
        target: AffineExpr,
        source: AffineExpr,
        segment: Segment,
        limits: Sequence[AffineExpr],
    ) -> None:
        """Emit the segment where `guards` hold, else zeros."""
        bound = self.emitter.space.bound
        zero = AffineConstantExpr(0)
        zeros = [target, zero, zero, zero]
        if any(guard.holds(bound) is Holds.NEVER for guard in guards):
            self._copy(zeros, segment, 1)
            return
        undecided = [guard for guard in guards if guard.holds(bound) is Holds.MAYBE]
        if not undecided:
            self._copy([target, source, *limits], segment, segment.stride)
            return
        then, otherwise = Block(), Block()
        with self.emitter.inside(then):
            self._copy([target, source, *limits], segment, segment.stride)
            then.add_op(loop.YieldOp())
        with self.emitter.inside(otherwise):
            self._copy(zeros, segment, 1)
            otherwise.add_op(loop.YieldOp())
        identity: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(self.emitter.space.loops))]
        self.emitter.when(undecided, identity, Region(then), Region(otherwise), [])

    def _copy(self, exprs: Sequence[AffineExpr], segment: Segment, stride: int) -> None:
        affine_map, indices = self.emitter.space.emit(*exprs)
        copy = loop.CacheReadOp(
            self.source,
            self.target,
            affine_map,
            indices,
            count=segment.count,
            stride=stride,
            offset=self.plan.offset,
            fill=self.plan.fill,
            flip=self.plan.flips,
            pairs=self.plan.schedule.in_pairs,
            points=self.plan.side_by_side,
            rows=segment.rows,
        )
        copy.attributes |= numbered(self.plan.number)
        self.emitter.add(copy)
