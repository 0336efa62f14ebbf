"""TFLite models from which operators are cut off."""

from collections.abc import Sequence
from pathlib import Path

from s2s.errors import InputError
from s2s.frontends.tflite.read import read_model
from s2s.frontends.tflite.writer import GraphSpec, model
from s2s.fuzz.shrinking import Node, Shrinkable
from s2s.fuzz.tflite.reader import read_graph


class TfliteParts(Shrinkable):
    """A TFLite model of one graph."""

    suffix = ".tflite"

    def __init__(self, graph: GraphSpec) -> None:
        self.graph = graph
        self.nodes = [
            Node(part.custom or part.builtin, [*filter(None, part.inputs)], part.outputs) for part in graph.operators
        ]
        self.outputs = graph.outputs
        self.stored = {part.name for part in graph.tensors if part.data is not None or part.is_variable}

    @staticmethod
    def read(path: Path) -> "TfliteParts":
        """Return the model of a file."""
        data = path.read_bytes()
        count = len(read_model(data, str(path)).subgraphs)
        if count != 1:
            raise InputError(
                f"{path}: has {count} graphs, and models of one are shrunk; give a whole model without branches"
            )
        return TfliteParts(read_graph(data))

    def part(self, kept: Sequence[int], inputs: Sequence[str], outputs: Sequence[str]) -> "TfliteParts":
        """Return the model of some operators, with the constants that they read."""
        operators = [self.graph.operators[number] for number in kept]
        needed = {name for part in operators for name in (*part.inputs, *part.outputs, *part.intermediates)}
        tensors = [part for part in self.graph.tensors if part.name in needed]
        return TfliteParts(GraphSpec(tensors, operators, list(inputs), list(outputs)))

    def serialised(self) -> bytes:
        """Return the file."""
        return model([self.graph])
