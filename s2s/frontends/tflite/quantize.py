"""Import conversions between reals and quantised integers, and between quantisations."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, less, select
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import rescale
from s2s.frontends.tflite.records import TensorInfo

_FLOAT = np.dtype(np.float32)
_WIDE = np.dtype(np.int32)


def dequantized(node: Node, x: Value, info: TensorInfo) -> Value:
    """The real numbers that the integers `x` stand for: `scale * (x - zero_point)`, each step exact or rounded once."""
    quant = info.quant
    if quant is None:
        raise node.invalid(f"{info.place} has no quantisation", "quantise the model again")
    if quant.is_per_tensor:
        scale, zero = node.constant(quant.scale.reshape(())), node.constant(quant.zero_point.reshape(()), np.float32)
    else:
        sizes = [size if axis == quant.axis else 1 for axis, size in enumerate(x.shape)]
        scale, zero = node.constant(quant.scale.reshape(sizes)), node.constant(quant.zero_point.reshape(sizes), _FLOAT)
    reals = cast(x, _FLOAT)
    if quant.zero_point.any():
        reals = reals - zero
    return reals * scale


def half_away(x: Value) -> Value:
    """The nearest integer, halves away from zero, as C's roundf."""
    size = abs(x)
    whole = emit(graph.FloorOp, size)
    away = whole + select(less(size - whole, 0.5), size.like(0.0), size.like(1.0))
    return select(less(x, 0.0), -away, away)


def _quantize(node: Node) -> Value:
    x, out = node.input(0), node.output_type()
    if out.dtype.kind not in "iu":
        raise node.invalid(f"its result is {out.dtype}", "give integers")
    if x.dtype == _FLOAT:
        return _from_reals(x.value, out)
    if x.dtype.kind not in "iu":
        raise node.unsupported(f"quantises {x.dtype}", "give float32 or integers")
    (scale, zero), (out_scale, out_zero) = x.scalar(), out.scalar()
    wide = cast(x.value, _WIDE)
    return rescale(wide - zero if zero else wide, scale / out_scale, out.dtype, output_zp=out_zero)


def _fake_quant(node: Node) -> Value:
    """Round floats to the numbers that a quantisation between two ends has; the ends move so that zero is one."""
    x, options = node.input(0), node.options
    if x.dtype != _FLOAT:
        raise node.unsupported(f"is applied to {x.dtype}", "give float32")
    bits, low, high = int(options.NumBits()), np.float32(options.Min()), np.float32(options.Max())
    if not 2 <= bits <= 16 or not low < high or low > 0 or high < 0:
        raise node.invalid(f"{bits} bits between {low:g} and {high:g} are no quantisation with a zero", "fix them")
    least, most = np.float32(1 if options.NarrowRange() else 0), np.float32((1 << bits) - 1)
    scale = (high - low) / (most - least)
    zero = np.clip(np.floor(least - low / scale + np.float32(0.5)), least, most)
    start, end = (least - zero) * scale, (most - zero) * scale
    steps = (clamp(x.value, float(start), float(end)) - float(start)) * float(np.float32(1) / scale)
    return half_away(steps) * float(scale) + float(start)


def _from_reals(x: Value, out: TensorInfo) -> Value:
    """The nearest integers, limited before they are rounded: that changes none, and conversions stay in range."""
    scale, zero = out.scalar()
    limits = np.iinfo(out.dtype)
    if limits.bits > 16:
        return cast(half_away(x / scale) + float(zero), out.dtype)
    bounded = clamp(x / scale, float(limits.min - zero), float(limits.max - zero))
    return cast(cast(half_away(bounded), _WIDE) + zero, out.dtype)


def _dequantize(node: Node) -> Value:
    x = node.input(0)
    if x.dtype.kind == "f":
        return cast(x.value, node.output_type().dtype)
    if x.dtype.itemsize > 2:
        raise node.unsupported(f"turns {x.dtype} into real numbers", "dequantise integers of 8 or 16 bits")
    return dequantized(node, x.value, x.info)


def _densify(node: Node) -> Value:
    """Sparse constants are whole from the start."""
    return node.input(0).value


IMPORTERS: Mapping[str, Importer] = {
    "DENSIFY": _densify,
    "DEQUANTIZE": _dequantize,
    "FAKE_QUANT": _fake_quant,
    "QUANTIZE": _quantize,
}
