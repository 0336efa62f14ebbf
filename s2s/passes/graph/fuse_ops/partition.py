"""Partition operations into kernels by TVM's fusion rules, in three phases over the post-dominator tree.

A node joins its immediate post-dominator, with all nodes on the paths between, if every node on these paths fits. So a
group has one output value, and no node outside lies on a path between two of its members.

Phase 0: a convolution or similar operator joins the elementwise operations that follow it.
Phases 0 and 1: elementwise operations join injective operations, reductions, and groups of phase 0.
Phase 1: injective operations join chains of operations that are at most injective; convolutions come first.
Phase 2: producers that are at most injective join a concatenation, unless they joined a more general group.

A transpose of few channels joins the convolution that reads it, in phase 0: a convolution reads them apart as well.

One rule is stricter than TVM's: between an elementwise operation and the group of a convolution there may only be
elementwise operations, since an epilogue that moves elements cannot be computed on the output tile.
"""

from collections.abc import Callable

from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.traits import part_of
from s2s.passes.graph.function_args import ArgumentLimits
from s2s.passes.graph.fuse_ops.dataflow import TUPLE, Node, PostDominator, post_dominators
from s2s.passes.graph.fuse_ops.widening import sink_widening
from s2s.support.mutable import mutable

FEW_CHANNELS = 4
"""The most channels that a convolution reads as well where they lie apart."""
Condition = Callable[[int, bool], bool]
"""Tells whether a group of this kind may lie on the path; the flag is true at the end of the path."""


@mutable
class FusionGroup:
    """A set of nodes that share a kernel: a union-find tree, whose root holds the data of the set."""

    kind: int
    is_anchor: bool
    size: int = 1
    reads: int = 0
    """An upper bound of how many tensors its kernel reads."""
    parent: "FusionGroup | None" = None

    def root(self) -> "FusionGroup":
        """The root of this group's tree; shortens the path on the way."""
        found = self
        while found.parent is not None:
            found = found.parent
        step: FusionGroup = self
        while step.parent is not None:
            step.parent, step = found, step.parent
        return found


class Partition:
    """The groups of a function's nodes, and their merging phase by phase."""

    def __init__(self, nodes: list[Node], max_depth: int, limits: ArgumentLimits) -> None:
        self.nodes = nodes
        self.max_depth, self.limits = max_depth, limits
        self.tree = post_dominators(nodes)
        self.groups = [
            FusionGroup(node.kind, node.kind == FusionKind.OUT_FUSABLE, reads=len(node.op.operands) if node.op else 0)
            for node in nodes
        ]

    def run(self) -> None:
        """Merge all groups that the rules allow."""
        for phase in range(3):
            for index, dominator in enumerate(self.tree):
                if self.groups[index].kind != FusionKind.OPAQUE and dominator.parent is not None:
                    self._visit(index, dominator, dominator.parent, phase)

    def members(self) -> list[list[int]]:
        """The nodes of each group in order; groups ordered by their last node."""
        found: dict[int, list[int]] = {}
        for index, group in enumerate(self.groups):
            found.setdefault(id(group.root()), []).append(index)
        return sorted(found.values(), key=lambda group: group[-1])

    def _visit(self, index: int, dominator: PostDominator, sink: int, phase: int) -> None:
        condition = self._concat_rule(index, sink) if phase == 2 else self._rule(index, dominator, sink, phase)
        if condition is not None:
            self._join(index, sink, condition)

    def _rule(self, index: int, dominator: PostDominator, sink: int, phase: int) -> Condition | None:
        """The condition of phases 0 and 1 on the paths from a node to its post-dominator; None if it stays alone."""
        group, target = self.groups[index], self.groups[sink]
        if group.root() is target.root() or target.kind == TUPLE:
            return None
        if group.kind == FusionKind.OUT_FUSABLE:
            elementwise = phase == 0 and dominator.edge == FusionKind.ELEMENTWISE
            return (lambda kind, _: kind <= FusionKind.BROADCAST) if elementwise else None
        if group.kind <= FusionKind.BROADCAST:
            if dominator.edge > FusionKind.REDUCTION:
                return None
            between = FusionKind.INJECTIVE
            if target.root().kind == FusionKind.OUT_FUSABLE:
                between = FusionKind.BROADCAST
            return lambda kind, at_end: kind <= (FusionKind.OUT_FUSABLE if at_end else between)
        if phase == 0 and _is_few_channels(self.nodes[index], self.nodes[sink]):
            return lambda kind, _: kind <= FusionKind.OUT_FUSABLE
        if group.kind in (FusionKind.INJECTIVE, TUPLE) and phase == 1:
            return lambda kind, _: kind <= FusionKind.INJECTIVE
        return None

    def _concat_rule(self, index: int, sink: int) -> Condition | None:
        """The condition of phase 2 on the paths from a producer to a concatenation; None if it stays alone."""
        target = self.groups[sink]
        fused = target.kind == TUPLE and target.root().kind <= FusionKind.INJECTIVE
        if self.groups[index].kind > FusionKind.INJECTIVE or not fused:
            return None
        return lambda kind, _: kind <= FusionKind.INJECTIVE

    def _join(self, source: int, sink: int, condition: Condition) -> None:
        """Merge all nodes from `source` to `sink`, if all satisfy the condition and the kernel stays short enough, with
        few enough arguments."""
        path = self._path(source, sink, condition)
        target = self.groups[sink].root()
        if path is None:
            return
        roots = {id(root): root for root in (self.groups[index].root() for index in path) if root is not target}
        is_short = target.size + sum(root.size for root in roots.values()) <= self.max_depth
        if is_short and self._may_read(sink, [*roots.values(), target]):
            for root in roots.values():
                _merge(root, target)

    def _may_read(self, sink: int, roots: list[FusionGroup]) -> bool:
        """Return whether a function may have as many arguments as the kernel of these groups reads tensors."""
        op = self.nodes[sink].op or self.nodes[sink + 1].op
        limit = None if op is None else self.limits.inputs(op)
        if limit is None or sum(root.reads for root in roots) <= limit:
            return True
        numbers = {id(root) for root in roots}
        inside = [
            node.op
            for node, group in zip(self.nodes, self.groups, strict=True)
            if node.op is not None and id(group.root()) in numbers
        ]
        made: set[SSAValue] = {result for each in inside for result in each.results}
        return len({operand for each in inside for operand in each.operands} - made) <= limit

    def _path(self, source: int, sink: int, condition: Condition) -> list[int] | None:
        """The nodes on paths from `source` to `sink`, without `sink`; None if any of them or `sink` does not fit."""
        path, seen, stack = [source], {source}, [user for user, _ in self.nodes[source].users]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            if not condition(self.groups[index].root().kind, index == sink):
                return None
            if index != sink:
                path.append(index)
                stack.extend(user for user, _ in self.nodes[index].users)
        return path


def _merge(child: FusionGroup, parent: FusionGroup) -> None:
    """Merge `child` into `parent`; only an anchor operator changes the kind of the group."""
    child.parent = parent
    parent.size += child.size
    parent.reads += child.reads
    if child.is_anchor:
        parent.is_anchor = True
        parent.kind = max(parent.kind, child.kind)


def _is_few_channels(node: Node, reader: Node) -> bool:
    """Return whether a node is a transpose of an image with few channels that a convolution alone reads."""
    op, conv = node.op, reader.op
    if not isinstance(op, graph.TransposeOp) or not isinstance(conv, graph.ConvOp):
        return False
    return op.y.has_one_use() and conv.x is op.y and type_of(op.y).get_shape()[conv.in_axis] <= FEW_CHANNELS


def partition(nodes: list[Node], max_depth: int, limits: ArgumentLimits) -> list[list[int]]:
    """The groups of nodes that share a kernel, in an order in which they can run."""
    groups = Partition(nodes, max_depth, limits)
    groups.run()
    members = sink_widening(nodes, groups.members(), max_depth)
    if not any(node.op is not None and part_of(node.op) for node in nodes):
        return members
    from s2s.passes.graph.fuse_ops.families import join_families

    return join_families(nodes, members, max_depth)
