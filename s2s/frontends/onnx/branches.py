"""Branches that give tensors of different sizes.

Each fills its result up to the greater sizes, of which a run then takes as many as the branch that ran has:

    y = If (c) <then: tensor<5x4>, else: tensor<2x4>>
->
    table = If (c) <then: tensor<5x4>, else: pad to tensor<5x4>>
    y     = Gather (table, the places 0 … below 5 if c else 2)       of the size k, at most 5
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import less, pad, reshape, select
from s2s.frontends.networks import Formulas, Kind, Values, branch
from s2s.frontends.onnx.narrow import marked
from s2s.frontends.onnx.node import Node
from s2s.frontends.selection import true_places
from s2s.frontends.sized_padding import pad_by_sizes
from s2s.types.size import alike as same
from s2s.types.size import all_plain, greatest, is_empty

_SIZE = np.dtype(np.int64)
Shape = tuple[int, ...]


def branch_of_sizes(
    node: Node,
    condition: Value,
    branches: tuple[Formulas, Formulas],
    kinds: tuple[Sequence[Kind], Sequence[Kind]],
    inputs: Sequence[Value],
) -> list[Value]:
    """The results of one of two branches, which give values of different kinds."""
    bounds = [_bound(node, *pair) for pair in zip(*kinds, strict=True)]
    node.require_small(sum(map(prod, bounds)), "what the branches give, in different sizes,")
    builder = node.builder
    then, otherwise = (_filled(each, bounds) for each in branches)
    tables = branch(builder, builder.node, condition, then, otherwise, inputs)
    places: dict[tuple[int, int], Value] = {}
    results: list[Value] = []
    for table, yes, no in zip(tables, *kinds, strict=True):
        result = table
        for axis, sizes in enumerate(zip(yes.type.get_shape(), no.type.get_shape(), strict=True)):
            if not same([sizes[0]], [sizes[1]]):
                if sizes not in places:
                    places[sizes] = _places(builder, condition, sizes)
                result = marked(emit(graph.GatherOp, result, places[sizes], axis=axis), table.narrow)
        results.append(result)
    return results


def _bound(node: Node, then: Kind, otherwise: Kind) -> Shape:
    """The greater sizes of two results."""
    one, other = then.type.get_shape(), otherwise.type.get_shape()
    alike = then.type.element_type == otherwise.type.element_type and then.narrow == otherwise.narrow
    if len(one) != len(other) or not alike:
        raise node.waits(
            f"the branches give {then} and {otherwise}, and the condition is computed at run time",
            "make the condition a constant, or the outputs equal in rank and type",
        )
    return tuple(map(max, greatest(one), greatest(other)))


def _filled(formulas: Formulas, bounds: Sequence[Shape]) -> Formulas:
    """A branch whose results have the sizes `bounds`, with zeros at their ends."""

    def filled(inner: Builder, values: Values) -> Values:
        return [_filled_up(value, bound) for value, bound in zip(formulas(inner, values), bounds, strict=True)]

    return filled


def _filled_up(value: Value, bound: Shape) -> Value:
    if same(value.shape, bound):
        return value
    if is_empty(value.shape):
        return marked(value.builder.filled(0, bound, value.dtype), value.narrow)
    low, high = [0] * value.rank, [most - size for most, size in zip(bound, value.shape, strict=True)]
    if all_plain(high):
        return marked(pad(value, low, high), value.narrow)
    return marked(pad_by_sizes(value, low, high, "constant", value.like(0)), value.narrow)


def _places(builder: Builder, condition: Value, sizes: tuple[int, int]) -> Value:
    """The numbers below that one of `sizes` which `condition` chooses."""
    yes, no = (builder.sizes(size, _SIZE) for size in sizes)
    return true_places(less(builder.counted(max(greatest(sizes)), _SIZE), select(reshape(condition, []), yes, no)))
