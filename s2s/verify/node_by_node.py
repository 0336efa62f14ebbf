"""Compare the network as it was read with another engine, node by node.

Each node computes from what the engine has computed before it, not from our own numbers. So rounding does not add up
from node to node, and every node that differs is one that was read wrongly, or that the two compute differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.analysis.network.functions import main_of
from s2s.dialects.graph.traits import provenance
from s2s.interpret.graph import evaluate, run_graph
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from s2s.verify.compare import compare, default_tolerance
from s2s.verify.levels import LevelResult, is_compared


def compare_nodes(
    module: ModuleOp, weights: WeightStore, inputs: Sequence[Array], engine: str, expected: Mapping[str, Array]
) -> LevelResult:
    """Run the network of `module`, as it was read, on `inputs` and on the values `expected` of `engine`'s nodes."""
    checked = _Nodes(module, expected)
    run_graph(module, inputs, weights, evaluator=checked.evaluate)
    if checked.first is None:
        return LevelResult("model", engine, checked.compared)
    node, reason = checked.first
    return LevelResult("model", engine, checked.compared, wrong=True, node=node, reason=reason)


class _Nodes:
    """Evaluates operations, compares the result of each node, and goes on with what was expected of it."""

    def __init__(self, module: ModuleOp, expected: Mapping[str, Array]) -> None:
        self._expected = {op: expected[node] for node, op in _results(module).items() if node in expected}
        self.compared = 0
        self.first: tuple[str, str] | None = None
        """The first node that differs, and by how much."""

    def evaluate(self, op: Operation, operands: Sequence[Array]) -> list[Array]:
        """Return the results of `op`, or the engine's results if it is the last operation of a node."""
        results = evaluate(op, operands)
        expected = self._expected.get(op)
        if expected is None or expected.size != results[0].size:
            return results
        found = results[0]
        expected = expected.reshape(found.shape)
        if expected.dtype.kind == found.dtype.kind == "i":
            expected = expected.astype(found.dtype)  # indices of 64 bits are computed in 32
        result = compare(expected, found, replace(default_tolerance(expected.dtype), scaled=True))
        self.compared += 1
        if not result.passed and self.first is None:
            self.first = provenance(op)[-1], result.describe()
        return [expected] if expected.dtype == found.dtype else results


def _results(module: ModuleOp) -> dict[str, Operation]:
    """Return the last operation of each node of the model that computes something, if it has one result."""
    found: dict[str, Operation] = {}
    for op in main_of(module).body.block.ops:
        names = provenance(op)
        if names and is_compared(op):
            found[names[-1]] = op
    return {node: op for node, op in found.items() if len(op.results) == 1}
