"""Run networks and kernels at tensor level."""

from collections.abc import Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.dialects import tensor
from s2s.errors import InputError
from s2s.interpret.graph import Observer, evaluate, run_graph
from s2s.interpret.scalar import number
from s2s.interpret.tensor.compute import evaluate_compute
from s2s.interpret.tensor.scatter import evaluate_scatter
from s2s.interpret.tensor.transform import evaluate_transform
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.weights import WeightStore


def run_tensor(
    root: ModuleOp | FuncOp,
    inputs: Sequence[Array],
    weights: WeightStore | None = None,
    observe: Observer | None = None,
    *,
    fast: bool = False,
    state: list[Array] | None = None,
) -> list[Array]:
    """Run a function, or `@main` of a module, which may still hold graph operations, and return its outputs.

    Sums have the order of the serial loops, unless `fast` allows matrix products. `observe` and `state` are those of
    `run_graph`.
    """
    evaluator = partial(evaluate_operation, fast=fast)
    return run_graph(root, inputs, weights or WeightStore(), observe, evaluator, state)


def evaluate_operation(op: Operation, operands: Sequence[Array], *, fast: bool = False) -> list[Array]:
    """Compute the results of an operation of the graph or the tensor level from the values of its operands."""
    match op:
        case tensor.ComputeOp():
            return evaluate_compute(op, operands, fast=fast)
        case tensor.TransformOp():
            return evaluate_transform(op, operands)
        case tensor.ExternOp():
            from s2s.interpret.routines import run_routine

            found = run_routine(op.routine.data, operands, op.values)
            types = [as_tensor_type(result.type) for result in op.res]
            return [value.reshape(type.get_shape()) for value, type in zip(found, types, strict=True)]
        case tensor.ScatterOp():
            return evaluate_scatter(op, operands)
        case tensor.CallBlocksOp():
            name = op.steps.data[0].function.data
            raise InputError(f"{name}: is a C function of the user, which only the emitted C can call; run that")
        case arith.ConstantOp():
            return [number(op.value)]
        case _:
            return evaluate(op, operands)
