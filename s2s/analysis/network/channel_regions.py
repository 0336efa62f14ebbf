"""Find the regions of a network that compute on images with their channels first, and can have them last as well.

    %a = graph.conv %x, %w          a region of %x, %a, %b: each operator in it takes its data in any order of axes
    %b = graph.add %a, %x
    %y = graph.reshape %b           no order but the model's: %b is at a border, where a transpose would stand

A region holds a convolution or a pool with its channels first. Tensors that an operator combines are in one region.
"""

from collections.abc import Iterator
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.axis_order import channels_last, data_of, reordered
from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.dialects.graph.pool import PoolOp
from s2s.support.frozen import frozen

RANKS = range(3, 6)
"""The ranks of images, with one to three spatial dimensions."""


@frozen
class Region:
    """Operators that can have the channels of their data last, in order."""

    ops: tuple[Operation, ...]
    read: tuple[SSAValue, ...]
    """Tensors of others that they read."""
    given: tuple[SSAValue, ...]
    """Tensors of theirs that others read, outputs of the network included."""

    @property
    def moved(self) -> int:
        """The elements that transposes at the borders move."""
        return sum(prod(type_of(value).get_shape()) for value in (*self.read, *self.given) if moves_data(value))

    @property
    def work(self) -> int:
        """The multiply-adds of its layers."""
        return sum(map(multiply_adds, self.ops))


def moves_data(value: SSAValue) -> bool:
    """Return whether channels of a tensor lie elsewhere if they come last: there are several, of several pixels."""
    _, channels, *spatial = type_of(value).get_shape()
    return channels > 1 < prod(spatial)


def regions(main: FuncOp) -> Iterator[Region]:
    """Yield the regions of a network whose channels can come last."""
    parents: dict[Operation, Operation] = {}
    for op in main.body.block.ops:
        rank = type_of(op.results[0]).get_num_dims() if len(op.results) == 1 else 0
        if rank not in RANKS or reordered(op, channels_last(rank)) is None:
            continue
        parents[op] = op
        for value in data_of(op):
            if isinstance(value.owner, Operation) and value.owner in parents and _rank(value) == rank:
                parents[_root(parents, value.owner)] = op
    groups: dict[Operation, list[Operation]] = {}
    for op in parents:
        groups.setdefault(_root(parents, op), []).append(op)
    yield from (_region(ops) for ops in groups.values() if any(map(_shows_channels, ops)))


def _rank(value: SSAValue) -> int:
    return type_of(value).get_num_dims()


def _root(parents: dict[Operation, Operation], op: Operation) -> Operation:
    while parents[op] is not op:
        op = parents[op]
    return op


def _shows_channels(op: Operation) -> bool:
    return isinstance(op, graph.ConvFamilyOp | PoolOp)


def _region(ops: list[Operation]) -> Region:
    members, rank = set(ops), _rank(ops[0].results[0])
    computed = {op.results[0] for op in ops}
    read = [value for op in ops for value in data_of(op) if value not in computed and not is_known(value)]
    results = [op.results[0] for op in ops if any(use.operation not in members for use in op.results[0].uses)]
    return Region(tuple(ops), tuple(value for value in dict.fromkeys(read) if _rank(value) == rank), tuple(results))
