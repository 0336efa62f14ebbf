"""Operators on shapes: the ones that change no element, and the ones that make numbers of a shape."""

from collections.abc import Callable, Mapping

import numpy as np
from onnx import helper, numpy_helper

from s2s.fuzz.arrays import ALL, draw_array, draw_shape
from s2s.fuzz.network import Attributes, Network, Rejected, factored


def _reshape(net: Network) -> None:
    x = net.operand(net.dtype("Reshape"))
    shape = factored(net.random, x.array.size, net.random.randint(0 if x.array.size == 1 else 1, 6))
    if 0 in shape:
        net.node("Reshape", [x, net.known(shape)], allowzero=1)
        return
    if shape and net.chance(0.4):
        shape[net.random.randrange(len(shape))] = -1
    net.node("Reshape", [x, net.known(shape)])


def _flatten(net: Network) -> None:
    x = net.operand(net.dtype("Flatten"))
    rank = len(x.shape)
    net.node("Flatten", [x], axis=net.random.randint(-rank, rank))


def _squeeze(net: Network) -> None:
    x = net.operand(net.dtype("Squeeze"), None, lambda value: 1 in value.shape)
    ones = [axis for axis, size in enumerate(x.shape) if size == 1]
    if net.chance(0.3):
        net.node("Squeeze", [x])
        return
    chosen = net.random.sample(ones, net.random.randint(1, len(ones)))
    net.node("Squeeze", [x, net.known([axis - len(x.shape) if net.chance(0.3) else axis for axis in chosen])])


def _unsqueeze(net: Network) -> None:
    x = net.operand(net.dtype("Unsqueeze"), None, lambda value: len(value.shape) < 6)
    rank = len(x.shape) + net.random.randint(1, 6 - len(x.shape))
    chosen = net.random.sample(range(rank), rank - len(x.shape))
    net.node("Unsqueeze", [x, net.known([axis - rank if net.chance(0.3) else axis for axis in chosen])])


def _shape(net: Network) -> None:
    x = net.operand(net.dtype("Shape"))
    span: Attributes = {name: net.random.randint(-3, 4) for name in ("start", "end") if net.chance(0.3)}
    net.node("Shape", [x], **span)


def _size(net: Network) -> None:
    net.node("Size", [net.operand(net.dtype("Size"))])


def _filled(net: Network) -> None:
    value = draw_array(net.random, net.random.choice(ALL), [1])
    given: Attributes = {"value": numpy_helper.from_array(value)} if net.chance(0.8) else {}
    net.node("ConstantOfShape", [net.known(draw_shape(net.random))], **given)


def _eye(net: Network) -> None:
    x = net.of_rank(net.dtype("EyeLike"), 2, 2)
    to = net.random.choice(ALL)
    given: Attributes = {"dtype": helper.np_dtype_to_tensor_dtype(to)} if net.chance(0.5) else {}
    net.node("EyeLike", [x], k=net.random.randint(-3, 3), **given)


def _range(net: Network) -> None:
    dtype = net.dtype("Range")
    start, step, count = net.random.randint(-5, 5), net.random.choice((1, 1, 2, 3, -1, -2)), net.random.randint(0, 20)
    if dtype.kind == "u":
        raise Rejected("unsigned steps cannot be negative")
    bounds = (start, start + step * count, step)
    net.node("Range", [net.known(np.asarray(each), dtype) for each in bounds])


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "ConstantOfShape": _filled,
    "EyeLike": _eye,
    "Flatten": _flatten,
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": _size,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
}
