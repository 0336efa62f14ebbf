"""The `tensor` dialect: kernels as structured computations, each with its schedule as an attribute.

It takes the name of xDSL's own `tensor` dialect, which is never loaded beside it.
"""

from xdsl.ir import Dialect

from s2s.dialects.tensor.attributes import AccessAttr, PackAttr, PackedAxis, integers
from s2s.dialects.tensor.compute import ComputeOp, YieldOp, element_type
from s2s.dialects.tensor.scalar import ExtractOp, InBoundsOp, IndexOp, RemFOp, RescaleOp, SaturateOp
from s2s.dialects.tensor.schedule import ScheduleAttr

Tensor = Dialect(
    "tensor",
    [ComputeOp, ExtractOp, InBoundsOp, IndexOp, RemFOp, RescaleOp, SaturateOp, YieldOp],
    [AccessAttr, PackAttr, ScheduleAttr],
)

__all__ = [
    "AccessAttr",
    "ComputeOp",
    "ExtractOp",
    "InBoundsOp",
    "IndexOp",
    "PackAttr",
    "PackedAxis",
    "RemFOp",
    "RescaleOp",
    "SaturateOp",
    "ScheduleAttr",
    "Tensor",
    "YieldOp",
    "element_type",
    "integers",
]
