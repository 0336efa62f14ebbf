"""The space of configurations where TVM has it."""

from typing import TYPE_CHECKING

from s2s.tvm.autotvm.config import ConfigEntity, VirtualAxis
from s2s.tvm.autotvm.knobs import AnnotateEntity, OtherOptionEntity, ReorderEntity, SplitEntity
from s2s.tvm.autotvm.space import ConfigSpace, FallbackConfigEntity, get_factors, get_pow2s
from s2s.tvm.autotvm.template import InstantiationError
from s2s.tvm.refusals import refusing

__all__ = [
    "AnnotateEntity",
    "ConfigEntity",
    "ConfigSpace",
    "FallbackConfigEntity",
    "InstantiationError",
    "OtherOptionEntity",
    "ReorderEntity",
    "SplitEntity",
    "VirtualAxis",
    "get_factors",
    "get_pow2s",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm.task.space")
