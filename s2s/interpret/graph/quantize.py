"""Numpy meanings of the operators of quantised networks."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.rescale import RESCALES
from s2s.types.dtypes import Array, to_numpy


def _rescale(op: graph.RescaleOp, x: Array, multiplier: Array, shift: Array) -> Array:
    input_zp, output_zp = op.zero_points
    wide = np.int64 if op.rounding.data == "reduced" else np.int32
    with np.errstate(over="ignore"):
        moved = x.astype(wide) - wide(input_zp)
        parameters = [_along(value, x.ndim, op.channel_axis) for value in (multiplier, shift)]
        y = np.asarray(RESCALES[op.rounding.data](moved, *parameters)).reshape(x.shape) + np.int32(output_zp)
    return np.clip(y, *op.limits).astype(to_numpy(op.y.type.element_type))


def _along(value: Array, rank: int, axis: int | None) -> Array:
    """Reshape a parameter so that it broadcasts to a tensor of `rank`."""
    return (
        value if value.ndim == 0 or axis is None else value.reshape([-1 if dim == axis else 1 for dim in range(rank)])
    )


def _table(op: graph.TableOp, x: Array, table: Array) -> Array:
    return table[x.astype(np.int64) - np.iinfo(x.dtype).min]


MEANINGS: dict[type[Operation], Meaning] = {graph.RescaleOp: _rescale, graph.TableOp: _table}
