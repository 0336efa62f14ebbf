"""Quantisation by torchao's operators, whose scales and zero points stand for blocks of any shape.

`block_size` gives the block along each dimension: [1, 32] for groups of 32 in each row of a matrix, [1, columns] for
rows, the whole shape for a tensor. A dimension of 96 in blocks of 32 has three scales.
"""

from collections.abc import Mapping, Sequence

import ml_dtypes
import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, clamp, greater, maximum, minimum, reshape, select, unsqueeze
from s2s.frontends.packed_weights import quantised_weights
from s2s.frontends.torch.dtypes import FLOAT32, INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.program import DType
from s2s.frontends.torch.quantize import dequantized, quantized

_SMALLEST = float(np.finfo(np.float32).smallest_normal)
"""What a scale is at least, where the call does not say it."""


def _counts(node: Node, x: Value) -> list[int]:
    """How many blocks there are along each dimension of `x`."""
    sizes = node.integers("block_size")
    if len(sizes) != x.rank or any(size < 1 or of % size for size, of in zip(sizes, x.shape, strict=True)):
        raise node.invalid(f"blocks of {sizes} do not divide a tensor of shape {list(x.shape)}", "quantise it again")
    return [of // size for size, of in zip(sizes, x.shape, strict=True)]


def _parameter(value: Value, counts: Sequence[int], shape: Sequence[int]) -> Value:
    """A parameter of each block in a shape that broadcasts to `shape`."""
    if all(count == 1 for count in counts):
        return reshape(value, [])
    value = reshape(value, counts)
    for axis, (count, size) in enumerate(zip(counts, shape, strict=True)):
        if 1 < count < size:
            apart = unsqueeze(value, [axis + 1])
            blocks = [*value.shape[: axis + 1], size // count, *value.shape[axis + 1 :]]
            value = reshape(broadcast_to(apart, blocks), [*value.shape[:axis], size, *value.shape[axis + 1 :]])
    return value


def _parameters(node: Node, x: Value) -> tuple[Value, Value | None]:
    counts = _counts(node, x)
    zero_point = node.optional("zero_point")
    scale = _parameter(cast(node.value("scale"), FLOAT32), counts, x.shape)
    return scale, None if zero_point is None else _parameter(cast(zero_point, INT64), counts, x.shape)


def _range(node: Node, dtype: str) -> tuple[int, int]:
    """The least and the greatest integer, as given, or of the type that is the argument `dtype`."""
    name = node.arguments[dtype]
    try:
        info = ml_dtypes.iinfo(name.name if isinstance(name, DType) else "")
    except (TypeError, ValueError):
        raise node.unsupported(f"quantises to {name}", "quantise to integers") from None
    least = node.integer("quant_min") if node.has("quant_min") else int(info.min)
    return least, node.integer("quant_max") if node.has("quant_max") else int(info.max)


def _quantize(node: Node) -> Value:
    x = cast(node.value("input"), FLOAT32)
    scale, zero_point = _parameters(node, x)
    return quantized(x, scale, zero_point, _range(node, "output_dtype"), node.result_dtype())


def _dequantize(node: Node) -> Value:
    x = node.value("input")
    scale, zero_point = _parameters(node, x)
    y = dequantized(x, scale, zero_point, node.result_dtype())
    y.quantised = quantised_weights(x, scale, zero_point, by_groups=_counts(node, x)[-1:] > [1])
    return y


def _choose(node: Node) -> list[Value]:
    """A scale and a zero point for each block; 0 lies in its range and is represented exactly."""
    x = cast(node.value("input"), FLOAT32)
    least, most = _range(node, "target_dtype")
    low, high = minimum(_reduced(node, x, graph.ReduceMinOp), 0), maximum(_reduced(node, x, graph.ReduceMaxOp), 0)
    kind = node.text("mapping_type")
    if kind == "ASYMMETRIC":
        scale = (high - low) / float(most - least)
    elif kind == "SYMMETRIC":
        scale = maximum(low * -1.0, high) / ((most - least) / 2)
    else:
        below, above = low / float(least), high / float(most)
        scale = select(greater(below, above), below, above)
    scale = maximum(scale, node.real("eps") if node.has("eps") else _SMALLEST)
    if kind == "ASYMMETRIC":
        zero_point = clamp(least - emit(graph.RoundOp, low / scale), least, most)
    else:
        zero_point = node.constant(np.full(scale.shape, int((most + least + 1) / 2)), np.float32)
    return [cast(scale, node.result_dtype(0)), cast(zero_point, node.result_dtype(1))]


def _reduced(node: Node, x: Value, reduction: type[graph.ReduceMinOp | graph.ReduceMaxOp]) -> Value:
    """The least or greatest element of each block; dimensions in one block are left out, unless they are kept."""
    counts = _counts(node, x)
    pairs = [pair for count, size in zip(counts, x.shape, strict=True) for pair in (count, size // count)]
    found = emit(reduction, reshape(x, pairs), axes=list(range(1, 2 * x.rank, 2)))
    kept = [
        count
        for count, block in zip(counts, node.integers("block_size"), strict=True)
        if node.flag("keepdim") or count > 1 or block == 1
    ]
    return reshape(found, kept)


IMPORTERS: Mapping[str, Importer] = {
    "choose_qparams_affine": _choose,
    "dequantize_affine": _dequantize,
    "quantize_affine": _quantize,
}
