"""Move a widening conversion at the end of a group into the reading group, so that tensors between kernels are narrow.

    group 1: conv, …, cast to i8, cast to f32, mul        group 2: add, …
->
    group 1: conv, …, cast to i8                          group 2: cast to f32, mul, add, …

Only where one group reads the value, elementwise or in a reduction.
"""

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind
from s2s.passes.graph.fuse_ops.dataflow import Node
from s2s.types.dtypes import as_tensor_type, size_in_bytes

Groups = list[list[int]]


def sink_widening(nodes: list[Node], groups: Groups, max_depth: int) -> Groups:
    """`groups` with their trailing widening operations moved to their readers."""
    home = {index: number for number, members in enumerate(groups) for index in members}
    inputs = [0] * len(nodes)
    for node in nodes:
        for user, _ in node.users:
            inputs[user] += 1
    for number, members in enumerate(groups):
        tail = _widening_end(nodes, members, inputs)
        if not tail or len(tail) == len(members):
            continue
        readers = {home[user] for user, _ in nodes[tail[-1]].users}
        if len(readers) != 1 or nodes[tail[-1]].is_output:
            continue
        reader = groups[next(iter(readers))]
        if _can_take(nodes, reader, nodes[tail[-1]]) and len(reader) + len(tail) <= max_depth:
            groups[number] = [index for index in members if index not in set(tail)]
            reader[:0] = tail
            home |= dict.fromkeys(tail, next(iter(readers)))
    return sorted((sorted(members) for members in groups), key=lambda members: members[-1])


def _widening_end(nodes: list[Node], members: list[int], inputs: list[int]) -> list[int]:
    """The chain of operations at the end of a group, starting with a conversion to larger elements."""
    inside = set(members)
    before = {user: index for index in members for user, _ in nodes[index].users if user in inside}
    tail = [members[-1]]
    while True:
        node = nodes[tail[0]]
        if node.kind > FusionKind.BROADCAST or inputs[tail[0]] != 1 or tail[0] not in before:
            return []
        if isinstance(node.op, graph.CastOp) and _size(node) > size_in_bytes(
            as_tensor_type(node.op.x.type).element_type
        ):
            return tail if _size(nodes[tail[-1]]) == _size(node) else []
        previous = before[tail[0]]
        if len(nodes[previous].users) != 1:
            return []
        tail.insert(0, previous)


def _size(node: Node) -> int:
    """Bytes per element of a node's result."""
    return 0 if node.op is None else size_in_bytes(as_tensor_type(node.op.results[0].type).element_type)


def _can_take(nodes: list[Node], reader: list[int], value: Node) -> bool:
    """Whether a group can compute its operand `value` on the fly from a narrower tensor."""
    anchored = any(nodes[index].kind == FusionKind.OUT_FUSABLE for index in reader)
    widest = FusionKind.ELEMENTWISE if anchored else FusionKind.REDUCTION
    return all(edge <= widest for _, edge in value.users) and all(nodes[index].op is not None for index in reader)
