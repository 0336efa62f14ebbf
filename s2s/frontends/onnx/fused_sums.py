"""Import the operators of com.microsoft that add a bias, scale or gate and then apply one other operator.

Most of them run on accelerators alone in onnxruntime; s2s computes what their documentation states.
"""

from collections.abc import Mapping
from math import prod

import numpy as np
from onnx import AttributeProto

from s2s.dialects import graph
from s2s.frontends.activations import gelu, gelu_by_tanh, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, matmul, reshape, take
from s2s.frontends.onnx.node import Importer, Node
from s2s.types.dtypes import Array

_INT = np.dtype(np.int32)
_NORMAL = [
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
]
"""The numbers of NF4: quantiles of a normal distribution."""
_FP4 = [0.0, 5.208333333e-03, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25]
"""The numbers of FP4 without a sign."""
_TABLES = {0: [*_FP4, *(-each for each in _FP4)], 1: _NORMAL}


def _bias_add(node: Node) -> Value:
    return node.input(0) + node.input(1) + node.input(2)


def _bias_split_gelu(node: Node) -> Value:
    """The left half of a sum times the Gelu of its right half."""
    total = node.input(0) + node.input(1)
    half = total.shape[-1] // 2
    return take(total, total.rank - 1, 0, half) * gelu(take(total, total.rank - 1, half, half))


def _bias_softmax(node: Node) -> Value:
    """The softmax of a sum, over all dimensions from `axis` on."""
    x, bias = node.input(0), node.input(1)
    axis = node.axis(node.integer("axis"), x.rank)
    if node.flag("is_inner_broadcast") and bias.rank < x.rank:
        inner = axis - (bias.rank - (x.rank - axis))
        bias = reshape(bias, [*bias.shape[:inner], *[1] * (axis - inner), *bias.shape[inner:]])
    total = x + bias
    flat = reshape(total, [prod(x.shape[:axis]), prod(x.shape[axis:])])
    return reshape(emit(graph.SoftmaxOp, flat, axis=1), total.shape)


def _gemm_fast_gelu(node: Node) -> Value:
    product, bias = matmul(node.input(0), node.input(1)), node.optional(2)
    return gelu_by_tanh(product if bias is None else product + bias)


def _scaled_silu(node: Node) -> Value:
    x, scale = node.input(0), node.optional(1)
    z = x * node.real("alpha") if scale is None else x * cast(reshape(scale, []), x.dtype)
    return z * sigmoid(z)


def _gated_add(node: Node) -> Value:
    x, y, gate, weight = node.input(0), node.input(1), node.input(2), node.optional(3)
    return x + y * (gate if weight is None else sigmoid(matmul(gate, weight)))


def _gated_rms_norm(node: Node) -> Value:
    x, scale, gate = node.input(0), node.input(1), node.input(2)
    function = node.choice("activation", "silu", "swish", "sigmoid")
    wide = np.dtype(np.float32)
    apart = [prod(x.shape) // scale.shape[-1], scale.shape[-1]]
    given, gates = (reshape(cast(each, wide), apart) for each in (x, gate))
    square = emit(graph.ReduceMeanOp, given * given, axes=[1], keepdims=True)
    y = given / emit(graph.SqrtOp, square + node.real("epsilon")) * cast(scale, wide)
    opened = sigmoid(gates) if function == "sigmoid" else gates * sigmoid(gates)
    return cast(reshape(y * opened, x.shape), x.dtype)


def _bias_dropout(node: Node) -> Value:
    """At inference: a sum."""
    if node.known_number(4, "training_mode") or node.outputs() > 1:
        raise node.unsupported("is in training mode", "export the model for inference")
    total, residual = node.input(0) + node.input(1), node.optional(2)
    return total if residual is None else total + residual


def _matmul_integer_16(node: Node) -> Value:
    return emit(graph.MatmulOp, *(cast(node.input(position), _INT) for position in (0, 1)))


def _mul_integer(node: Node) -> Value:
    a, b = (_shifted(node.input(at), node.optional(at + 1)) for at in (0, 2))
    return a * b


def _shifted(x: Value, zero_point: Value | None) -> Value:
    """`x - zero_point` in 32 bits."""
    return cast(x, _INT) if zero_point is None else cast(x, _INT) - cast(zero_point, _INT)


def _reduce_sum_integer(node: Node) -> Value:
    x = cast(node.input(0), _INT)
    axes = node.axes(node.integers("axes"), x.rank)
    return emit(graph.ReduceSumOp, x, axes=axes, keepdims=node.flag("keepdims"))


def _matmul_bnb4(node: Node) -> Value:
    """A product with weights of four bits that stand for the numbers of a table, times the largest of their block.

    They stay packed where no block reaches from one row into the next.
    """
    rows, columns, block = node.integer("N"), node.integer("K"), node.integer("block_size")
    table = _TABLES.get(node.integer("quant_type"))
    if table is None:
        raise node.invalid(f"quant_type is {node.integer('quant_type')}", "give 0 (FP4) or 1 (NF4)")
    if not node.flag("transB"):
        raise node.unsupported("transB is 0", "quantise the model for inference")
    packed: Array = node.known(1, "the weights").reshape(-1)
    largest: Array = node.known(2, "absmax").reshape(-1)
    if packed.size != -(-rows * columns // 2) or largest.size != -(-rows * columns // block):
        raise node.invalid(f"holds {packed.size} bytes of weights for N = {rows}, K = {columns}", "quantise it again")
    codes = np.stack([packed >> np.uint8(4), packed & np.uint8(15)], axis=-1).reshape(-1)[: rows * columns]
    x, numbers = node.input(0), np.array(table, np.float32)
    if columns % block or block % 2:
        scaled = numbers[codes] * np.repeat(largest.astype(np.float32), block)[: rows * columns]
        return matmul(x, node.constant(scaled.reshape(rows, columns).T, x.dtype))
    blocks = codes.reshape(rows, columns // block, block)
    pairs = (blocks[..., ::2] | blocks[..., 1::2] << np.uint8(4)).view(np.int8)
    scales = node.constant(largest.reshape(rows, columns // block), x.dtype)
    return emit(graph.CodebookMatmulOp, x, node.constant(pairs), node.constant(numbers, x.dtype), scales)


def _relative_position_bias(node: Node) -> Value:
    """The biases of T5: rows of a table by the distance of query and key, in bins that grow with it."""
    table = node.input(0)
    queries, keys = (int(node.known_number(at, what) or 0) for at, what in ((1, "query_length"), (2, "key_length")))
    both_ways, buckets, reach = node.integer("is_bidirectional", 0) != 0, table.shape[0], node.integer("max_distance")
    bins = _bins(np.arange(keys)[None, :] - np.arange(queries)[:, None], buckets, reach, both_ways=both_ways)
    found = emit(graph.GatherOp, table, node.constant(bins, np.int64), axis=0)
    return reshape(emit(graph.TransposeOp, found, perm=[2, 0, 1]), [1, table.shape[1], queries, keys])


def _bins(distance: Array, buckets: int, reach: int, *, both_ways: bool) -> Array:
    """The bin of each distance: exact up to half of the bins, of logarithmic width beyond, the last up to `reach`."""
    start = np.zeros_like(distance)
    if both_ways:
        buckets //= 2
        start, distance = np.where(distance > 0, buckets, 0), np.abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = buckets // 2
    far = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact)) / np.log(np.float32(reach / exact))
    wide = np.minimum(exact + (far * (buckets - exact)).astype(np.int64), buckets - 1)
    return start + np.where(distance < exact, distance, wide)


IMPORTERS: Mapping[str, Importer] = {
    "BiasAdd": _bias_add,
    "BiasDropout": _bias_dropout,
    "BiasSoftmax": _bias_softmax,
    "BiasSplitGelu": _bias_split_gelu,
    "GatedAdd": _gated_add,
    "GatedRMSNorm": _gated_rms_norm,
    "GemmFastGelu": _gemm_fast_gelu,
    "MatMulBnb4": _matmul_bnb4,
    "MatMulInteger16": _matmul_integer_16,
    "MulInteger": _mul_integer,
    "ReduceSumInteger": _reduce_sum_integer,
    "RelativePositionBias": _relative_position_bias,
    "ScaledSiLU": _scaled_silu,
}
_INTEGER = AttributeProto.INT
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "BiasSoftmax": {"axis": 1},
    "GatedRMSNorm": {"activation": "silu", "epsilon": 1e-5},
    "MatMulBnb4": {"training_mode": 0, "transB": 1},
    "ReduceSumInteger": {"keepdims": 1},
    "RelativePositionBias": {"is_bidirectional": 0},
    "ScaledSiLU": {"alpha": 1.0},
}
REQUIRED: Mapping[str, Mapping[str, int]] = {
    "BiasSoftmax": {"is_inner_broadcast": _INTEGER},
    "MatMulBnb4": dict.fromkeys(("K", "N", "block_size", "quant_type"), _INTEGER),
    "ReduceSumInteger": {"axes": AttributeProto.INTS},
    "RelativePositionBias": {"max_distance": _INTEGER},
}
OPTIONAL: Mapping[str, Mapping[str, int]] = {"BiasDropout": {"seed": _INTEGER}}
INPUTS: Mapping[str, tuple[int, int]] = {
    "BiasAdd": (3, 3),
    "BiasDropout": (2, 5),
    "BiasSoftmax": (2, 2),
    "BiasSplitGelu": (2, 2),
    "GatedAdd": (3, 4),
    "GatedRMSNorm": (3, 3),
    "GemmFastGelu": (2, 3),
    "MatMulBnb4": (3, 3),
    "MatMulInteger16": (2, 2),
    "MulInteger": (3, 4),
    "ReduceSumInteger": (1, 1),
    "RelativePositionBias": (3, 3),
    "ScaledSiLU": (1, 2),
}
OUTPUTS: Mapping[str, int] = {"BiasDropout": 2}
