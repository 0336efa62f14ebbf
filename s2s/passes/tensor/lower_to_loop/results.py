"""Compute the results of a tile from its accumulators, and store them."""

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.biases import Bias
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.bodies import Bodies, point_dims
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.support.frozen import frozen
from s2s.types.affine import Linear, at_dims, at_point, bounds, coefficient, linear_of_dims


@frozen
class Results:
    """Writes the results of tiles; `epilogue` are the operands of the apply region."""

    bodies: Bodies
    epilogue: Sequence[Operand]
    bias: Bias | None = None
    """What accumulators already hold."""
    strides: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    """Computed before: the distance of neighbouring lanes of a result, along a dimension."""

    def write(self, points: Sequence[TilePoint], dims: Sequence[AffineExpr], accumulators: Sequence[SSAValue]) -> None:
        """Evaluate the apply region for the `accumulators` of the tile at `dims`, and store what it yields."""
        op = self.bodies.tile.op
        arguments, width = op.apply.block.args, len(op.inits)
        sources = dict(zip(arguments[width:], self.epilogue, strict=False))
        loads = Loads(self.bodies.emitter)
        for number, point in enumerate(points):
            here = point_dims(point, dims)
            body = self.bodies.body(loads, point, here[: op.rank], arguments, sources)
            body.values.update(zip(arguments, accumulators[number * width : (number + 1) * width], strict=False))
            if self.bias is not None:
                body.values[self.bias.addition.results[0]] = accumulators[number]
            for result, value in enumerate(body.run(op.apply)):
                self._store(result, value, point, here)

    def _store(self, number: int, value: SSAValue, point: TilePoint, dims: list[AffineExpr]) -> None:
        tile, emitter = self.bodies.tile, self.bodies.emitter
        place, result = tile.places[number], tile.op.res[number]
        buffer = self.bodies.buffers[result]
        form = self._forms[number]
        if form is not None:
            affine_map, indices = emitter.space.emit_forms(at_point(form, dims, emitter.space.bound))
        else:
            affine_map, indices = emitter.space.emit(at_dims(place, dims))
        if point.vector_dim is None:
            emitter.add(loop.StoreOp(value, buffer, affine_map, indices))
            return
        stride = self._stride(number, point.vector_dim)
        partly = point.active < point.lanes and not self._has_room(result, point, dims)
        active = point.active if partly else None
        vector = emitter.splat(value, point.lanes)
        emitter.add(loop.StoreOp(vector, buffer, affine_map, indices, stride=stride, lanes=active))

    @cached_property
    def _forms(self) -> list[Linear | None]:
        """The flat index of each result over the dimensions, where it has no divisions."""
        return [linear_of_dims(place) for place in self.bodies.tile.places]

    def _stride(self, number: int, dim: int) -> int:
        """Distance in elements of neighbouring lanes of a result."""
        if (number, dim) not in self.strides:
            stride = coefficient(self.bodies.tile.places[number], dim, self.bodies.tile.box)
            assert stride is not None
            self.strides[number, dim] = stride
        return self.strides[number, dim]

    def _has_room(self, value: SSAValue, point: TilePoint, dims: Sequence[AffineExpr]) -> bool:
        """Return whether the partial vector of `point` may be stored as a full one in `value`: a block with room for
        all lanes, of which these are the last. Where a border cuts the dimension, others would come after it."""
        tile, dim = self.bodies.tile, point.vector_dim
        if dim is None or value not in tile.held or tile.room.get(dim, 1) % point.lanes:
            return False
        first, last = bounds(dims[dim], self.bodies.emitter.space.bound)
        return first == last and first % point.lanes == 0 and first + point.active == tile.op.sizes[dim]
