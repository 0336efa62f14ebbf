"""Tensors that change their form: shuffles, transposes in a row, and shapes computed from shapes."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import FLOAT32, draw_array
from s2s.fuzz.idioms.parts import image, matrix, number, one, weights
from s2s.fuzz.network import Network, Value


def _channel_shuffle(net: Network) -> Value:
    """Channels in another order: by groups."""
    groups, size = net.random.choice((2, 3)), net.random.choice((1, 2, 4))
    x = image(net, groups * size)
    n, c, h, w = x.shape
    apart = one(net, "Reshape", x, net.known([n, groups, size, h, w]))
    turned = one(net, "Transpose", apart, perm=[0, 2, 1, 3, 4])
    return one(net, "Reshape", turned, net.known([n, c, h, w]))


def _pixel_shuffle(net: Network) -> Value:
    """Channels become pixels."""
    size = net.random.choice((1, 2, 4))
    x = image(net, 4 * size)
    n, _, h, w = x.shape
    apart = one(net, "Reshape", x, net.known([n, size, 2, 2, h, w]))
    turned = one(net, "Transpose", apart, perm=[0, 1, 4, 2, 5, 3])
    return one(net, "Reshape", turned, net.known([n, size, 2 * h, 2 * w]))


def _turned_twice(net: Network) -> Value:
    """Transposes, or reshapes, in a row."""
    x = image(net)
    if net.chance(0.7):
        orders = [net.random.sample(range(4), 4) for _ in range(2)]
        return one(net, "Transpose", one(net, "Transpose", x, perm=orders[0]), perm=orders[1])
    flat = one(net, "Reshape", x, net.known([-1]))
    return one(net, "Reshape", flat, net.known([x.shape[0], -1]))


def _unit_dimensions(net: Network) -> Value:
    """A transpose of a tensor that has one element along most dimensions."""
    means = one(net, "GlobalAveragePool", image(net))
    turned = one(net, "Transpose", means, perm=[0, 2, 3, 1])
    flat = one(net, "Reshape", turned, net.known([means.shape[0], -1]))
    return one(net, "MatMul", flat, weights(net, [means.shape[1], net.random.choice((1, 4, 8))]))


def _padded_twice(net: Network) -> Value:
    """Two paddings by one number."""
    x, fill = image(net), number(net, net.random.choice((0.0, 1.0)))
    for _ in range(2):
        x = one(net, "Pad", x, net.known([net.random.randint(0, 1) for _ in range(8)]), fill)
    return x


def _length(net: Network, x: Value, axis: int) -> Value:
    """The size of an axis, as a list of one number."""
    return one(net, "Gather", one(net, "Shape", x), net.known([axis]), axis=0)


def _rows(net: Network) -> Value:
    """A tensor of one row for each step of time."""
    size = net.random.choice((4, 6, 8, 12, 16, 17))
    return net.input(draw_array(net.random, FLOAT32, [1, size, net.random.choice((2, 4))]))


def _by_own_shape(net: Network) -> Value:
    """A reshape by the sizes of the operand."""
    x = _rows(net)
    half = net.known([x.shape[2] // 2])
    parts = net.random.choice(([net.known([-1]), half], [_length(net, x, 1), half, net.known([2])]))
    return one(net, "Reshape", x, one(net, "Concat", *parts, axis=0))


def _positions(net: Network) -> Value:
    """Rows of a table, one for each step of time, are added."""
    x = _rows(net)
    table = weights(net, [1, x.shape[1] + 3, x.shape[2]])
    rows = one(net, "Slice", table, net.known([0]), _length(net, x, 1), net.known([1]))
    return one(net, "Add", x, rows)


def _first_half(net: Network) -> Value:
    """The first half of the steps of time, or the last."""
    x = _rows(net)
    half = one(net, "Div", _length(net, x, 1), net.known([2]))
    if net.chance(0.5):
        return one(net, "Slice", x, net.known([0]), half, net.known([1]))
    return one(net, "Slice", x, half, net.known([2**31 - 1]), net.known([1]))


def _counted(net: Network) -> Value:
    """Numbers that count the steps of time, in a formula."""
    x = _rows(net)
    length = one(net, "Squeeze", _length(net, x, 1), net.known([0]))
    count = one(net, "Range", net.known(0), length, net.known(1))
    column = one(net, "Unsqueeze", one(net, "Cast", count, to=1), net.known([1]))
    if net.chance(0.5):
        return one(net, "Mul", x, column)
    scale = one(net, "Cast", length, to=1)
    return one(net, "Add", x, one(net, "Div", column, scale))


def _filled(net: Network) -> Value:
    """Zeros or ones in the shape of a tensor, or one row for all steps."""
    x = _rows(net)
    if net.chance(0.5):
        row = one(net, "Expand", weights(net, [1, 1, x.shape[2]]), one(net, "Shape", x))
        return one(net, "Concat", x, row, axis=2)
    ones = one(net, "ConstantOfShape", one(net, "Shape", x))
    return one(net, "Concat", x, ones, axis=1)


def _turned_factor(net: Network) -> Value:
    """A product with a turned factor."""
    x = matrix(net, 2, 2)
    y = net.input(draw_array(net.random, FLOAT32, [net.random.choice((2, 5, 8)), x.shape[1]]))
    return one(net, "MatMul", x, one(net, "Transpose", y, perm=[1, 0]))


def _windows(net: Network) -> Value:
    """Frames of a signal, joined and reduced."""
    x = net.input(draw_array(net.random, FLOAT32, [2, net.random.choice((8, 12, 16))]))
    size = net.random.choice((2, 3, 4))
    starts = range(0, x.shape[1] - size + 1, net.random.choice((1, 2)))
    places = np.asarray([range(start, start + size) for start in starts])
    return one(net, "Gather", x, net.known(places), axis=1)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "by own shape": _by_own_shape,
    "channel shuffle": _channel_shuffle,
    "counted steps": _counted,
    "filled by shape": _filled,
    "first half": _first_half,
    "frames": _windows,
    "padded twice": _padded_twice,
    "pixel shuffle": _pixel_shuffle,
    "rows of positions": _positions,
    "turned factor": _turned_factor,
    "turned twice": _turned_twice,
    "unit dimensions": _unit_dimensions,
}
