"""Import the operators of StableHLO for which TFLite has kernels: elements of two tensors of one shape, and composites.

Converters write them where TensorFlow's or JAX's programs are kept as they are. A composite stands for the graph that
decomposes it.
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.frontends.builder import Value
from s2s.frontends.formulas import maximum, minimum
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node

_NUMBERS = ("float32", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


def _elements(function: Callable[[Value, Value], Value], kinds: Sequence[str]) -> Importer:
    """`function` of two tensors of one shape, which stand for no quantised numbers."""

    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        require_kinds(node, (a, b), *kinds)
        if a.shape != b.shape:
            raise node.invalid(f"operands have shapes {list(a.shape)} and {list(b.shape)}", "make them equal")
        return function(a.value, b.value)

    return importer


def _composite(node: Node) -> Sequence[Value]:
    """The operators of the decomposition in place of the composite."""
    decomposition = node.subgraph(int(node.options.DecompositionSubgraphIndex()))
    values = [operand.value for operand in node.inputs()]
    return [out.value for out in node.session.run_subgraph(decomposition, values, node)]


IMPORTERS: Mapping[str, Importer] = {
    "STABLEHLO_ADD": _elements(lambda a, b: a + b, _NUMBERS),
    "STABLEHLO_COMPOSITE": _composite,
    "STABLEHLO_MAXIMUM": _elements(maximum, _NUMBERS),
    "STABLEHLO_MINIMUM": _elements(minimum, _NUMBERS),
    "STABLEHLO_MULTIPLY": _elements(lambda a, b: a * b, _NUMBERS),
}
