"""Numpy meanings of the operations on windows that slide over a stream."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array


def _advance(op: graph.AdvanceOp, x: Array) -> Array:
    by, flat = op.by.value.data, x.reshape(-1)
    return np.concatenate([flat[by:], np.zeros(by, x.dtype)]).reshape(x.shape)


def _insert_slice(op: graph.InsertSliceOp, x: Array, u: Array) -> Array:
    made = x.copy()
    made[tuple(slice(start, start + size) for start, size in zip(op.starts.get_values(), u.shape, strict=True))] = u
    return made


MEANINGS: dict[type[Operation], Meaning] = {graph.AdvanceOp: _advance, graph.InsertSliceOp: _insert_slice}
