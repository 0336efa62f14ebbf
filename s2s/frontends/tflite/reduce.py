"""Reductions along axes, searches for extremes, running sums.

Floats: REDUCE_MAX, REDUCE_MIN, ARG_MAX and ARG_MIN equal the reference; sums are compared with a tolerance of 3e-6 of
the largest magnitude (running sums 1e-6), since kernels add in an order of their own. NaN counts as an extreme, which
the reference leaves to chance.
"""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import cast
from s2s.frontends.order import largest
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import centered, require_kinds, scaled, symmetric
from s2s.frontends.tflite.binary import from_common_scale
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor
from s2s.types.dtypes import from_numpy

OperationClass = Callable[..., Operation]


def _axes(node: Node, x: Tensor) -> list[int]:
    """The axes to reduce, each once; the file may repeat them."""
    given = node.known_ints(1, "the list of axes")
    return sorted({node.axis(axis, x.rank) for axis in given}) if x.rank else []


def _reduced(node: Node, operation: OperationClass, x: Value, axes: list[int]) -> Value:
    return emit(operation, x, axes=axes, keepdims=bool(node.options.KeepDims())) if axes else x


def _quantised_sum(node: Node, x: Tensor, axes: list[int], *, mean: bool) -> Value:
    """The sum of the stored numbers, less their zero points, rescaled; a mean's divisor is part of the multiplier."""
    symmetric(node, x)
    (scale_x, zero_x), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    count = prod(x.shape[axis] for axis in axes)
    multiplier, shift = quantize_multiplier(scale_x / scale_y)
    if mean:
        bits = min(count.bit_length() - 1, 32, 31 + shift)
        multiplier, shift = (multiplier << bits) // count, shift - bits
    total = _reduced(node, graph.ReduceSumOp, cast(x.value, I32), axes)
    shifted = total - zero_x * count if zero_x else total
    return scaled(shifted, (multiplier, shift), x.dtype, output_zero=zero_y)


def _mean(node: Node) -> Value:
    x = node.input(0)
    axes = _axes(node, x)
    if require_kinds(node, (x,), "float32", "int8", "int16") == "float32":
        return _reduced(node, graph.ReduceMeanOp, x.value, axes)
    return _quantised_sum(node, x, axes, mean=True)


def _sum(node: Node) -> Value:
    x = node.input(0)
    axes = _axes(node, x)
    if require_kinds(node, (x,), "float32", "int8", "int16") == "float32":
        return _reduced(node, graph.ReduceSumOp, x.value, axes)
    return _quantised_sum(node, x, axes, mean=False)


def _extreme(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x = node.input(0)
        if require_kinds(node, (x,), "float32", "int8") == "int8" and x.scalar() != node.output_type().scalar():
            raise node.invalid("its result has another scale or zero point than its operand", "quantise it again")
        return _reduced(node, operation, x.value, _axes(node, x))

    return importer


def _truth(operation: OperationClass) -> Importer:
    """Whether all hold as the least truth value, whether any holds as the largest."""

    def importer(node: Node) -> Value:
        x = node.input(0)
        require_kinds(node, (x,), "bool")
        return _reduced(node, operation, x.value, _axes(node, x))

    return importer


def _product(node: Node) -> Value:
    x = node.input(0)
    require_kinds(node, (x,), "float32", "int32", "int64")
    return _reduced(node, graph.ReduceProdOp, x.value, _axes(node, x))


def _top_k(node: Node) -> list[Value]:
    x, counts = node.input(0), node.known_ints(1, "the number of elements to take")
    require_kinds(node, (x,), "float32", "int8", "uint8", "int16", "int32", "int64")
    if len(counts) != 1 or x.rank == 0 or not 0 < counts[0] <= x.shape[-1]:
        raise node.invalid(f"takes {counts} elements of {list(x.shape)}", "take 1 up to the size of the last dimension")
    return list(largest(x.value, counts[0]))


def _arg(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x, axes = node.input(0), node.known_ints(1, "the axis")
        require_kinds(node, (x,), "float32", "int8", "int16", "int32")
        if len(axes) != 1:
            raise node.invalid(f"searches along {len(axes)} axes", "give one")
        place = node.output_type().dtype
        if place.name not in ("int32", "int64"):
            raise node.invalid(f"its result is {place.name}", "make it int32 or int64")
        return emit(operation, x.value, axis=node.axis(axes[0], x.rank), element_type=from_numpy(place))

    return importer


def _cumsum(node: Node) -> Value:
    x, axes = node.input(0), node.known_ints(1, "the axis")
    kind = require_kinds(node, (x,), "float32", "int8", "int32")
    if len(axes) != 1:
        raise node.invalid(f"sums along {len(axes)} axes", "give one")
    how = {"exclusive": bool(node.options.Exclusive()), "reverse": bool(node.options.Reverse())}
    axis = node.axis(axes[0], x.rank)
    if kind != "int8":
        return running_sum(x.value, axis, **how)
    scale, zero = x.scalar()
    # The reference starts the sum at the number 0 in place of the zero point.
    total = running_sum(centered(x), axis, **how) - zero
    return from_common_scale(node, fixed.shifted_left(total, 19), 2 / 2**20 * scale / node.output_type().scalar()[0])


IMPORTERS: Mapping[str, Importer] = {
    "ARG_MAX": _arg(graph.ArgmaxOp),
    "ARG_MIN": _arg(graph.ArgminOp),
    "CUMSUM": _cumsum,
    "MEAN": _mean,
    "REDUCE_ALL": _truth(graph.ReduceMinOp),
    "REDUCE_ANY": _truth(graph.ReduceMaxOp),
    "REDUCE_MAX": _extreme(graph.ReduceMaxOp),
    "REDUCE_MIN": _extreme(graph.ReduceMinOp),
    "REDUCE_PROD": _product,
    "SUM": _sum,
    "TOPK_V2": _top_k,
}
