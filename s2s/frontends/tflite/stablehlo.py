"""Import operators of StableHLO that TFLite has kernels for: elements of two tensors of one shape, padding, composites.

Converters write them where TensorFlow's or JAX's programs are kept as they are. A composite stands for the graph that
decomposes it.
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, maximum, minimum, reshape
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.reduce_window import dilated
from s2s.frontends.tflite.slicing import padded_with
from s2s.frontends.tflite.stablehlo_options import numbers

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
_NUMBERS = ("float32", *_INTEGERS)


def _elements(function: Callable[[Value, Value], Value], kinds: Sequence[str]) -> Importer:
    """`function` of two tensors of one shape, which stand for no quantised numbers."""

    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        require_kinds(node, (a, b), *kinds)
        if a.shape != b.shape:
            raise node.invalid(f"operands have shapes {list(a.shape)} and {list(b.shape)}", "make them equal")
        return function(a.value, b.value)

    return importer


def _and(a: Value, b: Value) -> Value:
    """The conjunction of bools, or of the bits of integers."""
    return emit(graph.LogicalAndOp if a.is_bool else graph.BitwiseAndOp, a, b)


def _shift_left(a: Value, b: Value) -> Value:
    """`a << b`; zero where `b`, read as an unsigned number, is the width or more."""
    return emit(graph.ShiftLeftOp, a, b)


def _pad(node: Node) -> Value:
    """Copies of a number between neighbours, before, and after; negative counts cut off at the ends."""
    x, fill, options = node.input(0).value, node.input(1).value, node.options
    low, high, inner = (
        numbers(options, name) or [0] * x.rank for name in ("EdgePaddingLow", "EdgePaddingHigh", "InteriorPadding")
    )
    if not len(low) == len(high) == len(inner) == x.rank or min(inner, default=0) < 0 or fill.dtype != x.dtype:
        raise node.invalid(f"pads {x.type} by {low}, {high} and {inner} with {fill.type}", "fix the padding")
    fill = reshape(fill, []) if fill.shape == (1,) else fill
    spread = dilated(node, x, [count + 1 for count in inner], fill)
    edges = list(zip(spread.shape, low, high, strict=True))
    if any(size + before + after < 0 for size, before, after in edges):
        raise node.invalid(f"cuts {low} and {high} off {list(spread.shape)}", "cut less off")
    if any(size + min(0, before) + min(0, after) <= 0 for size, before, after in edges):
        return broadcast_to(fill, [size + before + after for size, before, after in edges])
    return padded_with(spread, low, high, fill)


def _composite(node: Node) -> Sequence[Value]:
    """The operators of the decomposition in place of the composite."""
    decomposition = node.subgraph(int(node.options.DecompositionSubgraphIndex()))
    values = [operand.value for operand in node.inputs()]
    return [out.value for out in node.session.run_subgraph(decomposition, values, node)]


IMPORTERS: Mapping[str, Importer] = {
    "STABLEHLO_ADD": _elements(lambda a, b: a + b, _NUMBERS),
    "STABLEHLO_AND": _elements(_and, ("bool", *_INTEGERS)),
    "STABLEHLO_COMPOSITE": _composite,
    "STABLEHLO_MAXIMUM": _elements(maximum, _NUMBERS),
    "STABLEHLO_MINIMUM": _elements(minimum, _NUMBERS),
    "STABLEHLO_MULTIPLY": _elements(lambda a, b: a * b, _NUMBERS),
    "STABLEHLO_PAD": _pad,
    "STABLEHLO_SHIFT_LEFT": _elements(_shift_left, _INTEGERS),
}
