"""Run all levels of one compilation and find the first node at which two levels differ.

Every level computes the same network on the same inputs and reports the value of each node. From the top down, the
first node whose value differs from the level above identifies the wrong lowering and the kernel.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug
from s2s.interpret.graph import Observer, run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.loop.cost import executed_operations
from s2s.interpret.tensor import run_tensor
from s2s.passes.tensor.block_channels import BLOCKED, CHANNELS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from s2s.verify.compare import Comparison, Tolerance, compare, default_tolerance

OPERATION_LIMIT = 20_000_000
"""The maximum number of loop-level operations to interpret, which takes some ten seconds."""


@frozen
class Trace:
    """The values that a level has computed."""

    outputs: Sequence[Array]
    nodes: Mapping[str, Sequence[Array]] = field(default_factory=dict[str, Sequence[Array]])
    """The values of each node in the order of execution, several where several operations carry its name."""
    rounds_anew: bool = False
    """Whether the level computes in integers what the one above computes in floats, so that no number need be equal."""


@frozen
class Skipped:
    """A level that was not run."""

    reason: str


Level = Callable[[Sequence[Array]], Trace | Skipped]
"""Runs the network on its inputs."""


def is_compared(op: Operation) -> bool:
    """Whether lower levels hold the results of an operation of `main` as it does.

    Constants and reshapes compute nothing, and a window that advances is laid out anew.
    """
    return not isinstance(op, graph.AdvanceOp) and (not isinstance(op, graph.OperatorInterface) or op.computes)


@frozen
class LevelResult:
    """The comparison of a level with the level above that ran last."""

    level: str
    against: str | None = None
    compared: int = 0
    """Values compared with values of the level above, nodes and outputs."""
    wrong: bool = False
    node: str | None = None
    """The first node at which the level differs from the one above; None if there is none."""
    reason: str = ""
    """The difference, or the reason why the level was not run."""
    rounds_anew: bool = False
    """Whether it was not compared, as it computes in integers what the level above computes in floats."""

    def describe(self) -> str:
        """The result in one line."""
        if self.node is not None:
            return f"{self.level}: parts from level {self.against} at {self.node}: {self.reason}"
        if self.reason:
            return f"{self.level}: {'breaks off' if self.wrong else 'skipped'}: {self.reason}"
        if self.against is None:
            return (
                f"{self.level}: ran{'; it rounds to integers of its own, so nothing above is equal' * self.rounds_anew}"
            )
        return f"{self.level}: agrees with level {self.against} in {self.compared} values"


@frozen
class LevelsReport:
    """The results of all levels, down to the first that differs from the one above."""

    levels: tuple[LevelResult, ...]

    @property
    def parting(self) -> LevelResult | None:
        """The first wrong level; None if all agree."""
        return next((level for level in self.levels if level.wrong), None)

    @property
    def passed(self) -> bool:
        """Whether all levels that ran agree."""
        return self.parting is None

    def describe(self) -> str:
        """One line a level."""
        return "\n".join(level.describe() for level in self.levels)


def model_level(module: ModuleOp, weights: WeightStore) -> Level:
    """The network as it was read, with the result of each node of the model."""

    def run(inputs: Sequence[Array]) -> Trace:
        trace = _traced(lambda observe: run_graph(module, inputs, weights, observe))
        return Trace(trace.outputs, {node: values[-1:] for node, values in trace.nodes.items()})

    return run


def graph_level(
    module: ModuleOp, weights: WeightStore, *, rounds_anew: bool = False, state: list[Array] | None = None
) -> Level:
    """The network in operators; `rounds_anew` if its numbers are integers where the model's are floats. It begins with
    `state`, and updates it; None is the initial state."""
    return lambda inputs: replace(
        _traced(lambda observe: run_graph(module, inputs, weights, observe, state=state)), rounds_anew=rounds_anew
    )


def tensor_level(
    module: ModuleOp, weights: WeightStore, *, fast: bool = False, state: list[Array] | None = None
) -> Level:
    """The network in structured computations, with `state` as of `graph_level`."""
    return lambda inputs: _traced(lambda observe: run_tensor(module, inputs, weights, observe, fast=fast, state=state))


def loop_level(module: ModuleOp, weights: WeightStore, limit: int = OPERATION_LIMIT) -> Level:
    """The network in loops, unless that takes more than `limit` operations."""

    def run(inputs: Sequence[Array]) -> Trace | Skipped:
        operations = executed_operations(module)
        if operations > limit:
            return Skipped(f"it takes {operations} operations one by one, the limit is {limit}")
        return _traced(lambda observe: run_loop(module, inputs, weights, observe))

    return run


def outputs_level(run: Callable[[Sequence[Array]], Sequence[Array]]) -> Level:
    """Wrap a function that returns only outputs, such as compiled C or another engine."""
    return lambda inputs: Trace(run(inputs))


def compare_levels(
    levels: Mapping[str, Level], inputs: Sequence[Array], tolerance: Tolerance | None = None
) -> LevelsReport:
    """Run `levels`, from the top, on `inputs`, until one parts from the one above it.

    The tolerance is that of the element type by default, its absolute part in units of the largest value of a node:
    inside of a network values may be large where its outputs are not.
    """
    results, above = list[LevelResult](), None
    for name, level in levels.items():
        try:
            trace = level(inputs)
        except CompilerBug as bug:
            results.append(LevelResult(name, wrong=True, reason=str(bug)))
            break
        if isinstance(trace, Skipped):
            results.append(LevelResult(name, reason=trace.reason))
            continue
        results.append(_result(name, trace, above, tolerance))
        if results[-1].wrong:
            break
        above = name, trace
    return LevelsReport(tuple(results))


def _result(name: str, trace: Trace, above: tuple[str, Trace] | None, tolerance: Tolerance | None) -> LevelResult:
    if above is None or trace.rounds_anew:
        return LevelResult(name, rounds_anew=above is not None)
    return _compare(name, trace, *above, tolerance)


def _traced(run: Callable[[Observer], list[Array]]) -> Trace:
    """Run with an observer that records what the operations of `main` compute."""
    nodes = dict[str, list[Array]]()

    def observe(op: Operation, results: Sequence[Array]) -> None:
        parent = op.parent_op()
        in_main = isinstance(parent, FuncOp) and parent.sym_name.data == "main"
        if in_main and provenance(op) and is_compared(op):
            for key, value in zip(_keys(op, len(results)), results, strict=True):
                nodes.setdefault(key, []).append(_in_plain_layout(op, value))

    return Trace(run(observe), nodes)


def _in_plain_layout(op: Operation, value: Array) -> Array:
    """Convert a value in blocks of channels, `[N, C / b, H, W, b]` or `[N, C / b, W, b]`, to `[N, C, H, W]`."""
    shape = op.attributes.get(BLOCKED)
    if not isinstance(shape, DenseArrayBase):
        return value
    n, blocks, *place, block = (int(size) for size in shape.get_values())
    channels = op.attributes.get(CHANNELS)
    used = channels.value.data if isinstance(channels, IntegerAttr) else blocks * block
    blocked = value.reshape(n, blocks, *place, block)
    return np.moveaxis(blocked, -1, 2).reshape(n, blocks * block, *place)[:, :used]


def _keys(op: Operation, results: int) -> list[str]:
    """Return the names of `op`'s results: for one result, the last source node."""
    names = provenance(op)
    if results == 1:
        return [names[-1]]
    return [f"{', '.join(names)} (result {number})" for number in range(results)]


def _compare(level: str, trace: Trace, against: str, above: Trace, tolerance: Tolerance | None) -> LevelResult:
    """Return the first difference, in the execution order of the lower level."""
    compared = 0
    for node, expected, found in _pairs(trace, above):
        result = _compare_values(expected, found, tolerance)
        if not result.passed:
            return LevelResult(level, against, compared, wrong=True, node=node, reason=result.describe())
        compared += 1
    if len(trace.outputs) != len(above.outputs):
        found = f"{len(trace.outputs)} outputs, {against} has {len(above.outputs)}"
        return LevelResult(level, against, compared, wrong=True, reason=found)
    return LevelResult(level, against, compared)


def _pairs(trace: Trace, above: Trace) -> Iterator[tuple[str, Array, Array]]:
    """Yield the values that both levels compute, nodes first. Where a node becomes several operations, kernels of the
    two levels may end at different ones: of those, only values of one type are the same."""
    for node, values in trace.nodes.items():
        others = above.nodes.get(node, ())
        if len(values) == len(others) and all(map(_alike, values, others)):
            yield from ((node, other, value) for value, other in zip(values, others, strict=True))
    for number, (value, other) in enumerate(zip(trace.outputs, above.outputs, strict=False)):
        yield f"output {number}", other, value


def _alike(value: Array, other: Array) -> bool:
    return value.size == other.size and value.dtype == other.dtype


def _compare_values(expected: Array, found: Array, tolerance: Tolerance | None) -> Comparison:
    """Compare after reshaping to `expected`, since buffers are flat."""
    if tolerance is None:
        tolerance = replace(default_tolerance(expected.dtype), scaled=True)
    shaped = found.reshape(expected.shape) if found.size == expected.size else found
    return compare(expected, shaped, tolerance)
