"""Small int8 networks of TFLite that `s2s prove` proves in a second or two."""

import numpy as np

from s2s.frontends.tflite.writer import RELU, SAME, VALID, GraphSpec, OperatorSpec, TensorSpec, model


def quantised_network(*, softmax: bool = False, limited: bool = True) -> bytes:
    """Convolutions (plain, depthwise, 1x1), residual sum, mean, matrix product, and a softmax if asked; some
    layers have a ReLU if `limited`."""
    relu = RELU if limited else 0
    numbers = np.random.default_rng(7)
    tensors = [_activation("x", (1, 6, 5, 3), 0.5, 3)]
    operators: list[OperatorSpec] = []

    def layer(
        kind: str, source: str, name: str, shape: tuple[int, ...], weights: tuple[int, ...], **fields: int
    ) -> None:
        axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
        scales = np.array([0.004 + 0.001 * i for i in range(weights[axis])], np.float32)
        per_tensor = kind == "FULLY_CONNECTED"
        scale = float(scales[0]) if per_tensor else scales
        bias_scale = np.float32(0.5) * (scales[:1] if per_tensor else scales)
        tensors.extend(
            [
                TensorSpec(
                    f"{name}_w",
                    weights,
                    data=numbers.integers(-127, 128, weights).astype(np.int8),
                    scale=scale,
                    axis=axis,
                    zero_point=0 if per_tensor else np.zeros(len(scales), np.int64),
                ),
                TensorSpec(
                    f"{name}_b",
                    (weights[axis],),
                    data=numbers.integers(-900, 900, weights[axis]).astype(np.int32),
                    scale=bias_scale,
                ),
                _activation(name, shape, 0.5, -5),
            ]
        )
        operators.append(OperatorSpec(kind, [source, f"{name}_w", f"{name}_b"], [name], OPTIONS[kind], fields))

    def window(stride: int, padding: int, activation: int) -> dict[str, int]:
        return {
            "padding": padding,
            "stride_h": stride,
            "stride_w": stride,
            "dilation_h_factor": 1,
            "dilation_w_factor": 1,
            "fused_activation_function": activation,
        }

    layer("CONV_2D", "x", "conv", (1, 6, 5, 8), (8, 3, 3, 3), **window(1, SAME, relu))
    layer("DEPTHWISE_CONV_2D", "conv", "dw", (1, 6, 5, 8), (1, 3, 3, 8), depth_multiplier=1, **window(1, SAME, relu))
    layer("CONV_2D", "dw", "point", (1, 6, 5, 8), (8, 1, 1, 8), **window(1, VALID, 0))
    tensors.append(_activation("sum", (1, 6, 5, 8), 0.7, 2))
    operators.append(OperatorSpec("ADD", ["conv", "point"], ["sum"], "AddOptions", {"fused_activation_function": relu}))
    tensors.append(_activation("mean", (1, 1, 1, 8), 0.7, 2))
    pool = {
        "padding": VALID,
        "stride_h": 1,
        "stride_w": 1,
        "filter_height": 6,
        "filter_width": 5,
        "fused_activation_function": 0,
    }
    operators.append(OperatorSpec("AVERAGE_POOL_2D", ["sum"], ["mean"], "Pool2DOptions", pool))
    tensors.append(_activation("flat", (1, 8), 0.7, 2))
    tensors.append(TensorSpec("flat_shape", (2,), data=np.array([1, 8], np.int32)))
    operators.append(OperatorSpec("RESHAPE", ["mean", "flat_shape"], ["flat"]))
    layer("FULLY_CONNECTED", "flat", "scores", (1, 3), (3, 8), fused_activation_function=0)
    if softmax:
        tensors.append(_activation("shares", (1, 3), 1 / 256, -128))
        operators.append(OperatorSpec("SOFTMAX", ["scores"], ["shares"], "SoftmaxOptions", {"beta": 1.0}))
    return model([GraphSpec(tensors, operators, ["x"], operators[-1].outputs)])


OPTIONS = {
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
}


def _activation(name: str, shape: tuple[int, ...], scale: float, zero_point: int) -> TensorSpec:
    return TensorSpec(name, shape, "INT8", scale=scale, zero_point=zero_point)


def pooled_network() -> bytes:
    """A convolution of which two of six channels are constants, and a pool of 3x3 windows."""
    tensors, operator = _convolution((1, 6, 6, 3), "x", (1, 6, 6, 6), SAME)
    tensors.append(_activation("mean", (1, 2, 2, 6), 0.5, -5))
    sizes = {"stride_h": 3, "stride_w": 3, "filter_height": 3, "filter_width": 3}
    fields = {**sizes, "padding": VALID, "fused_activation_function": 0}
    pool = OperatorSpec("AVERAGE_POOL_2D", ["conv"], ["mean"], "Pool2DOptions", fields)
    return model([GraphSpec(tensors, [operator, pool], ["x"], ["mean"])])


def padded_network() -> bytes:
    """A convolution of an input that a PAD pads, an operator that the reference does not have."""
    tensors, operator = _convolution((1, 7, 7, 3), "padded", (1, 5, 5, 6), VALID)
    pads = np.array([[0, 0], [1, 0], [1, 0], [0, 0]], np.int32)
    tensors.extend([_activation("x", (1, 6, 6, 3), 0.5, 3), TensorSpec("pads", (4, 2), data=pads)])
    pad = OperatorSpec("PAD", ["x", "pads"], ["padded"], "PadOptions")
    return model([GraphSpec(tensors, [pad, operator], ["x"], ["conv"])])


def _convolution(
    source: tuple[int, ...], name: str, result: tuple[int, ...], padding: int
) -> tuple[list[TensorSpec], OperatorSpec]:
    """A convolution 3x3 to six channels, two of them constants, and its tensors."""
    numbers = np.random.default_rng(5)
    weights = numbers.integers(-127, 128, (6, 3, 3, 3)).astype(np.int8)
    weights[[2, 4]] = 0
    bias = numbers.integers(-900, 900, 6).astype(np.int32)
    scales = np.array([0.004 + 0.001 * i for i in range(6)], np.float32)
    tensors = [
        _activation(name, source, 0.5, 3),
        TensorSpec("w", weights.shape, data=weights, scale=scales, axis=0, zero_point=np.zeros(6, np.int64)),
        TensorSpec("b", (6,), data=bias, scale=np.float32(0.5) * scales),
        _activation("conv", result, 0.5, -5),
    ]
    strides = {"stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
    fields = {**strides, "padding": padding, "fused_activation_function": RELU}
    return tensors, OperatorSpec("CONV_2D", [name, "w", "b"], ["conv"], "Conv2DOptions", fields)
