"""Find the operands that kernels may copy before they use them, with what a decision about a copy has to know."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.decisions.keys import computation_keys, nodes_of_kernel
from s2s.dialects import tensor
from s2s.targets import Target

Operand = TypeVar("Operand")
Finder = Callable[[FuncOp, frozenset[SSAValue]], Sequence[tuple[tensor.ComputeOp, Operand]]]
"""Finds computations of a kernel, whose constants are given, each with the operand that it may copy."""


class CopyCandidate(NamedTuple, Generic[Operand]):
    """A computation that may copy one of its operands."""

    kernel: FuncOp
    op: tensor.ComputeOp
    operand: Operand
    constants: frozenset[SSAValue]
    """The constants of the kernel."""
    key: str
    nodes: str


def copy_candidates(module: ModuleOp, target: Target, find: Finder[Operand]) -> Iterator[CopyCandidate[Operand]]:
    """Yield what `find` finds in each kernel; all of a kernel is found before its first candidate is yielded."""
    if target.lanes == 1:
        return
    calls = calls_of(module)
    for func in module.ops:
        if not isinstance(func, FuncOp) or func.is_declaration:
            continue
        constants = constant_arguments(func, calls)
        found = find(func, constants)
        keys = computation_keys(func, [op for op, _ in found], calls, target)
        for (op, operand), key in zip(found, keys, strict=True):
            yield CopyCandidate(func, op, operand, constants, key, nodes_of_kernel(func, calls))
