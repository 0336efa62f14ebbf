"""Numbers that operations state and that may follow from sizes: bounds of slices, shapes, small constants."""

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.types.dtypes import Array, from_dense
from s2s.types.weights import WeightStore

MAX_NUMBERS = 16
"""The most elements of a constant that are looked at one by one."""


def numbers_of(op: Operation, weights: WeightStore) -> list[int] | None:
    """Return what `op` states that may follow from sizes; None for operations that state nothing of the kind."""
    match op:
        case graph.SliceOp():
            return [*op.starts.get_values(), *op.sizes.get_values()]
        case graph.BroadcastToOp():
            return list(shape_of(op.y))
        case graph.SizeValuesOp():
            return list(op.values.get_values())
        case graph.ConstantOp() | graph.WeightOp():
            value = small_value(op, weights)
            return list(shape_of(op.y)) if value is None else value.reshape(-1).astype(np.int64).tolist()
        case _:
            return None


def small_value(op: graph.ConstantOp | graph.WeightOp, weights: WeightStore) -> Array | None:
    """Return the value of a constant of few whole numbers; None of any other."""
    if np.prod(shape_of(op.y)) > MAX_NUMBERS:
        return None
    value = from_dense(op.value) if isinstance(op, graph.ConstantOp) else weights.get(op.weight_name.data)
    return None if whole_numbers(value) is None else value


def whole_numbers(value: Array) -> list[int] | None:
    """Return the elements of a short list of whole numbers of 32 bits, or of one; None of any other array."""
    if value.ndim > 1 or value.size > MAX_NUMBERS or value.dtype.kind not in "iuf":
        return None
    real = value.reshape(-1).astype(np.float64)
    if not np.all(np.isfinite(real) & (real == np.rint(real)) & (np.abs(real) < 2**31)):
        return None
    return real.astype(np.int64).tolist()


def integers_of(op: Operation, weights: WeightStore) -> Array | None:
    """Return the value of a constant of 32-bit or 64-bit integers; None of any other operation."""
    match op:
        case graph.ConstantOp():
            value = from_dense(op.value)
        case graph.WeightOp():
            value = weights.get(op.weight_name.data)
        case _:
            return None
    return value if value.dtype.name in ("int32", "int64") else None
