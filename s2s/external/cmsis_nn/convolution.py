"""Convolutions, general and depthwise: rescale(conv(x, w, b))."""

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.external.cmsis_nn.function import (
    Function,
    activation,
    context,
    dims,
    has_vectors,
    known,
    output_zp,
    pair,
    refused_rescale,
    scales_of,
)
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.targets import Target
from s2s.types.shapes.window import Window

_DEPTHWISE = "depthwise"
MVE_BLOCK = 124
"""Channels that the library's depthwise convolution copies at a time on cores with vectors of integers."""


def _conv() -> Pattern:
    x, w = wildcard().has_dtype("int8"), is_constant().has_dtype("int8")
    return is_op("conv")(x, w, is_constant()) | is_op("conv")(x, w)


def _is_depthwise(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, graph.ConvOp) and op.groups.value.data == op.typed_operands().channels > 1


def _refused(composite: Composite) -> str | None:
    op = composite.the(graph.ConvOp)
    window, shape = op.window(), composite.shape(composite.number(op.x) or 0)
    if op.data_layout != "NHWC" or len(shape) != 4:
        return "its channels do not come last, or it is no image"
    if op.accumulation.w_zp:
        return "its weights have a zero point"
    groups, channels = op.groups.value.data, shape[3]
    if groups not in (1, channels):
        return f"{groups} groups of {channels} channels"
    if composite.pattern == _DEPTHWISE and shape[0] != 1:
        return f"a batch of {shape[0]}"
    if composite.pattern == _DEPTHWISE and max(window.dilations) > 1:
        return "a dilated depthwise convolution"
    return refused_rescale(composite, per_channel=True)


def _code(step: Step, target: Target) -> Code:
    composite = step.composite
    op = composite.the(graph.ConvOp)
    window, depthwise = op.window(), composite.pattern == _DEPTHWISE
    x, y = composite.shape(composite.number(op.x) or 0), composite.outputs[0].get_shape()
    weights = known(composite, op.w)
    (kh, kw), out = window.kernel, y[3]
    packed = weights.transpose(1, 2, 3, 0) if depthwise else weights.transpose(0, 2, 3, 1)
    filter_dims = (1, kh, kw, out) if depthwise else (out, kh, kw, weights.shape[1])
    bias = known(composite, op.b) if op.b is not None else np.zeros(out, np.int32)
    scratch = _depthwise_scratch(target, window, x[3]) if depthwise else _convolution_scratch(target, window, x[3])
    multiplication = f"{out // x[3]}, " if depthwise else ""
    kind, function = ("dw_conv", "arm_depthwise_conv_wrapper_s8") if depthwise else ("conv", "arm_convolve_wrapper_s8")
    body = [
        context(scratch),
        f"const cmsis_nn_{kind}_params params = {{{-op.accumulation.x_zp}, {output_zp(composite)}, {multiplication}"
        f"{pair(window.strides)}, {pair(window.pads[:2])}, {pair(window.dilations)}, {activation(composite)}}};",
        "const cmsis_nn_per_channel_quant_params quant = {(int32_t *)multiplier, (int32_t *)shift};",
        dims("input", x),
        dims("filter", filter_dims),
        dims("biases", (1, 1, 1, out)),
        dims("output", y),
        "",
        f"(void){function}(&ctx, &params, &quant, &input, x0, &filter, weights, &biases, bias, &output, y0);",
    ]
    constants = {"weights": np.asarray(packed, order="C"), "bias": bias.reshape(-1).astype(np.int32)}
    return Code("\n".join(body), constants={**constants, **scales_of(composite, out)}, scratch=scratch)


def _convolution_scratch(target: Target, window: Window, channels: int) -> int:
    """Two columns of 16-bit elements, or four of bytes; none for windows of one element."""
    if prod(window.kernel) == 1 and not any(window.pads) and max(window.dilations) == 1:
        return 0
    column = prod(window.kernel) * channels
    return 4 * 16 * -(-column // 16) if has_vectors(target) else 4 * 4 * -(-column // 4)


def _depthwise_scratch(target: Target, window: Window, channels: int) -> int:
    """One column of 16-bit elements, none for 3x3; or four blocks of channels in bytes."""
    if has_vectors(target):
        return 4 * MVE_BLOCK * prod(window.kernel)
    simple = tuple(window.kernel) == (3, 3) and max(window.pads[:2]) <= 1
    return 0 if simple else 2 * channels * prod(window.kernel)


DEPTHWISE = Function(
    _DEPTHWISE,
    is_op("rescale")(_conv().where(_is_depthwise), is_constant(), is_constant()),
    _refused,
    _code,
)
CONVOLUTION = Function("convolution", is_op("rescale")(_conv(), is_constant(), is_constant()), _refused, _code)
