"""Find the arguments of a kernel that are weights in every call."""

from collections import defaultdict
from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.dialects.walk import walk
from s2s.types.dtypes import Array, size_in_bytes
from s2s.types.weights import WeightStore


def calls_of(module: ModuleOp) -> dict[str, list[graph.CallOp]]:
    """Return the calls of each kernel, in program order."""
    calls: dict[str, list[graph.CallOp]] = defaultdict(list)
    for func in module.ops:
        if isinstance(func, FuncOp) and not func.is_declaration:
            for op in func.body.block.ops:
                if isinstance(op, graph.CallOp):
                    calls[op.callee.root_reference.data].append(op)
    return calls


def constant_arguments(func: FuncOp, calls: Mapping[str, list[graph.CallOp]]) -> frozenset[SSAValue]:
    """Return the arguments of kernel `func` that are weights in every call; none if there is no call."""
    mine = calls.get(func.sym_name.data, [])
    return frozenset(
        argument
        for number, argument in enumerate(func.body.block.args)
        if mine and all(isinstance(call.operands[number].owner, graph.WeightOp) for call in mine)
    )


def constant_values(
    func: FuncOp, calls: Mapping[str, list[graph.CallOp]], weights: WeightStore
) -> dict[SSAValue, list[Array]]:
    """Return the constant arguments of kernel `func` with the values that its calls pass."""
    mine, constant = calls.get(func.sym_name.data, []), constant_arguments(func, calls)
    found: dict[SSAValue, list[Array]] = {}
    for number, argument in enumerate(func.body.block.args):
        if argument in constant:
            owners = [call.operands[number].owner for call in mine]
            found[argument] = [weights.get(own.weight_name.data) for own in owners if isinstance(own, graph.WeightOp)]
    return found


def constant_bytes(module: ModuleOp) -> int:
    """Return the bytes of all weights of a network."""
    weights = (op for func in module.ops if isinstance(func, FuncOp) for op in walk(func))
    return sum(
        prod(shape_of(op.results[0])) * size_in_bytes(tensor.element_type(op.results[0]))
        for op in weights
        if isinstance(op, graph.WeightOp)
    )
