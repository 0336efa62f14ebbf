"""Compare all levels of a compilation with each other, and the first with the engine that is taken as right."""

from collections.abc import Sequence

from s2s.compilation import Compilation
from s2s.stages.settle import Settled
from s2s.types.dtypes import Array
from s2s.verify.expected import Expected
from s2s.verify.levels import (
    LevelsReport,
    compare_levels,
    graph_level,
    loop_level,
    model_level,
    outputs_level,
    tensor_level,
)
from s2s.verify.node_by_node import compare_nodes


def compare_all_levels(compilation: Compilation, expected: Expected, found: Sequence[Array]) -> LevelsReport:
    """Run the levels above C on the first inputs of `expected`; `found` is the result of the C.

    First the model as it was read is compared, node by node, with the engine that `expected` comes from.
    """
    inputs = expected.vectors[0][0]
    model, graph, tensor, loop = map(compilation.at, ("read", "graph", "tensor", "memory"))
    nodes = []
    if expected.nodes:
        nodes = [compare_nodes(model.module, model.weights, inputs, expected.engine, expected.nodes)]
    if any(result.wrong for result in nodes):
        return LevelsReport(tuple(nodes))
    settled = compilation.facts(Settled)
    rounds_anew = bool(settled.sums or settled.quantises_activations or any(settled.steps))
    levels = {
        "model": model_level(model.module, model.weights),
        "graph": graph_level(graph.module, graph.weights, rounds_anew=rounds_anew),
        "tensor": tensor_level(tensor.module, tensor.weights, fast=True),
        "loop": loop_level(loop.module, loop.weights),
        "c": outputs_level(lambda _: found),
    }
    report = compare_levels(levels, inputs)
    return LevelsReport((*nodes, *report.levels[len(nodes) :]))
