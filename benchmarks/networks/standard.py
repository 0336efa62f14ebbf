"""Well-known networks at 224x224, written without PyTorch: compile time is measured on them."""

from collections.abc import Callable, Mapping

import numpy as np
import onnx

from benchmarks.networks.builder import Network, Value
from benchmarks.networks.sequences import self_attention


def resnet18(size: int = 224) -> onnx.ModelProto:
    """ResNet-18: two 3x3 convolutions a block, on `size` x `size` pixels."""
    net = Network("resnet18")
    x = net.max_pool(net.relu(net.conv(net.input(1, 3, size, size), 64, 7, 2)), 3, 2, 1)
    for channels, first_stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for stride in (first_stride, 1):
            y = net.conv(net.relu(net.conv(x, channels, 3, stride)), channels, 3)
            x = net.relu(net.add(y, x if x.shape == y.shape else net.conv(x, channels, 1, stride)))
    return net.model(net.classes(x, 1000))


def resnet50() -> onnx.ModelProto:
    """ResNet-50: bottlenecks of 1x1, 3x3 and 1x1 convolutions."""
    net = Network("resnet50")
    x = net.max_pool(net.relu(net.conv(net.input(1, 3, 224, 224), 64, 7, 2)), 3, 2, 1)
    for channels, blocks, first_stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(blocks):
            stride = first_stride if number == 0 else 1
            y = net.relu(net.conv(net.relu(net.conv(x, channels)), channels, 3, stride))
            skip = net.conv(x, 4 * channels, 1, stride) if number == 0 else x
            x = net.relu(net.add(net.conv(y, 4 * channels), skip))
    return net.model(net.classes(x, 1000))


def mobilenet_v2() -> onnx.ModelProto:
    """MobileNetV2: inverted residuals with ReLU6."""
    net = Network("mobilenet_v2")
    limits = net.constant(np.array(0, np.float32)), net.constant(np.array(6, np.float32))

    def relu6(x: Value) -> Value:
        return net.op("Clip", x, *limits)

    x = relu6(net.conv(net.input(1, 3, 224, 224), 32, 3, 2))
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    for expansion, channels, repeats, first_stride in stages:
        for number in range(repeats):
            stride, wide = first_stride if number == 0 else 1, x.channels * expansion
            y = x if expansion == 1 else relu6(net.conv(x, wide))
            y = net.conv(relu6(net.conv(y, wide, 3, stride, groups=wide)), channels)
            x = net.add(x, y) if stride == 1 and channels == x.channels else y
    return net.model(net.classes(relu6(net.conv(x, 1280)), 1000))


def vit_tiny() -> onnx.ModelProto:
    """ViT-tiny: patches of 16x16 pixels, twelve layers of three heads, the class read from the first step."""
    net, features = Network("vit_tiny"), 192
    patches = net.conv(net.input(1, 3, 224, 224), features, 16, 16, pads=(0, 0, 0, 0))
    x = net.transpose(net.reshape(patches, 1, features, -1), 0, 2, 1)
    x = net.concat(net.weights(1, 1, features, fan=4), x, axis=1)
    x = net.add(x, net.weights(*x.shape[1:], fan=4))
    for _ in range(12):
        x = net.add(x, self_attention(net, net.layer_norm(x), 3))
        x = net.add(x, net.linear(net.gelu(net.linear(net.layer_norm(x), 4 * features)), features))
    first = net.op("Gather", net.layer_norm(x), net.constant(np.array(0, np.int64)), axis=1)
    return net.model(net.linear(first, 1000))


def kws() -> onnx.ModelProto:
    """DS-CNN of MLPerf Tiny: keywords in a spectrogram of 49x10."""
    net = Network("kws")
    x = net.relu(net.conv(net.input(1, 1, 49, 10), 64, (10, 4), 2, pads=(4, 1, 5, 1)))
    for _ in range(4):
        x = net.relu(net.conv(net.relu(net.conv(x, 64, 3, groups=64)), 64))
    return net.model(net.op("Softmax", net.classes(x, 12), axis=-1))


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    made.__name__: made for made in (resnet50, mobilenet_v2, vit_tiny, kws)
}
