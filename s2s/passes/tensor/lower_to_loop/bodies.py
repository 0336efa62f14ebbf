"""Create the scalar bodies of a computation for the points of its tiles."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.compute import body_ops, shape_of
from s2s.analysis.tile_and_fuse.tiles import ComputeTile
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.scalar_body import ScalarBody
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.support.frozen import frozen

PARTIAL = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
    tensor.ExtractOp,
)
"""Operations of bodies that are undefined for some operands."""


def point_dims(point: TilePoint, dims: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Return the position in the domain of `point` in the tile at `dims`."""
    offsets = [*point.offsets, *[0] * (len(dims) - len(point.offsets))]
    return [expr + offset if offset else expr for expr, offset in zip(dims, offsets, strict=True)]


@frozen
class Bodies:
    """The context that all bodies of one tile of a computation share."""

    tile: ComputeTile
    buffers: Mapping[SSAValue, SSAValue]
    emitter: Emitter

    @cached_property
    def is_partial(self) -> bool:
        """Whether an operation of the bodies is undefined for some operands: an integer division, an access to a table,
        a conversion of a float to an integer."""
        return any(isinstance(op, PARTIAL) for op in body_ops(self.tile.op))

    def body(
        self,
        loads: Loads,
        point: TilePoint,
        dims: list[AffineExpr],
        arguments: Sequence[BlockArgument],
        sources: dict[BlockArgument, Operand],
    ) -> ScalarBody:
        """Return a body with `arguments` for `point` at position `dims`; operands in `sources` are loaded on first
        use."""
        return ScalarBody(self.emitter, loads, point, dims, sources, self._tables(arguments), self.tile.own)

    def _tables(self, arguments: Sequence[BlockArgument]) -> dict[BlockArgument, tuple[SSAValue, tuple[int, ...]]]:
        last = arguments[len(arguments) - len(self._buffers_of_tables) :]
        return dict(zip(last, self._buffers_of_tables, strict=True))

    @cached_property
    def _buffers_of_tables(self) -> list[tuple[SSAValue, tuple[int, ...]]]:
        return [(self.buffers[table], shape_of(table)) for table in self.tile.op.tables]
