"""The points of a register tile, and the loads that they share."""

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from itertools import product
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds, guard_of
from s2s.analysis.affine.pieces import Piece
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.support.frozen import frozen
from s2s.support.mutable import mutable
from s2s.types.affine import (
    Linear,
    Range,
    at_dims,
    at_point,
    bounds,
    flat_index,
    is_dim,
    linear,
    linear_of_dims,
    simplify,
)
from s2s.types.dtypes import vector_of
from s2s.types.hints import isa


class TilePoint(NamedTuple):
    """A point of a register tile: its offset along each parallel dimension, its lanes along the vector dimension."""

    offsets: tuple[int, ...]
    vector_dim: int | None
    lanes: int
    active: int
    label: str
    """Suffix that distinguishes temporaries of the tile's points; empty for a tile of one point."""


def tile_points(pieces: Sequence[Piece]) -> list[TilePoint]:
    """Return the points of the tile that `pieces`, the current pieces of the parallel dimensions, span."""
    vector_dim = next((dim for dim, piece in enumerate(pieces) if piece.lanes > 1), None)
    steps = [range(0, piece.tile, piece.lanes) for piece in pieces]
    wide = [dim for dim, step in enumerate(steps) if len(step) > 1]
    points: list[TilePoint] = []
    apart = "x" if len(wide) > 1 and any(len(step) > 10 for step in steps) else ""
    for offsets in product(*steps):
        label = apart.join(str(offsets[dim] // pieces[dim].lanes) for dim in wide)
        active = (
            1 if vector_dim is None else min(pieces[vector_dim].lanes, pieces[vector_dim].tile - offsets[vector_dim])
        )
        lanes = 1 if vector_dim is None else pieces[vector_dim].lanes
        points.append(TilePoint(offsets, vector_dim, lanes, active, label))
    return points


def in_turn(points: Sequence[TilePoint]) -> list[int]:
    """Order the points of a tile for a step of the reduction; returns their numbers.

    The longest side comes last, so that operands along the short sides stay in registers, and each element along the
    long side is loaded and used once.
    """
    dims = range(len(points[0].offsets))
    sides = sorted(dims, key=lambda dim: -len({point.offsets[dim] for point in points}))
    return sorted(range(len(points)), key=lambda number: [points[number].offsets[dim] for dim in sides])


@frozen(eq=False)
class Operand:
    """A buffer and the access by which the domain indexes it."""

    buffer: SSAValue
    access: tensor.AccessAttr
    shape: tuple[int, ...]
    element: Attribute
    domain: tuple[Range, ...] = ()
    """The known ranges of the dimensions."""

    @cached_property
    def guard(self) -> list[Constraint]:
        """The constraints under which the access is in bounds, without constraints that always hold."""
        guard = guard_of(self.access, self.shape)
        if not self.domain:
            return guard
        simple = [Constraint(simplify(each.expr, self.domain), each.modulus) for each in guard]
        return [each for each in simple if each.holds(self.domain) is not Holds.ALWAYS]

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """The dimensions that the flat index depends on."""
        return tuple(sorted({dim for expr in self.access.map.data.results for dim in expr.used_dims()}))

    @cached_property
    def form(self) -> Linear | None:
        """The flat index of the element read, over the dimensions; None where it has divisions that do not cancel.

        x[d0 floordiv 20, d0 floordiv 5 mod 4, d0 mod 5] of a tensor<65x4x5xf32>  ->  d0
        """
        if any(divisor > 1 for divisor in self.access.division):
            return None
        index = flat_index(self.access.map.data.results, self.shape)
        form = linear_of_dims(index)
        if form is not None or not self.domain:
            return form
        inside = linear(index, self.domain)
        return inside if all(map(is_dim, inside.terms)) else None

    def position(self, dims: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index of the element read at the point `dims`."""
        indices = [
            at // divisor if divisor > 1 else at
            for expr, divisor in zip(self.access.map.data.results, self.access.division, strict=True)
            for at in [at_dims(expr, dims)]
        ]
        return flat_index(indices, self.shape)

    def place(self, dims: Sequence[AffineExpr], bound: Sequence[Range]) -> Linear:
        """Return the flat index of the element read at the point `dims`, over dimensions with ranges `bound`."""
        return linear(self.position(dims), bound) if self.form is None else at_point(self.form, dims, bound)


@mutable
class Loads:
    """The loads of the current block, which the points of a tile share."""

    emitter: Emitter
    made: dict[tuple[object, ...], SSAValue] = field(default_factory=dict[tuple[object, ...], SSAValue])
    places: dict[tuple[object, ...], tuple[Linear, int]] = field(
        default_factory=dict[tuple[object, ...], tuple[Linear, int]]
    )
    """Flat indices computed before: points that differ only in dimensions an operand does not depend on share one."""

    def nested(self) -> "Loads":
        """Loads for a nested block: it reuses these, and its own are not visible outside."""
        return Loads(self.emitter, dict(self.made))

    def load(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> SSAValue:
        """Load the element of `operand` at `dims`; a vector if the point is one and the operand varies along it."""
        here, stride = self._place(operand, dims, point)
        if stride == 0:
            return self._scalar(operand, here)
        active = None if self._lies_whole(operand, here, stride, point) else point.active
        key = (operand.buffer, here.key, stride, active)
        if key not in self.made:
            affine_map, indices = self.emitter.space.emit_forms(here)
            vector = vector_of(operand.element, point.lanes)
            op = loop.LoadOp(operand.buffer, affine_map, indices, vector, stride=stride, lanes=active)
            self.made[key] = self.emitter.add(op, operand.buffer.name_hint).result
        return self.made[key]

    def _place(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> tuple[Linear, int]:
        """Return the flat index of the element at `dims`, and the distance of neighbouring lanes."""
        space = self.emitter.space
        if operand.form is not None:
            return operand.place(dims, space.bound), self._step(operand.form, point)
        key = (operand, len(space.loops), point.vector_dim, point.lanes, *(dims[dim] for dim in operand.dims))
        if key not in self.places:
            stride = 0 if point.vector_dim is None else self._stride(operand, dims, point)
            self.places[key] = operand.place(dims, space.bound), stride
        return self.places[key]

    def _step(self, form: Linear, point: TilePoint) -> int:
        """Distance in elements of neighbouring lanes, where `form` is the flat index over the dimensions."""
        return 0 if point.vector_dim is None else form.terms.get(AffineDimExpr(point.vector_dim), 0)

    def _stride(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> int:
        """Distance in elements of neighbouring lanes."""
        space = self.emitter.space
        lane = AffineDimExpr(len(space.loops))
        along = [expr + lane if dim == point.vector_dim else expr for dim, expr in enumerate(dims)]
        form = linear(operand.position(along), [*space.bound, (0, point.lanes - 1)])
        stride = form.terms.get(lane, 0)
        if any(lane.position in atom.used_dims() for atom in form.terms if atom != lane):
            raise CompilerBug(
                f"{operand.access.map.data} does not move in equal steps along the vectors of dimension "
                f"{point.vector_dim}, which may begin anywhere; the verifier refuses that"
            )
        return stride

    def _lies_whole(self, operand: Operand, position: Linear, stride: int, point: TilePoint) -> bool:
        """Return whether all lanes of a vector are inside the buffer; lanes without a result may load anything.

        Packed constants are padded to whole blocks for this purpose: a load of some lanes takes several instructions.
        """
        if point.active == point.lanes:
            return True
        if stride != 1 or not isinstance(operand.element, Float32Type):
            return False
        buffer = operand.buffer.type
        assert isa(buffer, MemRefType)
        return bounds(position.to_expr(), self.emitter.space.bound)[1] + point.lanes <= buffer.get_shape()[0]

    def widened(self, value: SSAValue, element: IntegerType) -> SSAValue:
        """`value` extended to integers of `element`, once for all points; itself if it has them."""
        lanes = loop.lanes_of(value.type)
        if value.type == (vector_of(element, lanes) if lanes else element):
            return value
        key = ("widened", value, element)
        if key not in self.made:
            wide = loop.CastLanesOp(value, element) if lanes else arith.ExtSIOp(value, element)
            self.made[key] = self.emitter.add(wide, value.name_hint).results[0]
        return self.made[key]

    def load_at(self, operand: Operand, position: AffineExpr) -> SSAValue:
        """Load the element of `operand` at a flat index."""
        return self._scalar(operand, self.emitter.space.linear(position))

    def _scalar(self, operand: Operand, here: Linear) -> SSAValue:
        key = (operand.buffer, here.key)
        if key not in self.made:
            affine_map, indices = self.emitter.space.emit_forms(here)
            op = loop.LoadOp(operand.buffer, affine_map, indices, operand.element)
            self.made[key] = self.emitter.add(op, operand.buffer.name_hint).result
        return self.made[key]

    def splat(self, value: SSAValue, lanes: int) -> SSAValue:
        """Broadcast `value` to a vector, once for all points."""
        if lanes == 1 or isinstance(value.type, VectorType):
            return value
        key = ("splat", value, lanes)
        if key not in self.made:
            self.made[key] = self.emitter.splat(value, lanes)
        return self.made[key]
