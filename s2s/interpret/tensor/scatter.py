"""Interpret `tensor.scatter`: the first update of every element at once, then the second of elements that have two."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.dialects import tensor
from s2s.interpret.scalar import Scalar, signless
from s2s.interpret.tensor.access import Box, boxes, reader
from s2s.interpret.tensor.body import Body, Moment
from s2s.types.dtypes import Array


def evaluate_scatter(op: tensor.ScatterOp, operands: Sequence[Array]) -> list[Array]:
    """Compute the result of `op`."""
    values = [signless(operand) for operand in operands]
    result = np.array(operands[0], order="C")
    flat = signless(result).reshape(-1)
    place, apply = Body(op.place.block), Body(op.apply.block)
    names = [f"{op.name}: %{operand.name_hint or number}" for number, operand in enumerate(op.operands)]
    readers = [reader(*each, op.sizes) for each in zip(names[1:], values[1:], op.accesses, strict=True)]
    parts, epilogue = readers[: len(op.parts)], readers[len(op.parts) :]
    with np.errstate(all="ignore"):
        for box in boxes(op.sizes):
            moment = Moment(box.grid, [])
            indices = place.run([part.read(box, ())[0] for part in parts], moment)
            positions, kept = _positions(op, box, indices, result.shape)
            news = [_spread(each.read(box, ())[0], box)[kept] for each in epilogue]
            for chosen in _rounds(positions):
                here = positions[chosen]
                (flat[here],) = apply.run([flat[here], *(new[chosen] for new in news)], moment)
    return [result]


def _positions(op: tensor.ScatterOp, box: Box, indices: Sequence[Scalar], shape: Sequence[int]) -> tuple[Array, Array]:
    """Return the flat position of each point of `box` that replaces an element, and a mask of these points."""
    grid: list[Any] = list(box.grid)
    places = [_spread(np.asarray(expr.eval(grid, [])), box) for expr in op.into.map.data.results]
    for axis, index in zip(op.indexed_axes, indices, strict=True):
        places[axis] = _spread(np.asarray(index, np.int64), box)
    kept = np.ones(np.prod(box.shape, dtype=int), bool)
    for place, size in zip(places, shape, strict=True):
        kept &= (place >= 0) & (place < size)
    inside = [place[kept].astype(np.int64) for place in places]
    flat = np.zeros(kept.sum(), np.int64)
    for place, size in zip(inside, shape, strict=True):
        flat = flat * size + place
    return flat, kept


def _spread(values: Array, box: Box) -> Array:
    return np.broadcast_to(values, box.shape).reshape(-1)


def _rounds(positions: Array) -> list[Array]:
    """Split points into rounds in which no position occurs twice: the first point of each position, then the second."""
    if not positions.size:
        return []
    order = np.argsort(positions, kind="stable")
    _, starts, counts = np.unique(positions[order], return_index=True, return_counts=True)
    return [order[starts[counts > number] + number] for number in range(int(counts.max()))]
