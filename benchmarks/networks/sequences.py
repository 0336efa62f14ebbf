"""Transformers outside the set that goals are stated for, as exporters write them, in sizes that are deployed."""

from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np
import onnx
from onnx import TensorProto

from benchmarks.networks.builder import Network, Value

LOWEST = float(np.finfo(np.float32).min)
"""What masks add to scores."""


def number(net: Network, value: float) -> Value:
    """One float."""
    return net.constant(np.array(value, np.float32))


def mean(net: Network, x: Value) -> Value:
    """Over the last dimension, which stays."""
    return net.op("ReduceMean", x, net.integers(-1), keepdims=1)


def heads(net: Network, x: Value, count: int, *order: int) -> Value:
    """The features of `x` [1, steps, features] divided among heads, dimensions in the given order."""
    _, steps, features = x.shape
    return net.transpose(net.reshape(x, 1, steps, count, features // count), *order)


def merged(net: Network, x: Value) -> Value:
    """The results of all heads side by side again."""
    _, count, steps, features = x.shape
    return net.reshape(net.transpose(x, 0, 2, 1, 3), 1, steps, count * features)


def attention(net: Network, q: Value, k: Value, v: Value, mask: Callable[[Value], Value] | None = None) -> Value:
    """Heads of queries [1, heads, steps, features], transposed keys and values; `mask` works on scaled scores."""
    scores = net.op("Div", net.op("MatMul", q, k), number(net, sqrt(q.shape[-1])))
    scores = scores if mask is None else mask(scores)
    return merged(net, net.op("MatMul", net.op("Softmax", scores, axis=-1), v))


def self_attention(net: Network, x: Value, count: int, mask: Callable[[Value], Value] | None = None) -> Value:
    """Three dense layers, the heads, and a dense layer."""
    features = x.shape[-1]
    q, k, v = (net.linear(x, features) for _ in range(3))
    mixed = attention(
        net, heads(net, q, count, 0, 2, 1, 3), heads(net, k, count, 0, 2, 3, 1), heads(net, v, count, 0, 2, 1, 3), mask
    )
    return net.linear(mixed, features)


def gelu_by_tanh(net: Network, x: Value) -> Value:
    """The form of GPT-2, in eight operators."""
    cubic = net.op("Mul", net.op("Pow", x, number(net, 3)), number(net, 0.044715))
    inner = net.op("Mul", net.add(x, cubic), number(net, sqrt(2 / np.pi)))
    return net.op("Mul", net.op("Mul", x, number(net, 0.5)), net.add(net.op("Tanh", inner), number(net, 1)))


def flat_linear(net: Network, x: Value, features: int) -> Value:
    """A dense layer on a matrix of all steps, as GPT-2's are exported."""
    _, steps, depth = x.shape
    return net.reshape(net.linear(net.reshape(x, steps, depth), features), 1, steps, features)


def embedded(net: Network, words: int, steps: int, features: int) -> Value:
    """Words and their positions as vectors."""
    ids = net.input(1, steps, name="ids", element=TensorProto.INT64)
    positions = net.constant(np.arange(steps, dtype=np.int64)[None])
    tables = net.weights(words, features, fan=4), net.weights(steps, features, fan=4)
    return net.add(net.op("Gather", tables[0], ids), net.op("Gather", tables[1], positions))


def gpt2() -> onnx.ModelProto:
    """A decoder: queries, keys and values from one layer, a causal mask that selects, GELU by tanh."""
    net, steps, features, count = Network("gpt2"), 128, 384, 6
    x = embedded(net, 1000, steps, features)
    whole = net.op("Trilu", net.constant(np.ones((1, 1, 256, 256), np.bool_)), upper=0)
    causal = net.op("Slice", whole, net.integers(0, 0), net.integers(steps, steps), net.integers(2, 3))
    lowest = number(net, LOWEST)
    for _ in range(3):
        parts = net.split(flat_linear(net, net.layer_norm(x), 3 * features), *[features] * 3, axis=2)
        orders = (0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)
        q, k, v = (heads(net, part, count, *order) for part, order in zip(parts, orders, strict=True))
        mixed = attention(net, q, k, v, lambda scores: net.op("Where", causal, scores, lowest))
        x = net.add(flat_linear(net, mixed, features), x)
        hidden = gelu_by_tanh(net, flat_linear(net, net.layer_norm(x), 4 * features))
        x = net.add(x, flat_linear(net, hidden, features))
    return net.model(net.layer_norm(x))


def rms_norm(net: Network, x: Value) -> Value:
    """x / sqrt(mean(x ** 2) + epsilon), in seven operators as exporters write it."""
    root = net.op("Sqrt", net.add(mean(net, net.op("Pow", x, number(net, 2))), number(net, 1e-6)))
    scale = net.constant(net.rng.uniform(0.8, 1.2, x.shape[-1]).astype(np.float32))
    return net.op("Mul", scale, net.op("Mul", x, net.op("Div", number(net, 1), root)))


def rotated(net: Network, x: Value, cosine: Value, sine: Value) -> Value:
    """Rotary positions: halves of the features as two coordinates."""
    half = x.shape[-1] // 2
    first = net.op("Slice", x, net.integers(0), net.integers(half), net.integers(3))
    second = net.op("Slice", x, net.integers(half), net.integers(2**63 - 1), net.integers(3))
    turned = net.concat(net.op("Neg", second), first, axis=3)
    return net.add(net.op("Mul", x, cosine), net.op("Mul", turned, sine))


def dense(net: Network, x: Value, features: int) -> Value:
    """A product without bias."""
    depth = x.shape[-1]
    return net.op("MatMul", x, net.weights(depth, features, fan=depth))


def llama() -> onnx.ModelProto:
    """A decoder: RMS norms, rotary positions, two heads of keys for eight of queries, SwiGLU."""
    net, steps, features, count, groups = Network("llama"), 128, 256, 8, 2
    size = features // count
    x = net.input(1, steps, features)
    angles = np.arange(steps)[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    angles = np.concatenate([angles, angles], 1).astype(np.float32)[None, None]
    cosine, sine = net.constant(np.cos(angles)), net.constant(np.sin(angles))
    causal = net.constant(np.triu(np.full((1, 1, steps, steps), LOWEST, np.float32), 1))

    def repeated(keys: Value) -> Value:
        wide = net.op("Expand", net.op("Unsqueeze", keys, net.integers(2)), net.integers(1, 1, count // groups, 1, 1))
        return net.reshape(wide, 1, count, steps, size)

    for _ in range(3):
        y = rms_norm(net, x)
        q = rotated(net, heads(net, dense(net, y, features), count, 0, 2, 1, 3), cosine, sine)
        k = rotated(net, heads(net, dense(net, y, groups * size), groups, 0, 2, 1, 3), cosine, sine)
        v = heads(net, dense(net, y, groups * size), groups, 0, 2, 1, 3)
        keys = net.transpose(repeated(k), 0, 1, 3, 2)
        mixed = attention(net, q, keys, repeated(v), lambda scores: net.add(scores, causal))
        x = net.add(x, dense(net, mixed, features))
        y = rms_norm(net, x)
        gated = net.op("Mul", net.silu(dense(net, y, 688)), dense(net, y, 688))
        x = net.add(x, dense(net, gated, features))
    return net.model(rms_norm(net, x))


def layer_norm_in_steps(net: Network, x: Value) -> Value:
    """Nine operators, as before opset 17."""
    centred = net.op("Sub", x, mean(net, x))
    variance = mean(net, net.op("Pow", centred, number(net, 2)))
    y = net.op("Div", centred, net.op("Sqrt", net.add(variance, number(net, 1e-5))))
    scale = net.constant(net.rng.uniform(0.8, 1.2, x.shape[-1]).astype(np.float32))
    return net.add(net.op("Mul", y, scale), net.weights(x.shape[-1], fan=100))


def bert_long() -> onnx.ModelProto:
    """An encoder of 256 words whose padding is masked by an input; norms in steps."""
    net, steps, features = Network("bert_long"), 256, 256
    x = layer_norm_in_steps(net, embedded(net, 2000, steps, features))
    given = net.input(1, steps, name="mask", element=TensorProto.INT64)
    kept = net.op("Cast", net.op("Unsqueeze", given, net.integers(1, 2)), to=TensorProto.FLOAT)
    mask = net.op("Mul", net.op("Sub", number(net, 1), kept), number(net, LOWEST))
    for _ in range(3):
        x = layer_norm_in_steps(net, net.add(self_attention(net, x, 4, lambda scores: net.add(scores, mask)), x))
        hidden = net.gelu(net.linear(x, 4 * features))
        x = layer_norm_in_steps(net, net.add(net.linear(hidden, features), x))
    return net.model(x)


def whisper_encoder() -> onnx.ModelProto:
    """Two 1-D convolutions on a spectrogram, the second with stride 2, and an encoder of 300 steps."""
    net, features = Network("whisper_encoder"), 192
    x = net.gelu(net.conv(net.input(1, 80, 600), features, 3))
    x = net.transpose(net.gelu(net.conv(x, features, 3, 2)), 0, 2, 1)
    x = net.add(x, net.weights(*x.shape[1:], fan=4))
    for _ in range(2):
        x = net.add(x, self_attention(net, net.layer_norm(x), 3))
        x = net.add(x, net.linear(net.gelu(net.linear(net.layer_norm(x), 4 * features)), features))
    return net.model(net.layer_norm(x))


def conformer() -> onnx.ModelProto:
    """Attention and a depthwise convolution of 31 steps between two half-weighted dense layers."""
    net, steps, features = Network("conformer"), 150, 144
    x = net.input(1, steps, features)

    def fed(x: Value) -> Value:
        y = net.linear(net.silu(net.linear(net.layer_norm(x), 4 * features)), features)
        return net.add(x, net.op("Mul", y, number(net, 0.5)))

    for _ in range(2):
        x = fed(x)
        x = net.add(x, self_attention(net, net.layer_norm(x), 4))
        y = net.conv(net.transpose(net.layer_norm(x), 0, 2, 1), 2 * features)
        kept, gate = net.split(y, features, features)
        y = net.conv(net.op("Mul", kept, net.op("Sigmoid", gate)), features, 31, groups=features)
        y = net.conv(net.silu(net.batch_norm(y)), features)
        x = net.layer_norm(fed(net.add(x, net.transpose(y, 0, 2, 1))))
    return net.model(x)


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    function.__name__: function for function in (gpt2, llama, bert_long, whisper_encoder, conformer)
}
