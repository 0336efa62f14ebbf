"""Targets under TVM's names: strings with attributes, hosts, tags, and the target of a `with` block."""

from s2s.tvm.target import codegen
from s2s.tvm.target.makers import (
    adreno,
    arm_cpu,
    bifrost,
    create,
    cuda,
    hexagon,
    intel_graphics,
    mali,
    micro,
    riscv_cpu,
    rocm,
    vta,
)
from s2s.tvm.target.target import Target, TargetKind, TargetLike, resolve, target_of

__all__ = [
    "Target",
    "TargetKind",
    "TargetLike",
    "adreno",
    "arm_cpu",
    "bifrost",
    "codegen",
    "create",
    "cuda",
    "hexagon",
    "intel_graphics",
    "mali",
    "micro",
    "resolve",
    "riscv_cpu",
    "rocm",
    "target_of",
    "vta",
]
