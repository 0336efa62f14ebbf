"""TFLite as a format of the fuzzer."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.schema import DTYPES
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.model import Drawn, Format, FuzzModel
from s2s.fuzz.spread import PAIRS, Spread
from s2s.fuzz.tflite.draw import draw_graph
from s2s.fuzz.tflite.engines import ENGINES, EngineName
from s2s.fuzz.tflite.operators import OPERATORS
from s2s.fuzz.tflite.oracle import evaluate_graph
from s2s.fuzz.tflite.reader import read_graph
from s2s.fuzz.variants import TARGETS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

OTHER_ENGINE: tuple[EngineName, ...] = ENGINES[::-1]


@frozen(eq=False)
class TfliteModel(FuzzModel):
    """A TFLite model of one graph."""

    graph: GraphSpec

    @property
    def format(self) -> Format:
        """TFLite."""
        return FORMAT

    @property
    def source(self) -> bytes:
        """The file."""
        return self.serialised()

    @property
    def operators(self) -> list[str]:
        """The builtin operators."""
        return [each.builtin for each in self.graph.operators]

    @property
    def inputs(self) -> list[str]:
        """The names of the graph's inputs."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of the graph's outputs."""
        return list(self.graph.outputs)

    def rewritten(self) -> "TfliteModel":
        """The model with its tensors and operators in another order."""
        return TfliteModel(reordered(self.graph))

    def evaluate(
        self, inputs: Mapping[str, Array], *, pairs: int = PAIRS, other_engine: bool = False
    ) -> dict[str, Spread]:
        """All values, by TFLite-Micro where it has the operator, or by LiteRT first."""
        return evaluate_graph(self.graph, inputs, OTHER_ENGINE if other_engine else ENGINES, pairs)

    def check_import(self) -> None:
        """Read it by the TFLite frontend."""
        import_model(self.source)

    def pruned(self, outputs: Sequence[str]) -> "TfliteModel":
        """The model with only these outputs."""
        return TfliteModel(pruned(self.graph, outputs))

    def without(self, operator: int, values: Mapping[str, Spread]) -> "TfliteModel":
        """The model without an operator; the tensors that it gave are inputs."""
        graph, given = self.graph, self.graph.operators[operator].outputs
        rest = [each for place, each in enumerate(graph.operators) if place != operator]
        cut = GraphSpec(graph.tensors, rest, [*graph.inputs, *given], graph.outputs)
        return TfliteModel(pruned(cut, [name for name in graph.outputs if name not in given]))

    def serialised(self) -> bytes:
        """The file."""
        return model([self.graph])

    def read_inputs(self, stored: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs whose bytes are stored, in the types of the graph."""
        specs = {spec.name: spec for spec in self.graph.tensors}
        return {
            name: np.frombuffer(stored[name].tobytes(), DTYPES[specs[name].element]).reshape(specs[name].shape)
            for name in self.graph.inputs
        }


def pruned(graph: GraphSpec, outputs: Sequence[str]) -> GraphSpec:
    """The graph with only these outputs, and what they need."""
    needed, operators = set(outputs), list[OperatorSpec]()
    for operator in reversed(graph.operators):
        if needed.intersection(operator.outputs):
            operators.append(operator)
            needed.update(operator.inputs, operator.outputs, operator.intermediates)
    tensors = [spec for spec in graph.tensors if spec.name in needed]
    inputs = [name for name in graph.inputs if name in needed]
    return GraphSpec(tensors, operators[::-1], inputs, [name for name in graph.outputs if name in outputs])


def reordered(graph: GraphSpec) -> GraphSpec:
    """The graph with its tensors in another order, and its operators in another one in which they can run.

    Where they go follows from their names, so that a part of the model is written as the whole is.
    """
    left, operators = sorted(graph.operators, key=lambda each: _digest(each.outputs[0])), list[OperatorSpec]()
    while left:
        missing = {name for each in left for name in each.outputs}
        ready = next(each for each in left if missing.isdisjoint(each.inputs))
        left.remove(ready)
        operators.append(ready)
    tensors: list[TensorSpec] = sorted(graph.tensors, key=lambda each: _digest(each.name))
    return GraphSpec(tensors, operators, graph.inputs, graph.outputs)


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


class TfliteFormat(Format):
    """TFLite, for small cores as well."""

    name, suffix, targets = "tflite", ".tflite", (*TARGETS, "cortex-m4", "cortex-m55")

    @property
    def operators(self) -> list[str]:
        """The table of operators."""
        return sorted(OPERATORS)

    def draw(self, seed: str, prefix: str, batch: str, nodes: int) -> Drawn:
        """Models of any element type."""
        graph, inputs, expected, operators = draw_graph(seed, prefix, nodes)
        return Drawn(seed, TfliteModel(graph), inputs, expected, operators)

    def merged(self, models: Sequence[FuzzModel]) -> TfliteModel:
        """The graphs side by side."""
        graphs = [each.graph for each in cast(Sequence[TfliteModel], models)]
        return TfliteModel(
            GraphSpec(
                [spec for each in graphs for spec in each.tensors],
                [operator for each in graphs for operator in each.operators],
                [name for each in graphs for name in each.inputs],
                [name for each in graphs for name in each.outputs],
            )
        )

    def read(self, data: bytes) -> TfliteModel:
        """The model of a file."""
        return TfliteModel(read_graph(data))

    def smallest(self) -> tuple[TfliteModel, dict[str, Array]]:
        """A RELU."""
        tensors = [TensorSpec(name, (4,), "FLOAT32") for name in "xy"]
        return TfliteModel(GraphSpec(tensors, [OperatorSpec("RELU", ["x"], ["y"])], ["x"], ["y"])), {
            "x": np.ones(4, np.float32)
        }


FORMAT = TfliteFormat()
