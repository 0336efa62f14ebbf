"""Pools and resized images."""

from collections.abc import Callable, Mapping
from typing import Any

from s2s.fuzz.tflite.network import Network
from s2s.fuzz.tflite.operators.layers import activation, window


def _pool(net: Network, builtin: str, *kinds: str) -> None:
    x = net.image(net.kind(*kinds))
    place = window(net, (x.shape[1], x.shape[2]), dilated=False)
    y = net.like(x, [x.shape[0], *place.places, x.shape[3]])
    kernel: dict[str, Any] = {"filter_height": place.kernel[0], "filter_width": place.kernel[1]}
    net.add(builtin, [x], [y], **place.fields, **kernel, fused_activation_function=activation(net))


def _resize(net: Network, builtin: str, *kinds: str) -> None:
    x = net.image(net.kind(*kinds))
    factor = net.random.randint(1, 3)
    sides = [size * factor for size in x.shape[1:3]] if net.chance(0.5) else [net.random.randint(1, 12) for _ in "hw"]
    corners = net.chance(0.4)
    y = net.like(x, [x.shape[0], *sides, x.shape[3]])
    fields: dict[str, Any] = {"align_corners": corners, "half_pixel_centers": not corners and net.chance(0.5)}
    net.add(builtin, [x, net.known(sides)], [y], **fields)


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "AVERAGE_POOL_2D": lambda net: _pool(net, "AVERAGE_POOL_2D", "INT8", "INT16", "UINT8", "FLOAT32"),
    "L2_POOL_2D": lambda net: _pool(net, "L2_POOL_2D", "FLOAT32"),
    "MAX_POOL_2D": lambda net: _pool(net, "MAX_POOL_2D", "INT8", "INT16", "UINT8", "FLOAT32"),
    "RESIZE_BILINEAR": lambda net: _resize(net, "RESIZE_BILINEAR", "INT8", "FLOAT32"),
    "RESIZE_NEAREST_NEIGHBOR": lambda net: _resize(net, "RESIZE_NEAREST_NEIGHBOR", "INT8", "INT16", "FLOAT32"),
}
