"""Task keys: names of kernels that stay the same from compilation to compilation, and from network to network.

A task key is a hash over what a kernel computes (domains, access maps, bodies), the shapes and types of its operands
and results, which operands are constants, the data of the target, and the version of the lowering. Names, source nodes,
schedules and the values of weights do not count, so that equal layers have equal keys:

    conv 3x3 relu [1, 64, 56, 56] of resnet50, 2nd block   9f3ac1d20b7e4451
    conv 3x3 relu [1, 64, 56, 56] of resnet50, 3rd block   9f3ac1d20b7e4451
    conv 3x3      [1, 64, 56, 56]                          07d2e5b83c19aa60
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.analysis.network.constants import constant_arguments
from s2s.analysis.structure.compute import DIM_NAMES
from s2s.dialects import graph, tensor
from s2s.dialects.graph.traits import DESCRIPTIVE, provenance
from s2s.targets import Target

LOWERING = 2
"""Raised when a schedule begins to mean another thing, so that old records no longer count, or when keys are made of
other data. 2: of a target, only the fields of the machine."""
DIGITS = 16
MACHINE = (
    "lanes",
    "registers",
    "align",
    "cflags",
    "word_bits",
    "integer_lanes",
    "fork_join",
    "l1_bytes",
    "l2_bytes",
    "l3_bytes",
    "line_bytes",
)
"""Fields of a target that tell one machine from another. Keys depend on no others: records name the intrinsics that
they use, and what only cost models read changes no measurement."""
_UNCOUNTED = DESCRIPTIVE | {DIM_NAMES}
"""Attributes that name things."""


def task_key(func: FuncOp, calls: Mapping[str, list[graph.CallOp]], target: Target, lowering: int = LOWERING) -> str:
    """Return the key of the kernel `func` at the tensor level; `lowering` asks for the key of another version."""
    digest = hashlib.sha256(f"{lowering}\n{target_text(target)}\n".encode())
    constants = constant_arguments(func, calls)
    numbers: dict[SSAValue, int] = {}
    for argument in func.body.block.args:
        numbers[argument] = len(numbers)
        digest.update(f"{'constant' if argument in constants else 'value'} {_attribute_text(argument.type)}\n".encode())
    for line in _lines(func.body.block.ops, numbers):
        digest.update(line.encode())
    return digest.hexdigest()[:DIGITS]


def computation_key(kernel: str, number: int, count: int) -> str:
    """The key of computation `number` of the `count` in a kernel: `9f3ac1d20b7e4451/2`, or the kernel's own."""
    return kernel if count == 1 else f"{kernel}/{number}"


def computation_keys(
    func: FuncOp, ops: Sequence[Operation], calls: Mapping[str, list[graph.CallOp]], target: Target
) -> list[str]:
    """The keys of some computations of a kernel."""
    if not ops:
        return []
    kernel = task_key(func, calls, target)
    every: list[Operation] = [op for op in func.body.block.ops if isinstance(op, tensor.Computation)]
    return [computation_key(kernel, every.index(op), len(every)) for op in ops]


def nodes_of_kernel(func: FuncOp, calls: Mapping[str, list[graph.CallOp]]) -> str:
    """The nodes of the model that the calls of a kernel compute."""
    return ", ".join(node for call in calls.get(func.sym_name.data, ()) for node in provenance(call))


def group_key(ops: Sequence[Operation]) -> str:
    """Return a key for operations of the graph level: what they compute, on which types; constants count by their types
    only."""
    numbers: dict[SSAValue, int] = {}
    inside = set(ops)
    outside = {operand: None for op in ops for operand in op.operands if operand.owner not in inside}
    for operand in outside:
        numbers[operand] = len(numbers)
    digest = hashlib.sha256(",".join(_attribute_text(operand.type) for operand in outside).encode())
    for line in _lines(ops, numbers):
        digest.update(line.encode())
    return digest.hexdigest()[:DIGITS]


def _lines(ops: Iterable[Operation], numbers: dict[SSAValue, int]) -> Iterator[str]:
    """Operations in a form without names; values are numbered in order."""
    for op in ops:
        yield f"{op.name}({','.join(str(numbers[operand]) for operand in op.operands)})"
        yield from _attributes(op)
        for result in op.results:
            numbers[result] = len(numbers)
            yield f":{_attribute_text(result.type)}"
        for region in op.regions:
            for inner in region.blocks:
                for argument in inner.args:
                    numbers[argument] = len(numbers)
                yield "{\n"
                yield from _lines(inner.ops, numbers)
                yield "}"
        yield "\n"


def _attributes(op: Operation) -> Iterator[str]:
    """Return properties and attributes without schedules, names, and the factors that sums are rescaled by."""
    hidden = isinstance(op, ConstantOp) and _is_factor(op)
    for name in sorted(op.properties):
        if name != "schedule" and not (hidden and name == "value"):
            yield f" {name}={_attribute_text(op.properties[name])}"
    for name in sorted(op.attributes):
        if name not in _UNCOUNTED:
            yield f" {name}={_attribute_text(op.attributes[name])}"


def _is_factor(op: ConstantOp) -> bool:
    """Return whether a constant is a multiplier or a shift of a rescale, which belongs to the weights."""
    return all(isinstance(use.operation, tensor.RescaleOp) and use.index > 0 for use in op.result.uses)


@lru_cache(maxsize=4096)
def _attribute_text(attribute: Attribute) -> str:
    return str(attribute)


@lru_cache(maxsize=16)
def target_text(target: Target) -> str:
    """The data of a target that keys depend on."""
    return _data_text([(name, getattr(target, name)) for name in MACHINE])


def _data_text(value: Any) -> str:
    """Return plain data as text that is the same in every process."""
    if is_dataclass(value) and not isinstance(value, type):
        return _data_text([(each.name, getattr(value, each.name)) for each in fields(value)])
    if isinstance(value, Mapping):
        return _data_text(list(cast(Mapping[Any, Any], value).items()))
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_data_text, cast(Sequence[Any], value))) + "]"
    if isinstance(value, frozenset | set):
        return "[" + ",".join(sorted(map(_data_text, cast(Iterable[Any], value)))) + "]"
    return repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__qualname__
