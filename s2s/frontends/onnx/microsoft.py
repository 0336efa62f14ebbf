"""The operators of domain com.microsoft: the ones that onnxruntime's quantisers write, and the ones of `fused`.

Those of the QOperator format are operators of ONNX on dequantised operands, quantised again, so that is what is
imported, and `graph-lift-quantized` makes integer operators of it, as it does for models that write the quantisation
out. MatMulNBits, the product with weights that are quantised by blocks, has an operator of its own.
"""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from onnx import AttributeProto, helper

from s2s.dialects import graph
from s2s.frontends.activations import leaky_relu, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import concat, reshape, select
from s2s.frontends.onnx import (
    channels_last,
    duplicates,
    fused,
    fused_attention,
    fused_embedding,
    fused_sums,
    quantised_lstm,
)
from s2s.frontends.onnx.channels_last import average_pool_channels_last
from s2s.frontends.onnx.elementwise import cast
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.pool import average_pool
from s2s.frontends.onnx.quant import dequantize, quantize, requantize
from s2s.frontends.onnx.signature import Parameter, Signature
from s2s.types.dtypes import Array
from s2s.types.shapes.blockwise import BITS

DOMAIN = "com.microsoft"
_FLOAT = np.dtype(np.float32)


def _real(node: Node, position: int) -> Value:
    """The operand at `position` as floats, by the scale and the zero point behind it."""
    scale, zero_point = node.input(position + 1), node.optional(position + 2)
    return dequantize(
        node.input(position), _scalar(node, scale), None if zero_point is None else _scalar(node, zero_point)
    )


def _quantized(node: Node, y: Value, position: int) -> Value:
    """`y` by the scale at `position` and the zero point behind it."""
    zero_point = node.optional(position + 1)
    dtype = node.input(0).dtype if zero_point is None else zero_point.dtype
    return quantize(
        y,
        _scalar(node, node.input(position)),
        None if zero_point is None else _scalar(node, zero_point),
        dtype if dtype.kind in "iu" else np.dtype(np.uint8),
    )


def _scalar(node: Node, value: Value) -> Value:
    if value.shape not in ((), (1,)):
        raise node.unsupported(f"a scale or zero point has shape {list(value.shape)}", "quantise per tensor")
    return reshape(value, [])


def _binary(function: Callable[[Value, Value], Value]) -> Importer:
    return lambda node: _quantized(node, function(_real(node, 0), _real(node, 3)), 6)


def _unary(function: Callable[[Node, Value], Value]) -> Importer:
    return lambda node: _quantized(node, function(node, _real(node, 0)), 3)


def _add(a: Value, b: Value) -> Value:
    return a + b


def _mul(a: Value, b: Value) -> Value:
    return a * b


def _sigmoid(node: Node, x: Value) -> Value:
    return sigmoid(x)


def _leaky_relu(node: Node, x: Value) -> Value:
    return leaky_relu(x, node.real("alpha"))


def _softmax(node: Node, x: Value) -> Value:
    axis = node.axis(node.integer("axis"), x.rank)
    if node.integer("opset") >= 13:
        return emit(graph.SoftmaxOp, x, axis=axis)
    rows = prod(x.shape[:axis])
    flat = reshape(x, [rows, prod(x.shape[axis:])])
    return reshape(emit(graph.SoftmaxOp, flat, axis=1), x.shape)


def _average_pool(node: Node, x: Value) -> Value:
    if node.flag("channels_last"):
        return average_pool_channels_last(node, x)
    return average_pool(node._replace(operands=[x]))


def _global_average_pool(node: Node, x: Value) -> Value:
    first = 1 if node.flag("channels_last") else 2
    return emit(graph.ReduceMeanOp, x, axes=list(range(first, first + x.rank - 2)), keepdims=True)


def _reduce_mean(node: Node, x: Value) -> Value:
    axes = node.axes(node.integers("axes", range(x.rank)), x.rank)
    return emit(graph.ReduceMeanOp, x, axes=axes, keepdims=node.flag("keepdims"))


def _where(node: Node) -> Value:
    """Elements of one of two tensors, quantised again."""
    return _quantized(node, select(node.input(0), _real(node, 1), _real(node, 4)), 7)


def _concat(node: Node) -> Value:
    count = (len(node.inputs()) - 2) // 3
    if count < 1 or len(node.inputs()) != 2 + 3 * count:
        raise node.invalid(f"has {len(node.inputs())} inputs", "give a scale and a zero point with each tensor")
    parts = [_real(node, 2 + 3 * number) for number in range(count)]
    return _quantized(node, concat(parts, node.axis(node.integer("axis"), parts[0].rank)), 0)


def _gemm(node: Node) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero = (node.input(position) for position in range(6))
    if node.real("alpha") != 1:
        raise node.unsupported(f"alpha is {node.real('alpha')}", "multiply the scale of the weights by it")
    transposed = {"transpose_a": node.flag("transA"), "transpose_b": node.flag("transB")}
    count = b_zero.shape[0] if b_zero.rank else 1
    zero_point = reshape(b_zero, [count, 1]) if count > 1 and transposed["transpose_b"] else b_zero
    total = integer_product(a, _scalar(node, a_zero), b, zero_point, **transposed)
    bias = node.optional(6)
    if bias is not None:
        total = total + bias
    scale = _scalar(node, a_scale) * b_scale
    if node.optional(7) is None:
        return cast(total, _FLOAT) * scale
    zero_point = node.optional(8)
    target = node.constant(0, a.dtype) if zero_point is None else _scalar(node, zero_point)
    return requantize(total, scale / _scalar(node, node.input(7)), target)


_SIGN: Mapping[int, int] = {4: 0x88, 8: 0x80}
"""By the bits of a weight: what turns a byte of weights from 0 on into weights with sign, which are less half the
range."""


_INT8_ACTIVATIONS = 4
"""The accuracy_level of MatMulNBits that asks for products of 8-bit integers."""


def _matmul_by_blocks(node: Node) -> Value:
    x, bits, block = node.input(0), node.integer("bits"), node.integer("block_size")
    columns, rows = node.integer("K"), node.integer("N")
    if bits not in BITS:
        raise node.unsupported(f"weights have {bits} bits", "quantise them to 4 or 8")
    if block < 16 or block & (block - 1):
        raise node.invalid(f"block_size is {block}", "give a power of two from 16 on")
    blocks = -(-columns // block)
    w = node.known(1, "the weights").reshape(-1)
    if w.size != rows * blocks * block * bits // 8:
        raise node.invalid(f"holds {w.size} bytes of weights for N = {rows}, K = {columns}", "quantise the model again")
    if node.optional(4) is not None:
        order = _order_of_groups(node, columns, block)
        x = emit(graph.GatherOp, x, node.constant(order, np.int64), axis=x.rank - 1)
        w = _reordered(w, rows, order, bits)
    y = emit(
        graph.BlockwiseMatmulOp,
        x,
        node.constant((w ^ np.uint8(_SIGN[bits])).view(np.int8).reshape(rows, blocks, -1), np.int8),
        _by_blocks(node, 2, rows, blocks),
        None if node.optional(3) is None else _zero_points(node, rows, blocks, bits),
        bits=bits,
        int8_activations=node.integer("accuracy_level") == _INT8_ACTIVATIONS,
    )
    bias = node.optional(5)
    return y if bias is None else y + bias


def _order_of_groups(node: Node, columns: int, block: int) -> Array:
    """The columns, one block after the other, where g_idx says to which block each belongs."""
    groups = node.known(4, "g_idx").reshape(-1)
    order = np.argsort(groups[:columns], kind="stable")
    if groups.size < columns or not np.array_equal(groups[order], np.arange(columns) // block):
        raise node.unsupported(
            f"g_idx makes other groups than blocks of {block} columns", "quantise in groups of one size"
        )
    return order


def _reordered(w: Array, rows: int, order: Array, bits: int) -> Array:
    """Packed weights with their columns in `order`."""
    packed = w.reshape(rows, -1)
    columns = packed.copy() if bits == 8 else np.stack([packed & 15, packed >> 4], axis=-1).reshape(rows, -1)
    columns[:, : order.size] = columns[:, order]
    return (columns if bits == 8 else columns[:, ::2] | columns[:, 1::2] << 4).reshape(-1)


def _by_blocks(node: Node, position: int, rows: int, blocks: int) -> Value:
    """The operand at `position`, one number for each block."""
    value = node.input(position)
    if prod(value.shape) != rows * blocks:
        fact = f"input {position} has shape {list(value.shape)}"
        raise node.invalid(f"{fact} for {rows} rows of {blocks} blocks", "give one for each block")
    return reshape(value, [rows, blocks])


def _zero_points(node: Node, rows: int, blocks: int, bits: int) -> Value:
    """The zero points: floats, or bytes that pack the zero points of a row as its weights are packed; less half the
    range."""
    value, half = node.input(3), 1 << (bits - 1)
    if value.is_float:
        return _by_blocks(node, 3, rows, blocks) - half
    packed = node.known(3, "the zero points").reshape(-1)
    size = -(-blocks * bits // 8)
    if packed.size != rows * size:
        fact = f"holds {packed.size} bytes of zero points for {rows} rows of {blocks} blocks"
        raise node.invalid(fact, "quantise the model again")
    by_row = packed.reshape(rows, size)
    unpacked = by_row if bits == 8 else np.stack([by_row & 15, by_row >> 4], axis=-1).reshape(rows, -1)
    return node.constant(unpacked[:, :blocks].astype(np.int16) - half, np.int8)


_FAMILIES = (channels_last, duplicates, fused, fused_attention, fused_embedding, fused_sums, quantised_lstm)
IMPORTERS: Mapping[str, Importer] = {
    **{name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()},
    "DequantizeLinear": lambda node: _real(node, 0),
    "MatMulNBits": _matmul_by_blocks,
    "QGemm": _gemm,
    "QLinearAdd": _binary(_add),
    "QLinearAveragePool": _unary(_average_pool),
    "QLinearConcat": _concat,
    "QLinearGlobalAveragePool": _unary(_global_average_pool),
    "QLinearLeakyRelu": _unary(_leaky_relu),
    "QLinearMul": _binary(_mul),
    "QLinearReduceMean": _unary(_reduce_mean),
    "QLinearSigmoid": _unary(_sigmoid),
    "QLinearSoftmax": _unary(_softmax),
    "QLinearWhere": _where,
    "QuantizeLinear": lambda node: _quantized(node, node.input(0), 1),
}

_DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    **{name: each for family in _FAMILIES for name, each in family.DEFAULTS.items()},
    "DequantizeLinear": {"axis": 1},
    "MatMulNBits": {"accuracy_level": 0, "bits": 4},
    "QGemm": {"alpha": 1.0, "transA": 0, "transB": 0},
    "QLinearAveragePool": {"auto_pad": "NOTSET", "ceil_mode": 0, "channels_last": 0, "count_include_pad": 0},
    "QLinearGlobalAveragePool": {"channels_last": 0},
    "QLinearLeakyRelu": {"alpha": 0.01},
    "QLinearReduceMean": {"keepdims": 1},
    "QLinearSoftmax": {"axis": -1},
    "QuantizeLinear": {"axis": 1},
}
_INTEGERS, _INTEGER = AttributeProto.INTS, AttributeProto.INT
_REQUIRED: Mapping[str, Mapping[str, int]] = {
    **{name: each for family in _FAMILIES for name, each in family.REQUIRED.items()},
    "MatMulNBits": {"K": _INTEGER, "N": _INTEGER, "block_size": _INTEGER},
    "QLinearAveragePool": {"kernel_shape": _INTEGERS},
    "QLinearConcat": {"axis": _INTEGER},
    "QLinearSoftmax": {"opset": _INTEGER},
}
_OPTIONAL: Mapping[str, Mapping[str, int]] = {
    **{name: each for family in _FAMILIES for name, each in family.OPTIONAL.items()},
    "QLinearAveragePool": {"pads": _INTEGERS, "strides": _INTEGERS},
    "QLinearReduceMean": {"axes": _INTEGERS},
}
_INPUTS: Mapping[str, tuple[int, int]] = {
    **{name: each for family in _FAMILIES for name, each in family.INPUTS.items()},
    "QuantizeLinear": (2, 3),
    "DequantizeLinear": (2, 3),
    "MatMulNBits": (3, 6),
    "QGemm": (6, 9),
    "QLinearConcat": (5, 2**31 - 1),
    "QLinearAdd": (7, 8),
    "QLinearMul": (7, 8),
    "QLinearWhere": (9, 9),
}
"""The least and the largest number of inputs; the others take five, of which zero points may be left out."""
_OUTPUTS: Mapping[str, int] = {name: each for family in _FAMILIES for name, each in family.OUTPUTS.items()}
"""The largest number of outputs, where that is not one."""


def signature(op_type: str) -> Signature | None:
    """What onnxruntime documents of an operator; onnx knows nothing of this domain."""
    if op_type not in IMPORTERS:
        return None
    least, most = _INPUTS.get(op_type, (4, 5))
    defaults = {name: helper.make_attribute(name, value) for name, value in _DEFAULTS.get(op_type, {}).items()}
    required, optional = _REQUIRED.get(op_type, {}), _OPTIONAL.get(op_type, {})
    anything = Parameter("input", "T", frozenset(), required=False, homogeneous=False)
    return Signature(
        since=1,
        deprecated=False,
        inputs=(anything,),
        outputs=(),
        variadic=True,
        min_inputs=least,
        max_inputs=most,
        min_outputs=1,
        max_outputs=_OUTPUTS.get(op_type, 1),
        attribute_types={**{name: each.type for name, each in defaults.items()}, **required, **optional},
        required=frozenset(required),
        defaults=defaults,
    )
