"""Targets under TVM's names: strings with attributes, hosts, tags, and the target of a `with` block."""

from s2s.tvm.target.makers import arm_cpu, create, riscv_cpu
from s2s.tvm.target.target import Target, TargetKind, TargetLike, resolve, target_of

__all__ = ["Target", "TargetKind", "TargetLike", "arm_cpu", "create", "resolve", "riscv_cpu", "target_of"]
