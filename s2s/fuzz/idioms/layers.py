"""Layers with what stands around them: padding, normalisation, scales and offsets of channels, activation, pools."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.idioms.parts import (
    convolution,
    geometry,
    image,
    layer,
    matrix,
    number,
    one,
    per_channel,
    product,
    transposed,
    weights,
)
from s2s.fuzz.network import Network, Rejected, Value


def _normalised(net: Network, x: Value) -> Value:
    """A batch normalisation with constant parameters."""
    scale, bias, mean = (weights(net, [x.shape[1]]) for _ in range(3))
    variance = weights(net, [x.shape[1]], 0.25, 3.0)
    return one(net, "BatchNormalization", x, scale, bias, mean, variance, epsilon=1e-3)


def _activated(net: Network, x: Value) -> Value:
    """An activation."""
    kind = net.random.choice(("Relu", "Clip", "Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "max", "swish"))
    if kind == "Clip":
        return one(net, kind, x, number(net, 0.0), number(net, 6.0))
    if kind == "max":
        return one(net, "Max", x, number(net, 0.0))
    if kind == "swish":
        return one(net, "Mul", x, one(net, "Sigmoid", x))
    return one(net, kind, x)


def _layer(net: Network) -> Value:
    """A layer, whose result is scaled, shifted and normalised by constants, and an activation."""
    y = layer(net)
    for _ in range(net.random.randint(1, 3)):
        kind = net.random.choice(("Add", "Add", "Sub", "Mul", "Mul", "Div", "Neg", "norm", "norm"))
        if kind == "norm":
            y = _normalised(net, y)
        elif kind == "Neg":
            y = one(net, kind, y)
        else:
            y = one(net, kind, y, per_channel(net, y, *((0.5, 3.0) if kind == "Div" else ())))
    return _activated(net, y) if net.chance(0.6) else y


def _shifted_product(net: Network) -> Value:
    """A product with a bias, which are scaled or normalised together."""
    y = product(net, matrix(net, 2, 2))
    y = one(net, "Add", y, weights(net, [y.shape[-1]]))
    return _normalised(net, y) if net.chance(0.5) else one(net, "Mul", y, per_channel(net, y))


def _norm_alone(net: Network) -> Value:
    """A batch normalisation behind no layer."""
    return _normalised(net, one(net, "Relu", image(net)))


def _between(net: Network, x: Value) -> Value:
    """What a factor of channels may cross: activations, pools and padding."""
    for _ in range(net.random.randint(1, 2)):
        kind = net.random.choice(("Relu", "MaxPool", "AveragePool", "Pad"))
        if kind == "Relu":
            x = one(net, kind, x)
        elif kind == "Pad":
            x = one(net, kind, x, net.known([0, 0, 1, 0, 0, 0, 0, 1]))
        elif min(x.shape[2:]) >= 2:
            x = one(net, kind, x, kernel_shape=[2, 2])
    return x


def _scaled_behind(net: Network) -> Value:
    """A convolution whose result is scaled behind an activation."""
    y = _between(net, convolution(net, image(net)))
    low = -2.0 if net.chance(0.2) else 0.25
    return one(net, net.random.choice(("Mul", "Div")), y, per_channel(net, y, low))


def _scaled_before(net: Network) -> Value:
    """A convolution of an image that is scaled before an activation."""
    x = image(net, least=4)
    scaled = one(net, "Mul", x, per_channel(net, x, -2.0 if net.chance(0.2) else 0.25))
    return convolution(net, _between(net, scaled))


def _padded(net: Network) -> Value:
    """A convolution or pool of a padded image."""
    x = one(net, "Relu", image(net)) if net.chance(0.5) else image(net)
    for _ in range(net.random.choice((1, 1, 2))):
        pads = [
            0,
            0,
            *(net.random.randint(0, 1) for _ in range(2)),
            0,
            0,
            *(net.random.randint(0, 1) for _ in range(2)),
        ]
        x = one(net, "Pad", x, net.known(pads), number(net, net.random.choice((0.0, 0.0, 0.0, -1.0))))
    kind = net.random.choice(("Conv", "Conv", "MaxPool", "AveragePool"))
    if kind == "Conv":
        return convolution(net, x)
    return one(net, kind, x, kernel_shape=[3, 3], strides=[net.random.choice((1, 2))] * 2)


def _transposed(net: Network) -> Value:
    """A transposed convolution, with an activation."""
    return _activated(net, transposed(net, image(net)))


def _large_pool(net: Network) -> Value:
    """A pool over a large window."""
    x = image(net, least=8)
    kernel = [net.random.randint(4, 8) for _ in range(2)]
    pads = [0] * 4 if net.chance(0.5) else [kernel[0] // 2, kernel[1] // 2] * 2
    return one(net, net.random.choice(("MaxPool", "AveragePool")), x, kernel_shape=kernel, pads=pads)


def _same(net: Network) -> Value:
    """A convolution or pool whose padding follows from the size of the image."""
    x = image(net, least=4)
    how = {"auto_pad": net.random.choice(("SAME_UPPER", "SAME_LOWER")), "strides": [net.random.choice((1, 2, 3))] * 2}
    kind = net.random.choice(("Conv", "MaxPool", "AveragePool"))
    if kind == "Conv":
        return one(net, kind, x, weights(net, [net.random.choice((1, 3, 8)), x.shape[1], 3, 3]), **how)
    return one(net, kind, x, kernel_shape=[3, 3], **how)


def _grouped(net: Network) -> Value:
    """A convolution of many small groups."""
    groups, inputs, outputs = net.random.choice((2, 4, 8)), net.random.choice((2, 4)), net.random.choice((2, 4))
    x = image(net, groups * inputs)
    w = weights(net, [groups * outputs, inputs, *(net.random.choice((1, 3)) for _ in range(2))])
    return one(net, "Conv", x, w, weights(net, [groups * outputs]), group=groups, pads=[1, 1, 1, 1])


def _parallel(net: Network) -> Value:
    """Layers of one operand, whose results are joined or added."""
    kind = net.random.choice(("conv", "dense", "batch", "batch"))
    if kind == "conv":
        x = image(net)
        kernel, attributes = geometry(net, x)
        counts = [net.random.choice((1, 2, 4)) for _ in range(net.random.randint(2, 3))]
        branches = [one(net, "Conv", x, weights(net, [count, x.shape[1], *kernel]), **attributes) for count in counts]
        return one(net, "Concat", *(_activated(net, branch) for branch in branches), axis=1)
    x = matrix(net, 2, 2) if kind == "dense" else matrix(net, 3, 3)
    columns = net.random.choice((1, 3, 4, 8))
    shape = [*x.shape[:-2], x.shape[-1], columns] if kind == "batch" else [x.shape[-1], columns]
    branches = [one(net, "MatMul", x, weights(net, shape)) for _ in range(net.random.randint(2, 3))]
    return one(net, "Sum", *(_activated(net, branch) for branch in branches))


def _gate(net: Network) -> Value:
    """Squeeze and excite: channels are scaled by what their means say."""
    x = convolution(net, image(net))
    means = one(net, "GlobalAveragePool", x) if net.chance(0.5) else _mean(net, x)
    few = one(net, "Relu", one(net, "Conv", means, weights(net, [net.random.randint(1, 4), x.shape[1], 1, 1])))
    gates = one(net, "Conv", few, weights(net, [x.shape[1], few.shape[1], 1, 1]), weights(net, [x.shape[1]]))
    return one(net, "Mul", x, one(net, net.random.choice(("Sigmoid", "HardSigmoid")), gates))


def _mean(net: Network, x: Value) -> Value:
    if net.opset >= 18:
        return one(net, "ReduceMean", x, net.known([2, 3]))
    return one(net, "ReduceMean", x, axes=[2, 3])


def _dead_channels(net: Network) -> Value:
    """Two layers, the first of which has channels of zeros or of one constant."""
    x = image(net)
    out = net.random.choice((4, 8, 16))
    w, bias = (weights(net, shape).array.copy() for shape in ([out, x.shape[1], 3, 3], [out]))
    dead = net.random.sample(range(out), net.random.randint(1, out - 1))
    w[dead] = 0
    bias[dead] = np.float32(net.random.choice((0.0, -1.0, 0.5)))
    y = one(net, "Conv", x, net.constant(w), net.constant(bias), pads=[1, 1, 1, 1])
    y = one(net, "Relu", y)
    if min(y.shape[2:]) < 2:
        raise Rejected("the image is small")
    return one(net, "Conv", y, weights(net, [net.random.choice((1, 3, 8)), out, 1, 1]))


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "batch norm alone": _norm_alone,
    "channels without use": _dead_channels,
    "groups": _grouped,
    "large pool": _large_pool,
    "layer": _layer,
    "padded layer": _padded,
    "parallel layers": _parallel,
    "same padding": _same,
    "scaled behind activation": _scaled_behind,
    "scaled before layer": _scaled_before,
    "shifted product": _shifted_product,
    "squeeze and excite": _gate,
    "transposed layer": _transposed,
}
