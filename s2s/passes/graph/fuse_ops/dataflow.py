"""Build the dataflow graph of a function, with edges from operations to users, and its post-dominator tree.

Source of the construction: TVM's fusion (`IndexedForwardGraph` and `DominatorTree` in
`src/relay/analysis/graph_partitioner.cc` of v0.12).
"""

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.support.mutable import mutable
from s2s.types.dtypes import as_tensor_type

TUPLE = 7
"""The kind of the node that gathers the operands of a concatenation: TVM's `kTuple`."""


@mutable
class Node:
    """One operation, or the operands of a concatenation taken together (`op` is None), and the edges to its users."""

    op: Operation | None
    kind: int
    users: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Pairs of a user node and the fusion kind with which it reads the value."""
    is_output: bool = False
    """Whether the function returns the value."""


class PostDominator(NamedTuple):
    """The first node that all paths from here to the outputs share, and the most general edge kind on these paths."""

    parent: int | None
    edge: int
    depth: int


def dataflow(function: FuncOp) -> list[Node]:
    """Build a node for each operation but constants and the return; operands come before users."""
    nodes: list[Node] = []
    producer: dict[SSAValue, int] = {}
    for op in function.body.block.ops:
        if op.has_trait(IsTerminator):
            for operand in op.operands:
                if operand in producer:
                    nodes[producer[operand]].is_output = True
            continue
        if isinstance(op, graph.ConstantInterface):
            continue
        if isinstance(op, graph.ConcatOp):
            nodes.append(Node(None, TUPLE))
            _connect(nodes, producer, op)
            nodes.append(Node(op, FusionKind.INJECTIVE))
            nodes[-2].users.append((len(nodes) - 1, FusionKind.INJECTIVE))
        else:
            nodes.append(Node(op, fusion_kind(op)))
            _connect(nodes, producer, op)
        for result in op.results:
            producer[result] = len(nodes) - 1
    return nodes


def _connect(nodes: list[Node], producer: dict[SSAValue, int], op: Operation) -> None:
    """Register the last node as a user of the operands of `op`."""
    user = len(nodes) - 1
    for operand in dict.fromkeys(op.operands):
        if operand in producer:
            nodes[producer[operand]].users.append((user, _edge(op, operand)))


def _edge(op: Operation, operand: SSAValue) -> int:
    """The kind with which `op` reads `operand`: elementwise instead of broadcast if the shapes are equal."""
    kind = fusion_kind(op)
    if kind == FusionKind.BROADCAST:
        shapes = (as_tensor_type(value.type).get_shape() for value in (operand, op.results[0]))
        return FusionKind.ELEMENTWISE if len(set(shapes)) == 1 else kind
    return kind


def post_dominators(nodes: Sequence[Node]) -> list[PostDominator]:
    """Compute the post-dominator tree, from the outputs upwards."""
    tree: list[PostDominator] = [PostDominator(None, FusionKind.OPAQUE, 1)] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node.is_output or not node.users:
            continue
        parent, edge = node.users[0]
        common: int | None = parent
        for user, kind in node.users[1:]:
            edge = max(edge, kind)
            if common is not None:
                common, edge = _common_ancestor(tree, common, user, edge)
        tree[index] = PostDominator(common, edge, 1 if common is None else tree[common].depth + 1)
    return tree


def _common_ancestor(tree: Sequence[PostDominator], a: int, b: int, edge: int) -> tuple[int | None, int]:
    """The lowest common ancestor of two nodes in the tree, and the most general edge kind on both paths."""
    left: int | None = a
    right: int | None = b
    while left != right:
        if left is None or right is None:
            return None, edge
        left_depth, right_depth = tree[left].depth, tree[right].depth
        if left_depth >= right_depth:
            edge = max(edge, tree[left].edge)
            left = tree[left].parent
        if right_depth >= left_depth:
            edge = max(edge, tree[right].edge)
            right = tree[right].parent
    return left, edge
