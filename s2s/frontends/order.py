"""Sort: find the largest or smallest elements in order by counting, without data-dependent control flow."""

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.any_node import AnyNode
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, equal, greater, less, pad, reshape, select, unsqueeze

BLOCK_OF_COUNTS = 4
"""A block is so many times longer than what is taken from it."""
MIN_BLOCK = 32
"""Elements of a block at least."""


def largest(node: AnyNode, x: Value, count: int, *, last: bool = False) -> tuple[Value, Value]:
    """Return the `count` largest elements along the last dimension and their positions; the smallest ones if `last`.

    All pairs of a long row are too many: the first of each block go on, until they fill one block. Among equal elements
    the one with the lower place comes first: blocks keep their order.
    """
    if count == 1:
        only = emit(graph.ArgminOp if last else graph.ArgmaxOp, x, axis=x.rank - 1, keepdims=True, element_type=i32)
        return _at(x, only), only
    places: Value | None = None
    block = max(MIN_BLOCK, BLOCK_OF_COUNTS * count)
    while block < x.shape[-1]:
        x, places = _first_of_blocks(node, x, places, block, count, last)
    node.require_small(x.shape[-1] ** 2, "the comparison of all pairs")
    picked = _first(node, x, count, last)
    return _at(x, picked), picked if places is None else _at(places, picked)


def _first_of_blocks(
    node: AnyNode, x: Value, places: Value | None, block: int, count: int, last: bool
) -> tuple[Value, Value]:
    """The first `count` of each block of the last dimension, side by side, and their places. What fills up the last
    block comes behind everything else."""
    *outer, size = x.shape
    blocks = -(-size // block)

    def divided(whole: Value, fill: float) -> Value:
        ends = [*[0] * len(outer), blocks * block - size]
        return reshape(pad(whole, [0] * whole.rank, ends, value=fill), [*outer, blocks, block])

    x = divided(x, _end(x.dtype, last))
    picked = _first(node, x, count, last)
    first = node.constant(np.arange(blocks)[:, None] * block, np.int32)
    found = picked + first if places is None else _at(divided(places, 0), picked)
    return reshape(_at(x, picked), [*outer, blocks * count]), reshape(found, [*outer, blocks * count])


def _end(dtype: np.dtype[np.generic], last: bool) -> float:
    """Return a value that sorts behind all numbers."""
    if dtype.kind == "f":
        return np.inf if last else -np.inf
    info = np.iinfo(dtype.str)
    return info.max if last else info.min


def _first(node: AnyNode, x: Value, count: int, last: bool) -> Value:
    """Where the first `count` along the last dimension stand, in order: an element's rank is the number of those that
    come before it. Floats are counted in floats, so that vectors can do it."""
    axis, size = x.rank - 1, x.shape[-1]
    kind = np.dtype(np.float32) if x.dtype == np.float32 else np.dtype(np.int32)
    ours, others = unsqueeze(x, [axis + 1]), unsqueeze(x, [axis])  # […, i, 1] and […, 1, j]
    numbers, one = node.constant(np.arange(size), kind), node.constant(1, kind)
    before, not_behind = (less, graph.LessEqualOp) if last else (greater, graph.GreaterEqualOp)
    if_earlier = select(emit(not_behind, others, ours), one, 0)
    ahead = select(less(numbers, unsqueeze(numbers, [1])), if_earlier, select(before(others, ours), one, 0))
    rank = emit(graph.ReduceSumOp, ahead, axes=[axis + 1])
    hit = equal(unsqueeze(rank, [axis]), node.constant(np.arange(count)[:, None], kind))  # […, rank, i]
    return cast(emit(graph.ReduceSumOp, select(hit, numbers, 0), axes=[axis + 1]), np.dtype(np.int32))


def _at(x: Value, picked: Value) -> Value:
    """Return the elements of `x` at the positions `picked` of its last dimension."""
    return emit(graph.GatherElementsOp, x, picked, axis=x.rank - 1)
