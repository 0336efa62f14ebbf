"""The space of configurations where TVM has it."""

from s2s.tvm.autotvm.config import ConfigEntity, VirtualAxis
from s2s.tvm.autotvm.knobs import AnnotateEntity, OtherOptionEntity, ReorderEntity, SplitEntity
from s2s.tvm.autotvm.space import ConfigSpace, FallbackConfigEntity, get_factors

__all__ = [
    "AnnotateEntity",
    "ConfigEntity",
    "ConfigSpace",
    "FallbackConfigEntity",
    "OtherOptionEntity",
    "ReorderEntity",
    "SplitEntity",
    "VirtualAxis",
    "get_factors",
]
