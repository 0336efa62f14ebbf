"""Convolutional networks outside the set that goals are stated for, at the sizes they are deployed in."""

from collections.abc import Callable, Mapping

import onnx

from benchmarks.networks.builder import Network, Value

Activation = Callable[[Value], Value]


def excite(net: Network, x: Value, hidden: int, activation: Activation, gate: str) -> Value:
    """Squeeze and excitation: each channel times a number that all channels decide."""
    means = net.op("GlobalAveragePool", x)
    return net.op("Mul", x, net.op(gate, net.conv(activation(net.conv(means, hidden)), x.channels)))


def mobilenet_v3_small() -> onnx.ModelProto:
    """MobileNetV3-small: squeeze and excitation with hard sigmoids, hard swish."""
    net = Network("mobilenet_v3_small")
    x = net.hard_swish(net.conv(net.input(1, 3, 224, 224), 16, 3, 2))
    blocks = (
        (3, 16, 16, True, False, 2),
        (3, 72, 24, False, False, 2),
        (3, 88, 24, False, False, 1),
        (5, 96, 40, True, True, 2),
        (5, 240, 40, True, True, 1),
        (5, 240, 40, True, True, 1),
        (5, 120, 48, True, True, 1),
        (5, 144, 48, True, True, 1),
        (5, 288, 96, True, True, 2),
        (5, 576, 96, True, True, 1),
        (5, 576, 96, True, True, 1),
    )
    for window, wide, channels, excited, swish, stride in blocks:
        activation = net.hard_swish if swish else net.relu
        y = x if wide == x.channels else activation(net.conv(x, wide))
        y = activation(net.conv(y, wide, window, stride, groups=wide))
        if excited:
            y = excite(net, y, -(-wide // 32) * 8, net.relu, "HardSigmoid")
        y = net.conv(y, channels)
        x = net.add(x, y) if stride == 1 and channels == x.channels else y
    x = net.op("GlobalAveragePool", net.hard_swish(net.conv(x, 576)))
    return net.model(net.linear(net.hard_swish(net.linear(net.op("Flatten", x), 1024)), 1000))


def efficientnet_b0() -> onnx.ModelProto:
    """EfficientNet-B0: inverted residuals with SiLU and squeeze and excitation."""
    net = Network("efficientnet_b0")
    x = net.silu(net.conv(net.input(1, 3, 224, 224), 32, 3, 2))
    stages = (
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    )
    for expansion, channels, repeats, first_stride, window in stages:
        for number in range(repeats):
            stride, wide = first_stride if number == 0 else 1, x.channels * expansion
            y = x if expansion == 1 else net.silu(net.conv(x, wide))
            y = net.silu(net.conv(y, wide, window, stride, groups=wide))
            y = net.conv(excite(net, y, max(1, x.channels // 4), net.silu, "Sigmoid"), channels)
            x = net.add(x, y) if stride == 1 and channels == x.channels else y
    return net.model(net.classes(net.silu(net.conv(x, 1280)), 1000))


def shufflenet_v2() -> onnx.ModelProto:
    """ShuffleNetV2 (1x): halves of the channels, convolved and shuffled."""
    net = Network("shufflenet_v2")
    x = net.max_pool(net.relu(net.conv(net.input(1, 3, 224, 224), 24, 3, 2)), 3, 2, 1)
    for channels, repeats in ((116, 4), (232, 8), (464, 4)):
        half = channels // 2
        for number in range(repeats):
            stride = 2 if number == 0 else 1
            first, second = (x, x) if number == 0 else net.split(x, half, half)
            if number == 0:
                first = net.relu(net.conv(net.conv(first, x.channels, 3, 2, groups=x.channels), half))
            second = net.relu(net.conv(second, half))
            second = net.relu(net.conv(net.conv(second, half, 3, stride, groups=half), half))
            x = shuffled(net, net.concat(first, second), 2)
    return net.model(net.classes(net.relu(net.conv(x, 1024)), 1000))


def shuffled(net: Network, x: Value, groups: int) -> Value:
    """The channels of `groups` groups in turn."""
    n, channels, height, width = x.shape
    apart = net.transpose(net.reshape(x, n, groups, channels // groups, height, width), 0, 2, 1, 3, 4)
    return net.reshape(apart, n, channels, height, width)


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    made.__name__: made for made in (mobilenet_v3_small, efficientnet_b0, shufflenet_v2)
}
