"""The `tensor` dialect: kernels as structured computations, each with its schedule as an attribute.

It takes the name of xDSL's own `tensor` dialect, which is never loaded beside it.
"""

from xdsl.ir import Dialect

from s2s.dialects.tensor.attributes import AccessAttr, PackAttr, PackedAxis, integers
from s2s.dialects.tensor.compute import ComputeOp, YieldOp, element_type
from s2s.dialects.tensor.scalar import ExtractOp, InBoundsOp, IndexOp, RemFOp, RescaleOp, SaturateOp
from s2s.dialects.tensor.schedule import ScheduleAttr
from s2s.dialects.tensor.transform import Computation, Matrix, TransformOp, matrix_attribute

Tensor = Dialect(
    "tensor",
    [ComputeOp, ExtractOp, InBoundsOp, IndexOp, RemFOp, RescaleOp, SaturateOp, TransformOp, YieldOp],
    [AccessAttr, PackAttr, ScheduleAttr],
)

__all__ = [
    "AccessAttr",
    "Computation",
    "ComputeOp",
    "ExtractOp",
    "InBoundsOp",
    "IndexOp",
    "Matrix",
    "PackAttr",
    "PackedAxis",
    "RemFOp",
    "RescaleOp",
    "SaturateOp",
    "ScheduleAttr",
    "Tensor",
    "TransformOp",
    "YieldOp",
    "element_type",
    "integers",
    "matrix_attribute",
]
