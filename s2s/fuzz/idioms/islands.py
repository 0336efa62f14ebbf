"""Layers of floats between steps of quantisation, which s2s computes in integers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from s2s.fuzz.arrays import FLOAT32, DType, draw_array
from s2s.fuzz.idioms.parts import geometry, image, matrix, number, one
from s2s.fuzz.network import Network, Rejected, Value

BYTES: tuple[DType, ...] = (np.dtype(np.int8), np.dtype(np.uint8))
LARGEST_WEIGHT = 127


class _Island:
    """Makes operands of one kind of quantisation."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.kind = net.random.choice(BYTES)
        """The type of most of its integers."""
        self.units = np.ones([], np.float32)
        """The scale of sums of products: one, or one for each channel."""

    def step_of(self, reach: float) -> Value:
        """A scale for numbers that reach about so far, now and then too small."""
        return number(self.net, max(reach, 0.01) / 127 * self.net.random.choice((0.7, 1.0, 1.3)))

    def zero(self, kind: DType) -> Value:
        """A zero point."""
        middle = 128 if kind == np.uint8 else 0
        return self.net.constant(np.asarray(middle + self.net.random.choice((0, 0, 3, -20)), kind))

    def quantised(self, x: Value) -> tuple[Value, Value, Value]:
        """A value quantised, with its scale and zero point."""
        kind = self.kind if self.net.chance(0.9) else self.net.random.choice(BYTES)
        step, zero = self.step_of(float(np.abs(x.array).max(initial=0))), self.zero(kind)
        return one(self.net, "QuantizeLinear", x, step, zero), step, zero

    def real(self, x: Value) -> Value:
        """A value quantised and made real again."""
        y, step, zero = self.quantised(x)
        self.units = step.array
        return one(self.net, "DequantizeLinear", y, step, zero)

    def weights(self, shape: Sequence[int], axis: int) -> Value:
        """Constant integers made real, by one scale or by one for each channel, as a factor of what `real` gave."""
        net, kind = self.net, self.net.random.choice(BYTES) if self.net.chance(0.2) else BYTES[0]
        low = -LARGEST_WEIGHT if kind == np.int8 else 0
        array = draw_array(net.random, kind, shape, low, 2 * LARGEST_WEIGHT + low)
        count = [shape[axis]] if net.opset >= 13 and net.chance(0.5) else []
        steps = np.random.default_rng(net.random.getrandbits(32)).uniform(0.005, 0.02, count).astype(np.float32)
        zero = None if kind == np.int8 else net.constant(np.full(count, 128, kind))
        along = {"axis": axis} if count else {}
        self.units = self.units * steps
        return one(net, "DequantizeLinear", net.constant(array), net.constant(steps), zero, **along)

    def bias(self, size: int) -> Value:
        """A constant for each channel, as 32 bits or floats, in whole units of the sums, to which s2s rounds it."""
        net = self.net
        array = draw_array(net.random, np.dtype(np.int32), [size], -900, 900)
        if net.chance(0.3):
            return net.constant((array * self.units).astype(np.float32))
        steps = self.units * net.random.choice((np.float32(1), np.float32(4)))
        along = {"axis": 0} if steps.ndim else {}
        return one(net, "DequantizeLinear", net.constant(array), net.constant(steps), **along)

    def done(self, y: Value) -> Value:
        """A result quantised, sometimes behind an activation, and sometimes made real again."""
        net = self.net
        limited = net.chance(0.3)
        y = one(net, "Relu", y) if limited else y
        parts = self.quantised(y)
        return one(net, "DequantizeLinear", *parts) if net.chance(0.3) else parts[0]


def _convolution(net: Network) -> Value:
    island, x = _Island(net), image(net)
    kernel, attributes = geometry(net, x)
    channels = x.shape[1]
    group = net.random.choice((1, 1, channels))
    out = group * net.random.choice((1, 2, 3) if group > 1 else (1, 3, 4, 8, 16))
    real = island.real(x)
    w = island.weights([out, channels // group, *kernel], 0)
    bias = island.bias(out) if net.chance(0.6) else None
    y = one(net, "Conv", real, w, bias, group=group, **attributes)
    if net.chance(0.3):
        return island.done(one(net, "Add", y, island.real(net.input(draw_array(net.random, FLOAT32, y.shape)))))
    return island.done(y)


def _product(net: Network) -> Value:
    island, x = _Island(net), matrix(net)
    columns = net.random.choice((1, 3, 4, 8, 16, 17, 33))
    if net.chance(0.25):
        other = draw_array(net.random, FLOAT32, [*x.shape[:-2], x.shape[-1], columns])
        return island.done(one(net, "MatMul", island.real(x), island.real(net.input(other))))
    y = one(net, "MatMul", island.real(x), island.weights([x.shape[-1], columns], 1))
    return island.done(one(net, "Add", y, island.bias(columns)) if net.chance(0.6) else y)


def _binary(net: Network, op: str) -> Value:
    island, x = _Island(net), matrix(net)
    shape = x.shape if net.chance(0.6) else x.shape[-1:]
    other = net.input(draw_array(net.random, FLOAT32, shape))
    return island.done(one(net, op, island.real(x), island.real(other)))


def _mean(net: Network) -> Value:
    island, x = _Island(net), image(net)
    kind = net.random.choice(("GlobalAveragePool", "ReduceMean", "ReduceSum", "AveragePool"))
    real = island.real(x)
    if kind == "GlobalAveragePool":
        return island.done(one(net, kind, real))
    if kind == "AveragePool":
        counted = {"pads": [1, 1, 1, 1], "count_include_pad": 1} if net.chance(0.5) else {}
        return island.done(
            one(net, kind, real, kernel_shape=[2, 3], strides=[net.random.choice((1, 2))] * 2, **counted)
        )
    if net.opset >= (18 if kind == "ReduceMean" else 13):
        return island.done(one(net, kind, real, net.known([2, 3]), keepdims=net.random.randint(0, 1)))
    return island.done(one(net, kind, real, axes=[2, 3], keepdims=net.random.randint(0, 1)))


def _moved(net: Network, x: Value) -> Value:
    """A value that is moved: turned, padded, cut, repeated, the largest of windows."""
    kind = net.random.choice(("Transpose", "Reshape", "Slice", "MaxPool", "Pad", "Concat", "Tile", "Gather"))
    if kind == "Transpose":
        return one(net, kind, x, perm=[0, 2, 3, 1])
    if kind == "Reshape":
        return one(net, kind, x, net.known([x.shape[0], -1]))
    if kind == "Slice":
        return one(net, kind, x, net.known([1]), net.known([3]), net.known([2]))
    if kind == "MaxPool":
        return one(net, kind, x, kernel_shape=[2, 2], strides=[2, 2])
    if kind == "Pad":
        return one(net, kind, x, net.known([0, 0, 1, 0, 0, 0, 0, 1]))
    if kind == "Concat":
        return one(net, kind, x, x, axis=1)
    if kind == "Tile":
        return one(net, kind, x, net.known([1, 1, 2, 1]))
    return one(net, kind, x, net.known([2, 0, 1]), axis=3)


def _moves(net: Network) -> Value:
    """Integers, made real, moved, and quantised again: behind a layer or of an input."""
    island, x = _Island(net), image(net)
    real = island.real(x)
    if net.chance(0.5):
        w = island.weights([net.random.choice((2, 4)), x.shape[1], 1, 1], 0)
        real = one(net, "Conv", real, w)
    return island.done(_moved(net, real))


def _integers_moved(net: Network) -> Value:
    """Integers that move between a quantisation and a layer of integers."""
    island, x = _Island(net), image(net, least=4)
    q, step, zero = island.quantised(x)
    q = one(net, "MaxPool", q, kernel_shape=[2, 2]) if net.opset >= 12 and net.chance(0.5) else q
    q = one(net, "Concat", q, q, axis=1) if net.chance(0.5) else one(net, "Transpose", q, perm=[0, 1, 3, 2])
    real = one(net, "DequantizeLinear", q, step, zero)
    kernel, attributes = geometry(net, real)
    w = island.weights([net.random.choice((1, 4, 8)), real.shape[1], *kernel], 0)
    return island.done(one(net, "Conv", real, w, **attributes))


def _function(net: Network) -> Value:
    """A function of one tensor of bytes, of one or more operations."""
    island = _Island(net)
    real = island.real(matrix(net))
    kind = net.random.choice(("Sigmoid", "Tanh", "HardSwish", "swish", "LeakyRelu", "Elu", "square", "gelu"))
    if kind == "HardSwish" and net.opset < 14:
        raise Rejected("has no HardSwish")
    if kind == "swish":
        return island.done(one(net, "Mul", real, one(net, "Sigmoid", real)))
    if kind == "square":
        return island.done(one(net, "Sub", one(net, "Mul", real, number(net, 0.5)), number(net, 0.25)))
    if kind == "gelu":
        inner = one(net, "Erf", one(net, "Div", real, number(net, 2**0.5)))
        return island.done(one(net, "Mul", real, one(net, "Add", inner, number(net, 1.0))))
    return island.done(one(net, kind, real))


def _softmax(net: Network) -> Value:
    island = _Island(net)
    real = island.real(matrix(net, 2, 2))
    shares = one(net, "Softmax", real, axis=1)
    return one(net, "QuantizeLinear", shares, number(net, 1 / 256), net.constant(np.asarray(-128, np.int8)))


def _requantised(net: Network) -> Value:
    """Integers of one scale made integers of another, or of the same."""
    island = _Island(net)
    q, step, zero = island.quantised(matrix(net))
    real = one(net, "DequantizeLinear", q, step, zero)
    if net.chance(0.3):
        return one(net, "QuantizeLinear", real, step, zero)
    return island.done(real)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    **{f"island of {op}": partial(_binary, op=op) for op in ("Add", "Mul", "Sub")},
    "island of Conv": _convolution,
    "island of MatMul": _product,
    "island of functions": _function,
    "island of means": _mean,
    "island of moves": _moves,
    "island of requantisation": _requantised,
    "island of softmax": _softmax,
    "moves of integers": _integers_moved,
}
