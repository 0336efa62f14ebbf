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


def densenet() -> onnx.ModelProto:
    """The first three blocks of DenseNet-121: each layer reads what all layers before it gave, through a batch norm."""
    net = Network("densenet")
    x = net.max_pool(net.relu(net.conv(net.input(1, 3, 224, 224), 64, 7, 2)), 3, 2, 1)
    for number, layers in enumerate((6, 12, 12)):
        if number:
            x = net.conv(net.relu(net.batch_norm(x)), x.channels // 2)
            x = net.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
        for _ in range(layers):
            y = net.relu(net.conv(net.relu(net.batch_norm(x)), 128))
            x = net.concat(x, net.conv(y, 32, 3))
    return net.model(net.classes(net.relu(net.batch_norm(x)), 1000))


def yolo() -> onnx.ModelProto:
    """A detector like YOLOv8n at 320x320: split and concatenated bottlenecks, pooling pyramid, two ways through it."""
    net = Network("yolo")

    def layer(x: Value, channels: int, window: int = 1, stride: int = 1) -> Value:
        return net.silu(net.conv(x, channels, window, stride))

    def bottlenecks(x: Value, channels: int, count: int, residual: bool) -> Value:
        half = channels // 2
        parts = net.split(layer(x, channels), half, half)
        for _ in range(count):
            y = layer(layer(parts[-1], half, 3), half, 3)
            parts.append(net.add(parts[-1], y) if residual else y)
        return layer(net.concat(*parts), channels)

    x = layer(net.input(1, 3, 320, 320), 16, 3, 2)
    pyramid: list[Value] = []
    for channels, count in ((32, 1), (64, 2), (128, 2), (256, 1)):
        x = bottlenecks(layer(x, channels, 3, 2), channels, count, residual=True)
        pyramid.append(x)
    pools = [layer(x, 128)]
    for _ in range(3):
        pools.append(net.max_pool(pools[-1], 5, 1, 2))
    deep = layer(net.concat(*pools), 256)
    middle = bottlenecks(net.concat(net.upsample(deep, 2), pyramid[2]), 128, 1, residual=False)
    fine = bottlenecks(net.concat(net.upsample(middle, 2), pyramid[1]), 64, 1, residual=False)
    middle = bottlenecks(net.concat(layer(fine, 64, 3, 2), middle), 128, 1, residual=False)
    deep = bottlenecks(net.concat(layer(middle, 128, 3, 2), deep), 256, 1, residual=False)
    found: list[Value] = []
    for level in (fine, middle, deep):
        boxes = net.conv(layer(layer(level, 64, 3), 64, 3), 64)
        kinds = net.conv(layer(layer(level, 80, 3), 80, 3), 80)
        found.append(net.reshape(net.concat(boxes, kinds), 1, 144, -1))
    boxes, kinds = net.split(net.concat(*found, axis=2), 64, 80)
    return net.model(boxes, net.op("Sigmoid", kinds))


def unet() -> onnx.ModelProto:
    """A small U-Net at 128x128: skips concatenated to what transposed convolutions give."""
    net = Network("unet")

    def twice(x: Value, channels: int) -> Value:
        return net.relu(net.conv(net.relu(net.conv(x, channels, 3)), channels, 3))

    x = twice(net.input(1, 3, 128, 128), 32)
    skips: list[Value] = []
    for channels in (64, 128, 256):
        skips.append(x)
        x = twice(net.max_pool(x, 2, 2), channels)
    for skip in reversed(skips):
        x = twice(net.concat(skip, net.transposed_conv(x, skip.channels, 2, 2)), skip.channels)
    return net.model(net.op("Sigmoid", net.conv(x, 2)))


def convnext() -> onnx.ModelProto:
    """The widths of ConvNeXt-tiny, fewer blocks: 7x7 depthwise, norms over the channels, dense layers, GELU."""
    net = Network("convnext")

    def norm(x: Value) -> Value:
        return net.transpose(net.layer_norm(net.transpose(x, 0, 2, 3, 1)), 0, 3, 1, 2)

    x = norm(net.conv(net.input(1, 3, 224, 224), 96, 4, 4, pads=(0, 0, 0, 0)))
    for channels, blocks in ((96, 2), (192, 2), (384, 3), (768, 2)):
        if channels != x.channels:
            x = net.conv(norm(x), channels, 2, 2, pads=(0, 0, 0, 0))
        for _ in range(blocks):
            y = net.transpose(net.conv(x, channels, 7, groups=channels), 0, 2, 3, 1)
            y = net.linear(net.gelu(net.linear(net.layer_norm(y), 4 * channels)), channels)
            scaled = net.op("Mul", net.weights(channels, 1, 1, fan=100), net.transpose(y, 0, 3, 1, 2))
            x = net.add(scaled, x)
    pooled = net.op("GlobalAveragePool", x)
    return net.model(net.linear(net.op("Flatten", norm(pooled)), 1000))


def regnet() -> onnx.ModelProto:
    """RegNetX-400MF: bottlenecks whose 3x3 convolutions have groups of 16 channels."""
    net = Network("regnet")
    x = net.relu(net.conv(net.input(1, 3, 224, 224), 32, 3, 2))
    for channels, blocks in ((32, 1), (64, 2), (160, 7), (400, 12)):
        for number in range(blocks):
            stride = 2 if number == 0 else 1
            y = net.relu(net.conv(x, channels))
            y = net.conv(net.relu(net.conv(y, channels, 3, stride, groups=channels // 16)), channels)
            x = net.relu(net.add(net.conv(x, channels, 1, stride) if number == 0 else x, y))
    return net.model(net.classes(x, 1000))


def vgg() -> onnx.ModelProto:
    """The convolutions of VGG-16 at 96x96 and smaller dense layers: plain 3x3 convolutions and pools."""
    net = Network("vgg")
    x = net.input(1, 3, 96, 96)
    for channels, layers in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(layers):
            x = net.relu(net.conv(x, channels, 3))
        x = net.max_pool(x, 2, 2)
    x = net.relu(net.linear(net.op("Flatten", x), 1024))
    return net.model(net.linear(net.relu(net.linear(x, 1024)), 100))


def super_resolution() -> onnx.ModelProto:
    """ESPCN for three times the size: convolutions at 224x224, channels made pixels at the end."""
    net = Network("super_resolution")
    x = net.relu(net.conv(net.input(1, 1, 224, 224), 64, 5))
    x = net.relu(net.conv(net.relu(net.conv(x, 64, 3)), 32, 3))
    return net.model(net.op("DepthToSpace", net.conv(x, 9, 3), blocksize=3, mode="CRD"))


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    made.__name__: made
    for made in (
        mobilenet_v3_small,
        efficientnet_b0,
        shufflenet_v2,
        densenet,
        yolo,
        unet,
        convnext,
        regnet,
        vgg,
        super_resolution,
    )
}
