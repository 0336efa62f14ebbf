"""Targets under TVM's names: strings with attributes, hosts, tags, and the target of a `with` block."""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.target import codegen
from s2s.tvm.target.generic_func import (
    GenericFunc,
    generic_func,
    get_native_generic_func,
    override_native_generic_func,
)
from s2s.tvm.target.makers import (
    adreno,
    arm_cpu,
    bifrost,
    create,
    cuda,
    hexagon,
    intel_graphics,
    list_tags,
    mali,
    micro,
    riscv_cpu,
    rocm,
    vta,
)
from s2s.tvm.target.target import Target, TargetFeatures, TargetKind, TargetLike
from s2s.tvm.target.target import resolve as resolve
from s2s.tvm.target.target import target_of as target_of

__all__ = [
    "GenericFunc",
    "Target",
    "TargetFeatures",
    "TargetKind",
    "TargetLike",
    "adreno",
    "arm_cpu",
    "bifrost",
    "codegen",
    "create",
    "cuda",
    "generic_func",
    "get_native_generic_func",
    "hexagon",
    "intel_graphics",
    "list_tags",
    "mali",
    "micro",
    "override_native_generic_func",
    "riscv_cpu",
    "rocm",
    "vta",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("target")
