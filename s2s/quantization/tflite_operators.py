"""Operators of quantised ONNX models as operators of TFLite, one function each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from s2s.errors import UnsupportedError
from s2s.frontends.tflite.writer import NONE, RELU, RELU6, RELU_N1_TO_1, SAME, VALID
from s2s.quantization.tflite_graph import Quant, TfliteGraph, Value
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_SPATIAL = {1: 2, 2: 3, 3: 1}
"""Where the axes of `[N, H, W, C]` are in `[N, C, H, W]`."""
_ENDS = {(-np.inf, np.inf): NONE, (0.0, np.inf): RELU, (0.0, 6.0): RELU6, (-1.0, 1.0): RELU_N1_TO_1}


@frozen
class Call:
    """A node, with the values that it reads."""

    graph: TfliteGraph
    place: str
    attributes: Mapping[str, Any]
    operands: Sequence[Value | Array | None]
    name: str
    """Of the result."""
    shape: tuple[int, ...]
    """Of the result, as the ONNX model has it."""
    quant: Quant | None
    """Of the result, where the model quantises it."""
    bounds: tuple[float, float]
    """Of a `Relu` or `Clip` that the operator computes as well."""
    kind: str
    """The type of its weights."""

    def refuse(self, what: str) -> NoReturn:
        """Raise the error that says what TFLite lacks."""
        raise UnsupportedError(f"{self.place}: {what} has no form in the TFLite files made here; write .onnx instead")

    def value(self, number: int) -> Value:
        """An operand of integers."""
        operand = self.moved(number)
        return self.refuse("an operand in floats") if operand.quant is None else operand

    def moved(self, number: int) -> Value:
        """An operand of integers or floats, whose elements are only moved."""
        operand = self.operands[number] if number < len(self.operands) else None
        return operand if isinstance(operand, Value) else self.refuse("a constant operand in floats")

    def numbers(self, number: int, name: str) -> list[int] | None:
        """Constant integers, which are an attribute or an operand."""
        operand = self.operands[number] if number < len(self.operands) else None
        held = self.attributes.get(name) if operand is None else operand
        if isinstance(held, Value):
            self.refuse("an operand that is computed")
        return None if held is None else [int(number) for number in np.asarray(held).reshape(-1)]

    @property
    def wanted(self) -> Quant:
        """The quantisation of the result."""
        if self.quant is None:
            self.refuse("a result in floats")
        return self.quant

    @property
    def activation(self) -> int:
        """The bound that the result gets; an end where integers of the result end anyway needs none."""
        quant = self.wanted
        half = 1 << (quant.bits - 1)
        low, high = ((end - quant.zero_point) * quant.scale for end in (-half, half - 1))
        least = -np.inf if low >= self.bounds[0] - quant.scale / 2 else self.bounds[0]
        most = np.inf if high <= self.bounds[1] + quant.scale / 2 else self.bounds[1]
        ends = next((ends for ends in ((least, most), self.bounds) if ends in _ENDS), None)
        return self.refuse(f"a bound of {self.bounds}") if ends is None else _ENDS[ends]

    def result(self, like: Value | None = None, *, is_last: bool = False) -> Value:
        """The value that it computes, with the quantisation of another one or its own; `is_last` puts channels last."""
        quant = self.wanted if like is None else like.quant
        shape = self.shape
        if is_last and len(shape) == 4:
            shape = tuple(shape[axis] for axis in (0, 2, 3, 1))
        return Value(self.name, shape, quant, is_last and len(shape) == 4)


def _convolution(call: Call) -> Value:
    x, weights = call.graph.channels_last(call.value(0)), call.value(1)
    kernel, quant = weights.data, weights.quant
    if kernel is None or kernel.ndim != 4 or quant is None or quant.zero_point or quant.axis:
        call.refuse("a convolution of other than images by constants with scales of output channels")
    outputs, inputs = kernel.shape[:2]
    groups, channels = call.attributes.get("group", 1), x.shape[-1]
    strides, dilations = _pair(call, "strides"), _pair(call, "dilations")
    x, padding = _padded(call, x, kernel.shape[2:], 0 if x.quant is None else x.quant.zero_point)
    fields: dict[str, Any] = {
        **_strides(strides),
        "padding": padding,
        "dilation_h_factor": dilations[0],
        "dilation_w_factor": dilations[1],
        "fused_activation_function": call.activation,
    }
    if groups == channels and inputs == 1:
        held, quant = kernel.transpose(1, 2, 3, 0), quant._replace(axis=3 if len(quant.scales) > 1 else 0)
        builtin, fields = "DEPTHWISE_CONV_2D", {**fields, "depth_multiplier": outputs // channels}
    elif groups == 1:
        builtin, held = "CONV_2D", kernel.transpose(0, 2, 3, 1)
    else:
        call.refuse(f"a convolution in {groups} groups")
    w = call.graph.constant(weights.name, np.asarray(held, order="C"), quant, call.kind)
    bias = _bias(call, 2, x, quant, outputs)
    return call.graph.emit(builtin, [x, w, bias], call.result(is_last=True), **fields)


def _dense(call: Call) -> Value:
    x, weights = call.graph.channels_second(call.value(0)), call.value(1)
    matrix, quant = weights.data, weights.quant
    flipped = not call.attributes.get("transB", 0)
    if matrix is None or matrix.ndim != 2 or quant is None or quant.zero_point:
        call.refuse("a product of other than an activation and a constant matrix")
    if len(quant.scales) > 1 and quant.axis % 2 != int(flipped):
        call.refuse("a product with a scale for each input")
    if call.attributes.get("transA", 0) or {call.attributes.get(name, 1.0) for name in ("alpha", "beta")} != {1.0}:
        call.refuse("a product with a transposed or scaled operand")
    held, quant = np.asarray(matrix.T if flipped else matrix, order="C"), quant._replace(axis=0)
    w = call.graph.constant(weights.name, held, quant)  # of 8 bits: TFLite-Micro takes no others by channel here
    fields = {"keep_num_dims": len(x.shape) > 2, "fused_activation_function": call.activation}
    return call.graph.emit("FULLY_CONNECTED", [x, w, _bias(call, 2, x, quant, len(held))], call.result(), **fields)


def _bias(call: Call, number: int, x: Value, weights: Quant, outputs: int) -> Value | None:
    """The bias of a layer, whose unit is the product of the scales of what it multiplies."""
    if number >= len(call.operands) or call.operands[number] is None:
        return None
    bias = call.value(number)
    if bias.data is None or bias.data.dtype != np.int32 or bias.data.size != outputs or x.quant is None:
        call.refuse("a bias of other than 32 bits")
    scales = np.array(weights.scales, np.float32) * np.float32(x.quant.scale)
    units = np.array(scales if bias.quant is None else bias.quant.scales, np.float32)
    wide = np.int32 if x.quant.bits == 8 else np.int64
    integers = np.rint(bias.data.reshape(-1) * (units / scales).astype(np.float64)).astype(wide)
    return call.graph.constant(bias.name, integers, Quant(tuple(map(float, scales))))


def _pool(builtin: str) -> Callable[[Call], Value]:
    def pool(call: Call) -> Value:
        x = call.graph.channels_last(call.value(0))
        kernel = _pair(call, "kernel_shape")
        if len(x.shape) != 4 or call.attributes.get("ceil_mode", 0) or _pair(call, "dilations") != [1, 1]:
            call.refuse("a pool of other than images, with dilations, or that rounds sizes up")
        bits = 8 if x.quant is None else x.quant.bits
        fill = -(1 << (bits - 1)) if builtin == "MAX_POOL_2D" else None
        x, padding = _padded(call, x, kernel, fill)
        fields = {**_strides(_pair(call, "strides")), "filter_height": kernel[0], "filter_width": kernel[1]}
        return call.graph.emit(builtin, [x], call.result(x, is_last=True), padding=padding, **fields)

    return pool


def _padded(call: Call, x: Value, kernel: Sequence[int], fill: int | None) -> tuple[Value, int]:
    """An image padded as TFLite's two ways do not, by an integer, and the way that is left."""
    attributes, sizes = call.attributes, x.shape[1:3]
    strides, dilations = _pair(call, "strides"), _pair(call, "dilations")
    automatic = attributes.get("auto_pad", b"NOTSET").decode()
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    wanted = [
        max((-(-size // stride) - 1) * stride + span - size, 0)
        for size, stride, span in zip(sizes, strides, spans, strict=True)
    ]
    same = [(pad // 2, pad - pad // 2) for pad in wanted]
    if automatic == "NOTSET":
        pads = list(attributes.get("pads", [0, 0, 0, 0]))
        stated = [(pads[0], pads[2]), (pads[1], pads[3])]
    else:
        lower = [(after, before) for before, after in same]
        stated = {"SAME_UPPER": same, "SAME_LOWER": lower}.get(automatic, [(0, 0), (0, 0)])
    if not any(map(any, stated)):
        return x, VALID
    if stated == same and not (fill is None and attributes.get("count_include_pad", 0)):
        return x, SAME
    if fill is None or x.quant is None:
        call.refuse(f"an average with padding {stated}")
    amounts = call.graph.constant("padding", np.array([(0, 0), *stated, (0, 0)], np.int32))
    shape = (x.shape[0], *(size + sum(pad) for size, pad in zip(sizes, stated, strict=True)), x.shape[3])
    value = call.graph.constant("filling", np.array([fill], f"int{x.quant.bits}"), x.quant)
    return call.graph.emit("PADV2", [x, amounts, value], replace(x, name=f"{x.name}_padded", shape=shape)), VALID


def _pair(call: Call, name: str) -> list[int]:
    return list(call.attributes.get(name, [1, 1]))


def _strides(strides: Sequence[int]) -> dict[str, int]:
    return {"stride_h": strides[0], "stride_w": strides[1]}


def _mean(call: Call) -> Value:
    x = call.graph.channels_last(call.value(0))
    rank = len(x.shape)
    axes = call.numbers(1, "axes") or list(range(rank))
    keeps = bool(call.attributes.get("keepdims", 1))
    return _averaged(call, x, [axis % rank for axis in axes], keeps=keeps)


def _global_mean(call: Call) -> Value:
    x = call.graph.channels_last(call.value(0))
    return _averaged(call, x, list(range(2, len(x.shape))), keeps=True)


def _averaged(call: Call, x: Value, axes: Sequence[int], *, keeps: bool) -> Value:
    """The mean over axes of the ONNX model."""
    if x.is_last and not keeps and sorted(axes) != [2, 3]:
        x = call.graph.channels_second(x)
    held = {axis: place for place, axis in ((0, 0), *_SPATIAL.items())}
    there = sorted(held[axis] for axis in axes) if x.is_last else sorted(axes)
    result = call.result(is_last=x.is_last and keeps)
    return call.graph.emit("MEAN", [x, call.graph.constant("axes", np.array(there, np.int32))], result, keep_dims=keeps)


def _binary(builtin: str) -> Callable[[Call], Value]:
    def binary(call: Call) -> Value:
        operands = [call.value(0), call.value(1)]
        is_last = any(value.is_last for value in operands) and all(len(value.shape) in (0, 4) for value in operands)
        move = call.graph.channels_last if is_last else call.graph.channels_second
        moved = [move(value) for value in operands]
        result = call.result(is_last=is_last)
        fields = {"pot_scale_int16": False} if builtin == "ADD" else {}
        return call.graph.emit(builtin, moved, result, fused_activation_function=call.activation, **fields)

    return binary


def _concatenation(call: Call) -> Value:
    values = [call.value(number) for number in range(len(call.operands))]
    is_last = all(value.is_last for value in values)
    move = call.graph.channels_last if is_last else call.graph.channels_second
    if any(value.data is not None for value in values):
        call.refuse("a constant part")
    parts = [call.graph.requantised(move(value), call.wanted, f"{value.name}_scaled") for value in values]
    axis = call.attributes["axis"] % len(call.shape)
    there = {second: last for last, second in _SPATIAL.items()}.get(axis, axis) if is_last else axis
    return call.graph.emit("CONCATENATION", parts, call.result(is_last=is_last), axis=there)


def _reshape(call: Call) -> Value:
    x = call.graph.channels_second(call.moved(0))
    return call.graph.reshaped(x, call.result(x))


def _transpose(call: Call) -> Value:
    x = call.graph.channels_second(call.moved(0))
    order = call.attributes.get("perm", list(range(len(x.shape)))[::-1])
    return call.graph.emit("TRANSPOSE", [x, call.graph.constant("order", np.array(order, np.int32))], call.result(x))


def _same(call: Call) -> Value:
    return call.moved(0)


def _function(builtin: str, low: int | None = None, **fields: Any) -> Callable[[Call], Value]:
    """A function of each element, whose result may have a quantisation that TFLite fixes: from `low` to 1."""

    def function(call: Call) -> Value:
        x = call.value(0)
        result = replace(x, name=call.name, quant=call.wanted if low is None else _fixed(x, low))
        stated = {"alpha": call.attributes.get("alpha", 0.01)} if builtin == "LEAKY_RELU" else fields
        return call.graph.emit(builtin, [x], result, **stated)

    return function


def _fixed(x: Value, low: int) -> Quant:
    """The quantisation that TFLite fixes for results from `low`, 0 or -1, to 1: 16 bits are symmetric."""
    if x.quant is not None and x.quant.bits == 16:
        return Quant((1 / 32768,), bits=16)
    return Quant((1 / 128,)) if low else Quant((1 / 256,), -128)


def _softmax(call: Call) -> Value:
    x = call.graph.channels_second(call.value(0))
    if call.attributes.get("axis", -1) % len(x.shape) != len(x.shape) - 1:
        call.refuse("a softmax of another axis than the last one")
    return call.graph.emit("SOFTMAX", [x], replace(x, name=call.name, quant=_fixed(x, 0)), beta=1.0)


OPERATORS: Mapping[str, Callable[[Call], Value]] = {
    "Add": _binary("ADD"),
    "AveragePool": _pool("AVERAGE_POOL_2D"),
    "Concat": _concatenation,
    "Conv": _convolution,
    "Dropout": _same,
    "Flatten": _reshape,
    "Gemm": _dense,
    "GlobalAveragePool": _global_mean,
    "Identity": _same,
    "LeakyRelu": _function("LEAKY_RELU"),
    "MatMul": _dense,
    "MaxPool": _pool("MAX_POOL_2D"),
    "Mul": _binary("MUL"),
    "ReduceMean": _mean,
    "Relu": _function("RELU"),
    "Reshape": _reshape,
    "Sigmoid": _function("LOGISTIC", 0),
    "Softmax": _softmax,
    "Squeeze": _reshape,
    "Tanh": _function("TANH", -1),
    "Transpose": _transpose,
    "Unsqueeze": _reshape,
}
"""What can be written, by the operator of ONNX."""
BOUNDED = ("Add", "Conv", "Gemm", "MatMul", "Mul")
"""Operators that compute a bound behind them as well."""
