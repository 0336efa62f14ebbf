"""Runs a network at graph level, operation by operation."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.dtypes import Array, as_tensor_type, to_numpy
from s2s.analysis.symbols import function_named
from s2s.dialects import graph
from s2s.errors import CompilerBug, InputError
from s2s.interpret.graph.evaluate import evaluate
from s2s.weights import WeightStore

Observer = Callable[[Operation, Sequence[Array]], None]
Evaluator = Callable[[Operation, Sequence[Array]], list[Array]]


def run_graph(
    root: ModuleOp | FuncOp,
    inputs: Sequence[Array],
    weights: WeightStore,
    observe: Observer | None = None,
    evaluator: Evaluator = evaluate,
) -> list[Array]:
    """The outputs of a function, or of `@main` of a module.

    `observe` is called with every operation that has run and its results, those inside kernels before their call.
    `evaluator` gives operations their meaning; levels further down add theirs.
    """
    function = _function(root, "main") if isinstance(root, ModuleOp) else root
    _check_inputs(function, inputs)
    return _run(function, inputs, weights, observe, evaluator)


def _run(
    function: FuncOp,
    inputs: Sequence[Array],
    weights: WeightStore,
    observe: Observer | None,
    evaluator: Evaluator,
) -> list[Array]:
    values: dict[SSAValue, Array] = dict(zip(function.body.block.args, inputs, strict=True))
    for op in function.body.block.ops:
        operands = [values[operand] for operand in op.operands]
        match op:
            case ReturnOp():
                return operands
            case graph.CallOp() | CallOp():
                results = _run(_function(op, op.callee.string_value()), operands, weights, observe, evaluator)
            case graph.WeightOp():
                results = [weights.get(op.weight_name.data)]
            case _:
                results = evaluator(op, operands)
        values.update(zip(op.results, results, strict=True))
        if observe is not None:
            observe(op, results)
    raise CompilerBug(f"function @{function.sym_name.data} does not return")


def _function(place: Operation, name: str) -> FuncOp:
    found = function_named(place, name)
    if found is None:
        raise CompilerBug(f"@{name} is not a function of the module")
    return found


def _check_inputs(function: FuncOp, inputs: Sequence[Array]) -> None:
    expected = [as_tensor_type(argument.type) for argument in function.body.block.args]
    if len(inputs) != len(expected):
        raise InputError(f"{len(inputs)} inputs given, the network has {len(expected)}; give one array for each")
    for number, (value, wanted) in enumerate(zip(inputs, expected, strict=True)):
        if value.shape != wanted.get_shape() or value.dtype != to_numpy(wanted.element_type):
            raise InputError(
                f"input {number}: array is {value.dtype}{list(value.shape)}, the network wants {wanted}; convert it"
            )
