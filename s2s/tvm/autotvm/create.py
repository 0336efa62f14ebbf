"""Tasks of templates, and of the kernels of a network."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import main_of
from s2s.compilation import Compilation
from s2s.decisions.keys import nodes_of_kernel
from s2s.dialects.graph.base import GraphOp
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.dialects.graph.traits import provenance
from s2s.dialects.walk import walk
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.tuning.task import tasks_of
from s2s.tvm.autotvm.kernel_task import KernelTask
from s2s.tvm.autotvm.template_task import TemplateTask
from s2s.tvm.relay.factory import source_of
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Op
from s2s.tvm.target import resolve
from s2s.types.dtypes import as_tensor_type

OPERATIONS: Mapping[str, str] = {
    "conv1d": "conv",
    "conv2d": "conv",
    "conv3d": "conv",
    "conv2d_transpose": "conv_transpose",
    "dense": "matmul",
    "batch_matmul": "matmul",
}
"""The operations of the graph level that operators of TVM stand for; others have equal names."""


def create(task_name: str, args: Sequence[Any], target: object = None, target_host: object = None) -> TemplateTask:
    """Return the task of a template with arguments, for a target or the one of the `with Target(…)` around."""
    return TemplateTask(task_name, args, resolve(target, target_host))


def extract_from_program(
    mod: ModuleOp | IRModule | Function | FuncOp,
    params: Mapping[str, npt.ArrayLike] | None = None,
    target: object = None,
    target_host: object = None,
    ops: Sequence[str | Op | Callable[..., Any]] | None = None,
) -> list[KernelTask]:
    """Return a task for each distinct kernel of a network, or only for kernels that hold an operator of `ops`.

    Operators are named as `"nn.conv2d"`, or given as the functions that make them.
    """
    options = CompileOptions(target=resolve(target, target_host))
    compilation = Compilation(source_of(with_module(mod), params), options)
    tasks = tasks_of(compilation)
    if ops is not None:
        wanted = {operation_named(each) for each in ops}
        nodes = nodes_with(compilation, wanted)
        tasks = [each for each in tasks if not nodes.isdisjoint(each.nodes.split(", "))]
    work = operations_by_nodes(compilation)
    return [KernelTask(each, _flop(each.nodes.split(", "), work)) for each in tasks]


def extract_from_multiple_program(
    mods: Sequence[ModuleOp | IRModule | Function | FuncOp],
    params: Sequence[Mapping[str, npt.ArrayLike] | None],
    target: object = None,
    target_host: object = None,
    ops: Sequence[str | Op | Callable[..., Any]] | None = None,
) -> list[KernelTask]:
    """Return a task for each distinct kernel of some networks."""
    found: dict[str, KernelTask] = {}
    for mod, given in zip(mods, params, strict=True):
        for task in extract_from_program(mod, given, target, target_host, ops):
            found.setdefault(task.key, task)
    return list(found.values())


def with_module(mod: ModuleOp | IRModule | Function | FuncOp) -> ModuleOp | IRModule | Function:
    """The module of a function such as `mod["main"]`."""
    if not isinstance(mod, FuncOp):
        return mod
    parent = mod.parent_op()
    if not isinstance(parent, ModuleOp):
        raise InputError(f"extract_from_program: {mod.sym_name.data} is in no module; give the module")
    return parent


def operation_named(operator: str | Op | Callable[..., Any]) -> str:
    """Return the operation of the graph level that an operator of TVM stands for."""
    name = operator if isinstance(operator, str) else operator.name if isinstance(operator, Op) else operator.__name__
    last = name.rpartition(".")[2]
    return f"graph.{OPERATIONS.get(last, last)}"


def nodes_with(compilation: Compilation, operations: set[str]) -> set[str]:
    """The nodes of kernels that hold one of some operations."""
    module = compilation.at("graph").module
    calls = calls_of(module)
    kernels = [op for op in module.ops if isinstance(op, FuncOp) and op is not main_of(module)]
    found = [each for each in kernels if any(op.name in operations for op in each.walk())]
    return {node for each in found for node in nodes_of_kernel(each, calls).split(", ")}


Work = Sequence[tuple[frozenset[str], int]]
"""The nodes that an operator stands for, and its operations."""


def operations_by_nodes(compilation: Compilation) -> Work:
    """Return twice the multiply-adds of each operator of a network, before an algorithm is chosen for it; of one that
    multiplies no matrices, the elements of its results."""
    ops = [op for op in walk(compilation.at("settle").module) if isinstance(op, GraphOp)]
    return [(frozenset(provenance(op)), 2 * multiply_adds(op) or _elements(op)) for op in ops if op.operands]


def _flop(nodes: Sequence[str], work: Work) -> float:
    """The operations of the operators that some nodes of a network stand for."""
    return float(sum(operations for names, operations in work if names and names <= set(nodes)))


def _elements(op: GraphOp) -> int:
    return sum(prod(as_tensor_type(each.type).get_shape()) for each in op.results)
