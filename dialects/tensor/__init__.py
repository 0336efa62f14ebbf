"""The `tensor` dialect: kernels as structured computations, each with its schedule as an attribute.

It takes the name of xDSL's own `tensor` dialect, which is never loaded beside it.
"""

from xdsl.ir import Dialect

from s2s.dialects.tensor.attributes import AccessAttr, PackedAxis, integers, values_of
from s2s.dialects.tensor.compute import ComputeOp, YieldOp, element_type
from s2s.dialects.tensor.directive import Directive
from s2s.dialects.tensor.extern import BlockCallAttr, CallBlocksOp, ExternOp
from s2s.dialects.tensor.renumbering import Renumbering
from s2s.dialects.tensor.scalar import (
    LOWEST_SHORT_SHIFT,
    LOWEST_SHORT_SHIFT_OF_PAIRS,
    SHORT_ROUNDINGS,
    ExpNonpositiveOp,
    ExtractOp,
    InBoundsOp,
    IndexOp,
    QuantizeOp,
    RemFOp,
    RescaleOp,
    SaturateOp,
    SizeOp,
)
from s2s.dialects.tensor.scatter import ScatterOp
from s2s.dialects.tensor.schedule import ScheduleAttr
from s2s.dialects.tensor.schedule_state import CachedRead, FusedTile, ScheduleState
from s2s.dialects.tensor.transform import Computation, Matrix, TransformOp, matrix_attribute
from s2s.dialects.tensor.tree import TreeOp

WholeOp = ScatterOp | ExternOp | CallBlocksOp
"""The operations without a schedule, each the last one of its kernel."""

Tensor = Dialect(
    "tensor",
    [
        CallBlocksOp,
        ComputeOp,
        ExternOp,
        ExpNonpositiveOp,
        ExtractOp,
        InBoundsOp,
        IndexOp,
        RemFOp,
        RescaleOp,
        QuantizeOp,
        SaturateOp,
        SizeOp,
        ScatterOp,
        TransformOp,
        TreeOp,
        YieldOp,
    ],
    [AccessAttr, BlockCallAttr, ScheduleAttr],
)

__all__ = [
    "LOWEST_SHORT_SHIFT",
    "LOWEST_SHORT_SHIFT_OF_PAIRS",
    "SHORT_ROUNDINGS",
    "AccessAttr",
    "BlockCallAttr",
    "CachedRead",
    "CallBlocksOp",
    "Computation",
    "ComputeOp",
    "Directive",
    "ExpNonpositiveOp",
    "ExternOp",
    "ExtractOp",
    "FusedTile",
    "InBoundsOp",
    "IndexOp",
    "Matrix",
    "PackedAxis",
    "QuantizeOp",
    "RemFOp",
    "Renumbering",
    "RescaleOp",
    "SaturateOp",
    "ScatterOp",
    "ScheduleAttr",
    "ScheduleState",
    "SizeOp",
    "Tensor",
    "TransformOp",
    "TreeOp",
    "WholeOp",
    "YieldOp",
    "element_type",
    "integers",
    "matrix_attribute",
    "values_of",
]
