"""Schedules of TOPI's computes: formulas that only move or combine elements stand in their readers, loops are plain.

TVM's generic schedules do the same. What a target wants of a schedule, the tuner and `relay.build` choose.
"""

from collections.abc import Callable, Sequence

from s2s.tvm.te.expressions import Tensor
from s2s.tvm.te.schedule import Schedule
from s2s.tvm.topi.utils import schedule_of

NAMES = (
    "adaptive_pool", "batch_matmul", "batch_norm", "concatenate", "conv1d_ncw", "conv1d_nwc", "conv2d_hwcn",
    "conv2d_nchw", "conv2d_nhwc", "conv2d_transpose_nchw", "dense", "depthwise_conv2d_nchw", "depthwise_conv2d_nhwc",
    "extern", "fast_softmax", "group_conv2d_nchw", "group_conv2d_nhwc", "injective", "lrn", "matmul", "reduce",
    "softmax",
)  # fmt: skip
"""The computes that there are schedules for, as `schedule_<name>`."""


def default_schedule(outs: Tensor | Sequence[Tensor]) -> Schedule:
    """A schedule of the tensors."""
    return schedule_of(outs)


def schedule_pool(outs: Tensor | Sequence[Tensor], layout: str) -> Schedule:
    """A schedule of a pool; its layout follows from its loops."""
    return schedule_of(outs)


def __getattr__(name: str) -> Callable[..., Schedule]:
    if name.removeprefix("schedule_") in NAMES and name.startswith("schedule_"):
        return default_schedule
    raise AttributeError(f"module 's2s.tvm.topi.generic' has no attribute {name!r}")
