"""Interpret `tensor.transform`: both matrix products at once, in 64-bit sums that are rounded, or wrap, once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir.affine import AffineMap

from s2s.analysis.structure.winograd import exact_division
from s2s.dialects import tensor
from s2s.interpret.tensor.body import Body, Moment
from s2s.types.dtypes import Array, as_tensor_type, to_numpy


def evaluate_transform(op: tensor.TransformOp, operands: Sequence[Array]) -> list[Array]:
    """Compute the result of `op`."""
    x, points = operands[0], operands[1:]
    left, right = (np.array(matrix) for matrix in op.matrices)
    tiles, inside = _gather(x, op.read.map.data, op.read_sizes)
    if op.carrier != f32:
        tiles = tiles.astype(np.int64) + np.where(inside, op.added, 0)
        left, right = left.astype(np.int64), right.astype(np.int64)
    sums = np.einsum("ik,...kl,jl->...ij", left, tiles, right, optimize=True).astype(to_numpy(op.carrier))
    sums = exact_quotient(sums, op.divided_by)
    result = np.empty(as_tensor_type(op.res.type).get_shape(), to_numpy(tensor.element_type(op.res)))
    positions, inside = _positions(op.into.map.data, op.write_sizes, result.shape)
    elements = [
        _gather(value, access.map.data, op.write_sizes)[0] for value, access in zip(points, op.accesses, strict=True)
    ]
    moment = Moment(_grid(op.write_sizes), [None] * (1 + len(elements)))
    (values,) = Body(op.apply.block).run([sums, *elements], moment)
    shown = np.broadcast_to(inside, op.write_sizes)
    where = tuple(np.broadcast_to(position, op.write_sizes)[shown] for position in positions)
    result[where] = np.broadcast_to(np.asarray(values), op.write_sizes)[shown]
    return [result]


def exact_quotient(sums: Array, divisor: int) -> Array:
    """Divide sums of 32 bits, which may have wrapped around, by a divisor of the sums before."""
    if divisor == 1:
        return sums
    places, inverse = exact_division(divisor)
    return (sums.astype(np.int64) * inverse).astype(np.int32) >> np.int32(places)


def _grid(sizes: Sequence[int]) -> list[Array]:
    return list(np.ix_(*map(np.arange, sizes)))


def _positions(affine_map: AffineMap, sizes: Sequence[int], shape: Sequence[int]) -> tuple[list[Array], Array]:
    """Return the index along every axis, and which points are inside of `shape`."""
    grid: list[Any] = _grid(sizes)
    positions = [np.asarray(result.eval(grid, [])) for result in affine_map.results]
    inside = np.array(True)
    for position, size in zip(positions, shape, strict=True):
        inside = inside & (position >= 0) & (position < size)
    return positions, inside


def _gather(operand: Array, affine_map: AffineMap, sizes: Sequence[int]) -> tuple[Array, Array]:
    """Return the elements of `operand` over a domain of `sizes`, with zeros out of bounds, and which are in bounds."""
    positions, inside = _positions(affine_map, sizes, operand.shape)
    elements = operand[tuple(np.where(inside, position, 0) for position in positions)]
    return np.broadcast_to(np.where(inside, elements, np.zeros_like(elements)), sizes), inside
