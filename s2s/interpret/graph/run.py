"""Run a network at graph level, operation by operation."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.begins import begun
from s2s.analysis.network.functions import CALLBACK, input_numbers, meaning_of, output_numbers, state_arguments
from s2s.dialects import graph
from s2s.errors import CompilerBug, InputError
from s2s.interpret.graph.control import run_control
from s2s.interpret.graph.evaluate import evaluate
from s2s.interpret.graph.extern import run_extern
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.sizes import greatest_sizes
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

Observer = Callable[[Operation, Sequence[Array]], None]
Evaluator = Callable[[Operation, Sequence[Array]], list[Array]]


def run_graph(
    root: ModuleOp | FuncOp,
    inputs: Sequence[Array],
    weights: WeightStore,
    observe: Observer | None = None,
    evaluator: Evaluator = evaluate,
    state: list[Array] | None = None,
) -> list[Array]:
    """Run a function, or `@main` of a module, and return its outputs.

    `observe` is called with every operation that has run and its results; operations inside of a kernel come before its
    call. `evaluator` evaluates operations; lower levels pass their own. `state` is updated from run to run; None starts
    from the initial state.
    """
    function = _function(root, "main") if isinstance(root, ModuleOp) else root
    kept = state_arguments(function)
    values = state if state is not None else initial_state(function, weights)
    given = input_numbers(function)
    _check_inputs([function.body.block.args[number] for number in given], inputs)
    arguments = dict(zip(given, inputs, strict=True)) | {
        argument.number: value for argument, value in zip(kept, values, strict=True)
    }
    run = _Run(weights, observe, evaluator)
    results = run.function(function, [arguments[number] for number in range(len(arguments))])
    tied = graph.tied_arguments(function)
    for place, argument in enumerate(kept):
        values[place] = results[tied.index(argument.number)]
    return [results[number] for number in output_numbers(function)]


def initial_state(root: ModuleOp | FuncOp, weights: WeightStore) -> list[Array]:
    """Return the state of a network before its first run."""
    function = _function(root, "main") if isinstance(root, ModuleOp) else root
    return [argument.initial(weights) for argument in state_arguments(function)]


class _Run(NamedTuple):
    """One run of a network, and of the functions that it calls."""

    weights: WeightStore
    observe: Observer | None
    evaluator: Evaluator

    def function(self, function: FuncOp, inputs: Sequence[Array]) -> list[Array]:
        """Run `function` and return its results; a value is dropped behind the last operation that reads it."""
        values: dict[SSAValue, Array] = dict(zip(function.body.block.args, inputs, strict=True))
        last = {operand: op for op in function.body.block.ops for operand in op.operands}
        for op in function.body.block.ops:
            operands = [values[operand] for operand in op.operands]
            if isinstance(op, ReturnOp):
                return operands
            results = self._results(op, operands)
            values.update(zip(op.results, results, strict=True))
            if self.observe is not None:
                self.observe(op, results)
            for operand in op.operands:
                if last[operand] is op:
                    values.pop(operand, None)
        raise CompilerBug(f"function @{function.sym_name.data} does not return")

    def _results(self, op: Operation, operands: Sequence[Array]) -> list[Array]:
        match op:
            case graph.CallOp() | CallOp():
                return self._call(op, op.callee.string_value(), operands)
            case graph.NetworkOp():
                return run_control(op, operands, lambda name, inputs: self._call(op, name, inputs))
            case graph.WeightOp():
                return [self.weights.get(op.weight_name.data)]
            case graph.DeviceCopyOp():
                return list(operands)
            case graph.RequireOp():
                return _required(operands[0])
            case graph.ExternOp():
                return run_extern(op, operands)
            case _:
                return self.evaluator(op, operands)

    def _call(self, place: Operation, name: str, inputs: Sequence[Array]) -> list[Array]:
        function = _function(place, name)
        if CALLBACK not in function.attributes:
            return self.function(function, _begun(function, inputs))
        meaning = meaning_of(function)
        if meaning is None:
            raise CompilerBug(f"@{name}: nothing says what this function of C computes")
        return self.function(meaning, inputs)


def _required(outside: Array) -> list[Array]:
    if outside[0] > 0:
        raise InputError("an index that the network computes: is out of range; give inputs that keep it within")
    return []


def _begun(kernel: FuncOp, inputs: Sequence[Array]) -> Sequence[Array]:
    """Return what `kernel` reads of its operands at the greatest sizes."""
    module = kernel.parent_op()
    if kernel.arg_attrs is None or not isinstance(module, ModuleOp):
        return inputs
    return begun(kernel, inputs, greatest_sizes(module.attributes))


def _function(place: Operation, name: str) -> FuncOp:
    found = function_named(place, name)
    if found is None:
        raise CompilerBug(f"@{name} is not a function of the module")
    return found


def _check_inputs(arguments: Sequence[SSAValue], inputs: Sequence[Array]) -> None:
    expected = [as_tensor_type(argument.type) for argument in arguments]
    if len(inputs) != len(expected):
        raise InputError(f"inputs: {len(inputs)} are given, the network has {len(expected)}; give one array for each")
    for number, (value, wanted) in enumerate(zip(inputs, expected, strict=True)):
        if value.shape != wanted.get_shape() or value.dtype != to_numpy(wanted.element_type):
            raise InputError(
                f"input {number}: array is {value.dtype}{list(value.shape)}, the network wants {wanted}; convert it"
            )
