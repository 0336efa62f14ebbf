"""Networks on signals, series and tables outside the set that goals are stated for: 1-D convolutions, recurrence, dense
layers."""

from collections.abc import Callable, Mapping

import numpy as np
import onnx
from onnx import TensorProto

from benchmarks.networks.builder import Network, Value


def wav2vec2() -> onnx.ModelProto:
    """Features of half a second of sound: strided 1-D convolutions, GELU, a norm of each channel behind the first."""
    net, features = Network("wav2vec2"), 128
    x = net.op("Unsqueeze", net.input(1, 8000), net.integers(1))
    for window, stride in ((10, 5), (3, 2), (3, 2), (3, 2), (2, 2)):
        first = x.channels == 1
        x = net.conv(x, features, window, stride, pads=[0, 0])
        if first:
            ones, zeros = net.constant(np.ones(features, np.float32)), net.constant(np.zeros(features, np.float32))
            x = net.op("InstanceNormalization", x, ones, zeros, epsilon=1e-5)
            x = net.add(net.op("Mul", x, net.weights(features, 1, fan=1)), net.weights(features, 1, fan=100))
        x = net.gelu(x)
    return net.model(net.linear(net.layer_norm(net.transpose(x, 0, 2, 1)), 192))


def tcn() -> onnx.ModelProto:
    """Dilated convolutions that see the past only: padded in front, or on both sides with the rest cut off."""
    net = Network("tcn")
    x = net.input(1, 32, 400)
    for level in range(6):
        dilation, y = 2**level, x
        for _ in range(2):
            past = 2 * dilation
            if level % 2:
                y = net.op("Pad", y, net.integers(0, 0, past, 0, 0, 0))
                y = net.relu(net.conv(y, 64, 3, dilation=dilation, pads=[0, 0]))
            else:
                y = net.relu(net.conv(y, 64, 3, dilation=dilation, pads=[past, past]))
                y = net.op("Slice", y, net.integers(0), net.integers(-past), net.integers(2))
        x = net.relu(net.add(y, x if x.channels == 64 else net.conv(x, 64)))
    last = net.op("Slice", x, net.integers(-1), net.integers(2**63 - 1), net.integers(2))
    return net.model(net.linear(net.op("Squeeze", last, net.integers(2)), 10))


def keywords() -> onnx.ModelProto:
    """TC-ResNet: residual blocks of 1-D convolutions over 98 frames."""
    net = Network("keywords")
    x = net.relu(net.conv(net.input(1, 40, 98), 24, 3))
    for channels in (32, 48, 64):
        y = net.conv(net.relu(net.conv(x, channels, 9, 2)), channels, 9)
        x = net.relu(net.add(y, net.relu(net.conv(x, channels, 1, 2))))
    return net.model(net.op("Softmax", net.classes(x, 12), axis=1))


def recurrent(net: Network, kind: str, x: Value, hidden: int, directions: int, **settings: int) -> Value:
    """A layer over `x` [steps, 1, features], its directions side by side."""
    gates, depth = {"LSTM": 4, "GRU": 3}[kind], x.shape[-1]
    y = net.op(
        kind,
        x,
        net.weights(directions, gates * hidden, depth, fan=depth),
        net.weights(directions, gates * hidden, hidden, fan=hidden),
        net.weights(directions, 2 * gates * hidden, fan=100),
        hidden_size=hidden,
        direction="bidirectional" if directions == 2 else "forward",
        **settings,
    )
    return net.reshape(net.transpose(y, 0, 2, 1, 3), 0, -1, directions * hidden)


def bilstm() -> onnx.ModelProto:
    """Two bidirectional LSTM layers and a label for each step."""
    net = Network("bilstm")
    x = net.input(64, 1, 80)
    for _ in range(2):
        x = recurrent(net, "LSTM", x, 128, 2)
    return net.model(net.linear(x, 32))


def gru() -> onnx.ModelProto:
    """Two GRU layers of PyTorch's kind, whose reset comes behind the product."""
    net = Network("gru")
    x = net.input(100, 1, 40)
    for _ in range(2):
        x = recurrent(net, "GRU", x, 128, 1, linear_before_reset=1)
    return net.model(net.linear(x, 12))


def recommender() -> onnx.ModelProto:
    """DLRM: rows of eight tables and a dense vector, all their products, 16 candidates at once."""
    net, features, batch, tables = Network("recommender"), 32, 16, 8
    x = net.input(batch, 13, name="numbers")
    for size in (256, 64, features):
        x = net.relu(net.linear(x, size))
    ids = net.split(net.input(batch, tables, name="ids", element=TensorProto.INT64), *[1] * tables)
    columns = [net.op("Squeeze", column, net.integers(1)) for column in ids]
    rows = [net.op("Gather", net.weights(5000, features, fan=4), column) for column in columns]
    every = net.reshape(net.concat(x, *rows), batch, tables + 1, features)
    products = net.reshape(net.op("MatMul", every, net.transpose(every, 0, 2, 1)), batch, (tables + 1) ** 2)
    pairs = [i * (tables + 1) + j for i in range(tables + 1) for j in range(i)]
    x = net.concat(x, net.op("Gather", products, net.integers(*pairs), axis=1))
    for size in (256, 128):
        x = net.relu(net.linear(x, size))
    return net.model(net.op("Sigmoid", net.linear(x, 1)))


def autoencoder() -> onnx.ModelProto:
    """Wide dense layers on one vector: as fast as memory hands out the weights."""
    net = Network("autoencoder")
    x = net.input(1, 4096)
    for size in (1024, 256, 64, 256, 1024):
        x = net.relu(net.linear(x, size))
    return net.model(net.op("Sigmoid", net.linear(x, 4096)))


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    function.__name__: function for function in (wav2vec2, tcn, keywords, bilstm, gru, recommender, autoencoder)
}
