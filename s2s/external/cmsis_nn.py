"""Layers of 8-bit integers by CMSIS-NN: convolutions, depthwise ones, fully connected layers, and pooling.

`CMSIS_NN_PATH` names a checkout of the library when the tree is built; none of its files is part of s2s. Its functions
compute what TFLite's reference kernels do, with two roundings, so only `rounding = "double"` is claimed.

    convolution        rescale(conv(x, w, b))            arm_convolve_wrapper_s8, w as [O, KH, KW, C]
    depthwise          rescale(conv(x, w, b))            arm_depthwise_conv_wrapper_s8, w as [KH, KW, O]
    fully_connected    rescale(matmul(x, w) + b)         arm_fully_connected_s8, w as [O, C]
    average_pool       avg_pool(x)                       arm_avgpool_s8
    max_pool           max_pool(x)                       arm_max_pool_s8

Weights, biases, multipliers and shifts are constants in the library's layout. Scratch is what the library's functions
`…_get_buffer_size` ask for, on the core of the target.
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.external.cmsis_nn_costs import library_cost, own_cost
from s2s.external.generator import Code, CodeGenerator, Composite, Region
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.targets import Target
from s2s.types.dtypes import Array
from s2s.types.shapes.window import Window

HEADERS = ('"arm_nnfunctions.h"',)
CONVOLUTION, DEPTHWISE, FULLY_CONNECTED = "convolution", "depthwise", "fully_connected"
AVERAGE_POOL, MAX_POOL = "average_pool", "max_pool"
MVE_BLOCK = 124
"""Channels that the library's depthwise convolution copies at a time on cores with vectors of integers."""


class CmsisNn(CodeGenerator):
    """Functions `…_s8` of CMSIS-NN."""

    name = "cmsis-nn"
    include = ("$CMSIS_NN_PATH/Include",)
    sources = tuple(
        f"$CMSIS_NN_PATH/Source/{folder}"
        for folder in (
            "ConvolutionFunctions/*_s8*.c",
            "FullyConnectedFunctions/*_s8*.c",
            "PoolingFunctions/*_s8.c",
            "NNSupportFunctions/arm_nn_[a-km-z]*_s8*.c",
            "NNSupportFunctions/arm_[qs][78]_to_*.c",
            "TransposeFunctions/*_s8.c",
        )
    )

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        x = wildcard().has_dtype("int8")
        w, b = is_constant().has_dtype("int8"), is_constant()
        conv = is_op("conv")(x, w, b) | is_op("conv")(x, w)
        depthwise = conv.where(_is_depthwise)
        product = is_op("matmul")(x, w)
        dense = product.optional(lambda each: is_op("add")(each, b))
        return [
            (DEPTHWISE, is_op("rescale")(depthwise, is_constant(), is_constant())),
            (CONVOLUTION, is_op("rescale")(conv, is_constant(), is_constant())),
            (FULLY_CONNECTED, is_op("rescale")(dense, is_constant(), is_constant())),
            (AVERAGE_POOL, is_op("avg_pool")(x)),
            (MAX_POOL, is_op("max_pool")(x)),
        ]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        reasons = (
            (_refused_pool(composite),)
            if _is_pool(composite)
            else (
                _refused_rescale(composite),
                _refused_product(composite)
                if composite.pattern == FULLY_CONNECTED
                else _refused_convolution(composite),
            )
        )
        return next((reason for reason in reasons if reason is not None), None)

    def cost(self, composite: Composite, target: Target) -> float | None:
        return library_cost(composite, target)

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        return own_cost(composite, target)

    def code(self, region: Region, target: Target) -> Code:
        (step,) = region.steps
        composite = step.composite
        writers: dict[str, Callable[[Composite, Target], Code]] = {
            CONVOLUTION: _convolution,
            DEPTHWISE: _convolution,
            FULLY_CONNECTED: _fully_connected,
        }
        made = writers.get(composite.pattern, _pool)(composite, target)
        return Code(
            made.body,
            headers=HEADERS,
            constants=made.constants,
            replaced=frozenset(region.constants),
            scratch=made.scratch,
        )


def has_vectors(target: Target) -> bool:
    """Whether the library is compiled for vectors of integers (MVE)."""
    return target.integer_lanes > 0


def _is_depthwise(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, graph.ConvOp) and op.groups.value.data == op.typed_operands().channels > 1


def _is_pool(composite: Composite) -> bool:
    return composite.pattern in (AVERAGE_POOL, MAX_POOL)


def _refused_rescale(composite: Composite) -> str | None:
    op = composite.the(graph.RescaleOp)
    if op.rounding_mode != "double":
        return f"its sums are rounded once ({op.rounding_mode}), CMSIS-NN rounds twice"
    element = composite.outputs[0].element_type
    if str(element) != "i8" or op.zero_points[0]:
        return f"it makes {element}, CMSIS-NN makes i8"
    rank = len(composite.outputs[0].get_shape())
    if op.channel_axis not in (None, rank - 1):
        return "its scales vary along another dimension than channels, which come last"
    if op.channel_axis is not None and composite.pattern == FULLY_CONNECTED:
        return "a scale for each channel of a fully connected layer"
    return None


def _refused_convolution(composite: Composite) -> str | None:
    op = composite.the(graph.ConvOp)
    window, shape = op.window(), composite.shape(composite.number(op.x) or 0)
    if op.data_layout != "NHWC" or len(shape) != 4:
        return "its channels do not come last, or it is no image"
    if op.accumulation.w_zp:
        return "its weights have a zero point"
    groups, channels = op.groups.value.data, shape[3]
    if groups not in (1, channels):
        return f"{groups} groups of {channels} channels"
    if composite.pattern == DEPTHWISE and shape[0] != 1:
        return f"a batch of {shape[0]}"
    if composite.pattern == DEPTHWISE and max(window.dilations) > 1:
        return "a dilated depthwise convolution"
    return None


def _refused_product(composite: Composite) -> str | None:
    op = composite.the(graph.MatmulOp)
    if op.transpose_a is not None or op.transpose_b is None:
        return "its weights do not lie row by row of outputs"
    if op.accumulation.w_zp:
        return "its weights have a zero point"
    if len(composite.shape(composite.number(op.a) or 0)) != 2 or len(composite.shape(composite.number(op.b) or 0)) != 2:
        return "its factors are no matrices"
    add = composite.find(graph.AddOp)
    bias = None if add is None else next((v for each in add.operands if (v := composite.value(each)) is not None), None)
    if bias is not None and bias.size != composite.outputs[0].get_shape()[-1]:
        return "what is added is no bias"
    return None


def _refused_pool(composite: Composite) -> str | None:
    op = composite.ops[0]
    assert isinstance(op, graph.AvgPoolOp | graph.MaxPoolOp)
    if op.data_layout != "NHWC" or len(composite.shape(0)) != 4:
        return "its channels do not come last, or it is no image"
    if max(op.window().dilations) > 1:
        return "a dilated window"
    if isinstance(op, graph.AvgPoolOp) and any(op.counted_pads.get_values()):
        return "its padding counts as elements"
    return None


def _convolution(composite: Composite, target: Target) -> Code:
    """A call of a convolution, general or depthwise."""
    op = composite.the(graph.ConvOp)
    window, depthwise = op.window(), composite.pattern == DEPTHWISE
    x, y = composite.shape(composite.number(op.x) or 0), composite.outputs[0].get_shape()
    weights = _known(composite, op.w)
    (kh, kw), out = window.kernel, y[3]
    packed = weights.transpose(1, 2, 3, 0) if depthwise else weights.transpose(0, 2, 3, 1)
    filter_dims = (1, kh, kw, out) if depthwise else (out, kh, kw, weights.shape[1])
    bias = _known(composite, op.b) if op.b is not None else np.zeros(out, np.int32)
    scratch = _depthwise_scratch(target, window, x[3]) if depthwise else _convolution_scratch(target, window, x[3])
    multiplication = f"{out // x[3]}, " if depthwise else ""
    kind, function = ("dw_conv", "arm_depthwise_conv_wrapper_s8") if depthwise else ("conv", "arm_convolve_wrapper_s8")
    body = [
        f"const cmsis_nn_context ctx = {{{_scratch(scratch)}}};",
        f"const cmsis_nn_{kind}_params params = {{{-op.accumulation.x_zp}, {_output_zp(composite)}, {multiplication}"
        f"{_pair(window.strides)}, {_pair(window.pads[:2])}, {_pair(window.dilations)}, {_limits(composite)}}};",
        "const cmsis_nn_per_channel_quant_params quant = {(int32_t *)multiplier, (int32_t *)shift};",
        _dims("input", x),
        _dims("filter", filter_dims),
        _dims("biases", (1, 1, 1, out)),
        _dims("output", y),
        "",
        f"(void){function}(&ctx, &params, &quant, &input, x0, &filter, weights, &biases, bias, &output, y0);",
    ]
    constants = {"weights": np.ascontiguousarray(packed), "bias": bias.reshape(-1).astype(np.int32)}
    return Code("\n".join(body), constants={**constants, **_scales(composite, out)}, scratch=scratch)


def _fully_connected(composite: Composite, target: Target) -> Code:
    """A call of a fully connected layer. Cores with vectors want sums of weights, which are constants here."""
    op = composite.the(graph.MatmulOp)
    x, weights = composite.shape(composite.number(op.a) or 0), _known(composite, op.b)
    out, depth = weights.shape
    add = composite.find(graph.AddOp)
    biases = [] if add is None else [v for each in add.operands if (v := composite.value(each)) is not None]
    bias = biases[0].reshape(-1).astype(np.int32) if biases else np.zeros(out, np.int32)
    constants: dict[str, Array] = {"weights": np.ascontiguousarray(weights), "bias": bias}
    offset = -op.accumulation.x_zp
    context = "NULL, 0"
    if has_vectors(target):
        sums = weights.astype(np.int64).sum(axis=1) * offset + bias
        constants["sums"] = sums.astype(np.int32)
        context = f"(void *)sums, {4 * out}"
    scales = _scales(composite, 1)
    multiplier, shift = int(scales["multiplier"][0]), int(scales["shift"][0])
    body = [
        f"const cmsis_nn_context ctx = {{{context}}};",
        f"const cmsis_nn_fc_params params = {{{offset}, 0, {_output_zp(composite)}, {_limits(composite)}}};",
        f"const cmsis_nn_per_tensor_quant_params quant = {{{multiplier}, {shift}}};",
        _dims("input", (x[0], 1, 1, depth)),
        _dims("filter", (depth, 1, 1, out)),
        _dims("biases", (1, 1, 1, out)),
        _dims("output", (x[0], 1, 1, out)),
        "",
        "(void)arm_fully_connected_s8(",
        "    &ctx, &params, &quant, &input, x0, &filter, weights, &biases, bias, &output, y0);",
    ]
    return Code("\n".join(body), constants=constants)


def _pool(composite: Composite, target: Target) -> Code:
    """A call of a pooling."""
    op = composite.ops[0]
    assert isinstance(op, graph.AvgPoolOp | graph.MaxPoolOp)
    window, x, y = op.window(), composite.shape(0), composite.outputs[0].get_shape()
    average = composite.pattern == AVERAGE_POOL
    scratch = 4 * y[2] * x[3] if average and not has_vectors(target) else 0
    body = [
        f"const cmsis_nn_context ctx = {{{_scratch(scratch)}}};",
        f"const cmsis_nn_pool_params params = {{{_pair(window.strides)}, {_pair(window.pads[:2])}, {{-128, 127}}}};",
        _dims("input", x),
        _dims("filter", (1, *window.kernel, 1)),
        _dims("output", y),
        "",
        f"(void){'arm_avgpool_s8' if average else 'arm_max_pool_s8'}(&ctx, &params, &input, x0, &filter, &output, y0);",
    ]
    return Code("\n".join(body), scratch=scratch)


def _known(composite: Composite, operand: SSAValue) -> Array:
    value = composite.value(operand)
    assert value is not None
    return np.asarray(value)


def _scales(composite: Composite, channels: int) -> dict[str, Array]:
    """Multiplier and shift of each channel, as integers of 32 bits."""
    op = composite.the(graph.RescaleOp)
    found = {"multiplier": op.multiplier, "shift": op.shift}
    return {
        name: np.ascontiguousarray(np.broadcast_to(_known(composite, each).reshape(-1).astype(np.int32), channels))
        for name, each in found.items()
    }


def _output_zp(composite: Composite) -> int:
    return composite.the(graph.RescaleOp).zero_points[1]


def _limits(composite: Composite) -> str:
    low, high = composite.the(graph.RescaleOp).limits
    return f"{{{low}, {high}}}"


def _dims(name: str, sizes: Sequence[int]) -> str:
    return f"const cmsis_nn_dims {name} = {{{', '.join(map(str, sizes))}}};"


def _pair(values: Sequence[int]) -> str:
    """A size or a distance, the width first."""
    return f"{{{values[1]}, {values[0]}}}"


def _scratch(size: int) -> str:
    return f"scratch, {size}" if size else "NULL, 0"


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
