"""MobileNet: pairs of a depthwise and a pointwise convolution."""

from collections.abc import Sequence

import s2s.tvm.relay.nn as nn
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.analysis import free_vars
from s2s.tvm.relay.expr import Expr, var
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.testing.layers import batch_norm, conv2d, dense
from s2s.tvm.relay.testing.workload import DATA, create_workload

BLOCKS = (
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
    (512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1),
)  # fmt: skip
"""The channels that each pair makes, and the step of its depthwise convolution."""


def _block(data: Expr, name: str, channels: int, kernel: int, strides: int, groups: int, layout: str) -> Expr:
    y = conv2d(data, name, channels, kernel, strides, kernel // 2, groups, layout)
    return nn.relu(batch_norm(y, f"{name}_bn", axis=1 if layout == "NCHW" else 3))


def mobile_net(
    num_classes: int = 1000,
    data_shape: Sequence[int] = (1, 3, 224, 224),
    dtype: str = "float32",
    alpha: float = 1.0,
    layout: str = "NCHW",
) -> Function:
    """The network; `alpha` scales the channels."""
    if layout == "NHWC":
        batch, channels, height, width = data_shape
        data_shape = (batch, height, width, channels)
    body: Expr = var(DATA, shape=data_shape, dtype=dtype)
    depth = int(32 * alpha)
    body = _block(body, "conv_block_1", depth, 3, 2, 1, layout)
    for number, (channels, strides) in enumerate(BLOCKS, 1):
        name = f"separable_conv_block_{number}"
        body = _block(body, f"{name}_depthwise", depth, 3, strides, depth, layout)
        depth = int(channels * alpha)
        body = _block(body, f"{name}_pointwise", depth, 1, 1, 1, layout)
    flat = nn.batch_flatten(nn.global_avg_pool2d(body, layout=layout))
    scores = nn.softmax(dense(flat, "fc", num_classes))
    return Function(free_vars(scores), scores)


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    layout: str = "NCHW",
    alpha: float = 1.0,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The module of the network and made-up parameters."""
    return create_workload(mobile_net(num_classes, (batch_size, *image_shape), dtype, alpha, layout))
