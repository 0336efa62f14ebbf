"""What importers of quantised element-wise operators share."""

from collections.abc import Callable, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.quantisation import fused_activation
from s2s.frontends.tflite.tensors import Tensor
from s2s.types.dtypes import from_numpy

_INTEGER_RANGES = {0: (None, None), 1: (0, None), 2: (-1, 1), 3: (0, 6)}
"""Bounds of the fused activations NONE, RELU, RELU_N1_TO_1 and RELU6."""

IDENTITY = (2**30, 1)
"""Multiplier and shift of one."""


def require_kinds(node: Node, tensors: Sequence[Tensor], *allowed: str) -> str:
    """The element type that all `tensors` have, when it is one of the allowed types."""
    found = [tensor.dtype.name for tensor in tensors]
    if any(name != found[0] for name in found):
        raise node.invalid(f"its operands are {' and '.join(found)}", "give all of them one type")
    if found[0] not in allowed:
        raise node.unsupported(f"is applied to {found[0]}", f"use one of {', '.join(allowed)}")
    return found[0]


def symmetric(node: Node, *tensors: Tensor) -> None:
    """Refuse 16-bit operands and results whose zero point is not 0: TFLite has none."""
    points = [tensor.scalar()[1] for tensor in tensors] + [node.output_type().scalar()[1]]
    if tensors[0].dtype == np.int16 and any(points):
        raise node.invalid("16-bit numbers have a zero point that is not 0", "quantise the model again")


def centered(x: Tensor) -> Value:
    """`x` without its zero point, as `i32`."""
    zero = x.scalar()[1]
    wide = cast(x.value, I32)
    return wide - zero if zero else wide


def scaled(x: Value, factor: tuple[int, int], dtype: np.dtype[np.generic] = I32, *, output_zero: int = 0) -> Value:
    """`x` by a quantised multiplier, rounded twice as gemmlowp does, saturated to `dtype` around `output_zero`."""
    if factor == IDENTITY:
        return saturated(x, dtype, output_zero)
    multiplier, shift = factor if factor[1] >= -31 else (0, 0)
    return emit(
        graph.RescaleOp,
        x,
        x.builder.constant(np.array(multiplier, np.int32)),
        x.builder.constant(np.array(shift, np.int8)),
        element_type=from_numpy(dtype),
        rounding="double",
        output_zp=output_zero,
    )


def saturated(x: Value, dtype: np.dtype[np.generic], zero_point: int = 0) -> Value:
    """`x + zero_point` as `dtype`, or the end of its range."""
    info = np.iinfo(dtype.str)
    moved = x + zero_point if zero_point else x
    return cast(clamp(moved, int(info.min), int(info.max)), dtype)


def table_lookup(x: Value, table: Value) -> Value:
    """`table` at every element of the 8-bit `x`."""
    return emit(graph.TableOp, x, table)


def looked_up(node: Node, x: Tensor, function: Callable[[Node, Tensor], Value]) -> Value:
    """`function` of the 8-bit `x`, as a table of its values at all 256 numbers."""
    info = np.iinfo(x.dtype.str)
    every = Tensor(node.constant(np.arange(info.min, info.max + 1), x.dtype), x.info)
    return table_lookup(x.value, function(node, every))


def activated_integers(node: Node, y: Value) -> Value:
    """The fused activation of integers that are not quantised."""
    return clamp(y, *_INTEGER_RANGES[fused_activation(node)])
