"""The operators of domain com.microsoft that onnxruntime's quantiser writes in its QOperator format.

Each is an operator of ONNX on dequantised operands, quantised again, so that is what is imported, and
`graph-lift-quantized` makes integer operators of it, as it does for models that write the quantisation out.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from onnx import AttributeProto, helper

from s2s.dialects import graph
from s2s.frontends.activations import leaky_relu, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import concat, reshape
from s2s.frontends.onnx.elementwise import cast
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.pool import average_pool
from s2s.frontends.onnx.quant import dequantize, quantize, requantize
from s2s.frontends.onnx.signature import Parameter, Signature

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
    rows = int(np.prod(x.shape[:axis]))
    flat = reshape(x, [rows, int(np.prod(x.shape[axis:]))])
    return reshape(emit(graph.SoftmaxOp, flat, axis=1), x.shape)


def _average_pool(node: Node, x: Value) -> Value:
    _require_channels_first(node)
    return average_pool(replace(node, operands=[x]))


def _global_average_pool(node: Node, x: Value) -> Value:
    _require_channels_first(node)
    return emit(graph.ReduceMeanOp, x, axes=list(range(2, x.rank)), keepdims=True)


def _require_channels_first(node: Node) -> None:
    if node.flag("channels_last"):
        raise node.unsupported("channels_last is set", "export the model with channels first")


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


IMPORTERS: Mapping[str, Importer] = {
    "DequantizeLinear": lambda node: _real(node, 0),
    "QGemm": _gemm,
    "QLinearAdd": _binary(_add),
    "QLinearAveragePool": _unary(_average_pool),
    "QLinearConcat": _concat,
    "QLinearGlobalAveragePool": _unary(_global_average_pool),
    "QLinearLeakyRelu": _unary(_leaky_relu),
    "QLinearMul": _binary(_mul),
    "QLinearSigmoid": _unary(_sigmoid),
    "QLinearSoftmax": _unary(_softmax),
    "QuantizeLinear": lambda node: _quantized(node, node.input(0), 1),
}

_DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "DequantizeLinear": {"axis": 1},
    "QGemm": {"alpha": 1.0, "transA": 0, "transB": 0},
    "QLinearAveragePool": {"auto_pad": "NOTSET", "ceil_mode": 0, "channels_last": 0, "count_include_pad": 0},
    "QLinearGlobalAveragePool": {"channels_last": 0},
    "QLinearLeakyRelu": {"alpha": 0.01},
    "QLinearSoftmax": {"axis": -1},
    "QuantizeLinear": {"axis": 1},
}
_INTEGERS, _INTEGER = AttributeProto.INTS, AttributeProto.INT
_REQUIRED: Mapping[str, Mapping[str, int]] = {
    "QLinearAveragePool": {"kernel_shape": _INTEGERS},
    "QLinearConcat": {"axis": _INTEGER},
    "QLinearSoftmax": {"opset": _INTEGER},
}
_OPTIONAL: Mapping[str, Mapping[str, int]] = {"QLinearAveragePool": {"pads": _INTEGERS, "strides": _INTEGERS}}
_INPUTS: Mapping[str, tuple[int, int]] = {
    "QuantizeLinear": (2, 3),
    "DequantizeLinear": (2, 3),
    "QGemm": (6, 9),
    "QLinearConcat": (5, 2**31 - 1),
    "QLinearAdd": (7, 8),
    "QLinearMul": (7, 8),
}
"""The least and the largest number of inputs; the others take five, of which zero points may be left out."""


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
        max_outputs=1,
        attribute_types={**{name: each.type for name, each in defaults.items()}, **required, **optional},
        required=frozenset(required),
        defaults=defaults,
    )
