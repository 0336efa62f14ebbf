"""Emit the sum of a sliding window as one operation on memory, for each result.

    acc0 = acc0 + sum over r < rows, k < n of x[a + r * distance + k] * w[b + r * n + k]

The window is cached as bytes, with padding of the zero point, and the constant is packed in rows of `n` elements, zeros
behind the last tap. A row of more than `n` taps, which is the only one then, is several rows at a distance of `n`.
"""

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.tile_and_fuse.window_rows import window_rows
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.initial import starts
from s2s.passes.tensor.lower_to_loop.products import products_of
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint


class WholeWindowReduction(TileReduction):
    """Reduces the tile by one operation for each point."""

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.form == "dot_window"

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        intrinsic, plan = self.schedule.intrinsic, self.nest.plan
        rows = None if plan is None else window_rows(plan, self.schedule.group)
        if intrinsic is None or plan is None or rows is None or self.copied is None:
            raise CompilerBug("the rows of a window do not lie at one distance in a copy; the verifier refuses that")
        w = self.reads[products_of(self.nest).other(plan.read).read]
        found: list[SSAValue] = []
        for point, acc in zip(points, starts(self.nest, points), strict=True):
            at = self._at(point)
            affine_map, indices = self.emitter.space.emit(self.copied.position(at), w.position(at))
            window = loop.IntrinsicWindowOp(
                intrinsic, acc, self.copied.buffer, w.buffer, affine_map, indices,
                rows=rows.count, distance=rows.distance,
            )  # fmt: skip
            found.append(self.emitter.add(window, acc.name_hint).result)
        return found

    def _at(self, point: TilePoint) -> list[AffineExpr]:
        """Return the position of the first tap of a point's window."""
        parallel = [expr + offset for expr, offset in zip(self.dims, point.offsets, strict=False)]
        return [*parallel[: self.op.rank], *[AffineConstantExpr(0) for _ in self.op.reduction_sizes]]
