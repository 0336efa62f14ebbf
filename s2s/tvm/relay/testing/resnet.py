"""Residual networks of the second kind: normalisation and activation before each convolution."""

from collections.abc import Sequence

import s2s.tvm.relay.nn as nn
from s2s.errors import InputError
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.analysis import free_vars
from s2s.tvm.relay.expr import Expr, var
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.testing.layers import batch_norm, conv2d, dense
from s2s.tvm.relay.testing.workload import DATA, create_workload

UNITS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
"""Residual units in each stage of networks for large images."""
SMALL = 32
"""Images up to this height go through three stages, with no pooling in front."""


def _unit(data: Expr, name: str, channels: int, strides: int, is_same: bool, has_bottleneck: bool) -> Expr:
    """A unit that adds two or three convolutions of `data` to it."""
    first = nn.relu(batch_norm(data, f"{name}_bn1", 2e-5))
    if has_bottleneck:
        y = conv2d(first, f"{name}_conv1", channels // 4, 1)
        y = conv2d(nn.relu(batch_norm(y, f"{name}_bn2", 2e-5)), f"{name}_conv2", channels // 4, 3, strides, 1)
        y = conv2d(nn.relu(batch_norm(y, f"{name}_bn3", 2e-5)), f"{name}_conv3", channels, 1)
    else:
        y = conv2d(first, f"{name}_conv1", channels, 3, strides, 1)
        y = conv2d(nn.relu(batch_norm(y, f"{name}_bn2", 2e-5)), f"{name}_conv2", channels, 3, 1, 1)
    return y + (data if is_same else conv2d(first, f"{name}_sc", channels, 1, strides))


def _stages(num_layers: int, height: int) -> tuple[tuple[int, ...], bool]:
    """Units of each stage, and whether they have bottlenecks."""
    if height <= SMALL:
        per_stage = (num_layers - 2) // (9 if num_layers >= 164 else 6)
        return (per_stage,) * 3, num_layers >= 164
    if num_layers not in UNITS:
        raise InputError(f"resnet: num_layers {num_layers} is not known; give {', '.join(map(str, UNITS))}")
    return UNITS[num_layers], num_layers >= 50


def get_net(
    batch_size: int,
    num_classes: int,
    num_layers: int = 50,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """The network of this many layers."""
    if layout != "NCHW":
        raise InputError(f"resnet: layout {layout} is not offered; leave it out, the compiler chooses layouts itself")
    units, has_bottleneck = _stages(num_layers, image_shape[1])
    widths = (16, 16, 32, 64) if len(units) == 3 else (64, 64, 128, 256, 512)
    factor = 4 if has_bottleneck else 1
    data = batch_norm(var(DATA, shape=(batch_size, *image_shape), dtype=dtype), "bn_data", 2e-5, scale=False)
    if image_shape[1] <= SMALL:
        body = conv2d(data, "conv0", widths[0], 3, 1, 1)
    else:
        body = nn.relu(batch_norm(conv2d(data, "conv0", widths[0], 7, 2, 3), "bn0", 2e-5))
        body = nn.max_pool2d(body, 3, 2, padding=1)
    for stage, count in enumerate(units):
        for unit in range(count):
            strides = 2 if unit == 0 and stage > 0 else 1
            name = f"stage{stage + 1}_unit{unit + 1}"
            body = _unit(body, name, widths[stage + 1] * factor, strides, unit > 0, has_bottleneck)
    body = nn.relu(batch_norm(body, "bn1", 2e-5))
    scores = nn.softmax(dense(nn.batch_flatten(nn.global_avg_pool2d(body)), "fc1", num_classes))
    return Function(free_vars(scores), scores)


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of the network and made-up parameters."""
    return create_workload(get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
