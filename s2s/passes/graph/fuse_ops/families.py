"""Join the groups that are steps of one operator of integers, so that it is one kernel.

    group 1: reduce_max {part_of = "softmax_largest"}         group 3: reduce_sum {part_of = "softmax_total"}
    group 2: sub, cast, gather {part_of = "softmax_powers"}   group 4: mul, shift, … {part_of = "softmax_shares"}
->
    one group, `softmax`

The steps bear the label of one function, up to its first word, and the same source node. Only for integers, which are
equal in every order of sums, and where one step computes all that others read: no path leaves the steps and returns.
"""

from collections.abc import Sequence
from typing import NamedTuple

from s2s.dialects.graph import FusionKind
from s2s.dialects.graph.traits import part_of, provenance
from s2s.passes.graph.fuse_ops.dataflow import Node
from s2s.types.dtypes import as_tensor_type, is_float

Groups = list[list[int]]


class _Family(NamedTuple):
    """The function and the source nodes that steps have in common."""

    function: str
    nodes: tuple[str, ...]


def join_families(nodes: Sequence[Node], groups: Groups, max_depth: int) -> Groups:
    """Return `groups`, with the steps of each operator of integers in one."""
    families: dict[_Family, list[list[int]]] = {}
    for members in groups:
        if (family := _family(nodes, members)) is not None:
            families.setdefault(family, []).append(members)
    joined: Groups = []
    for steps in families.values():
        members = sorted(index for group in steps for index in group)
        if len(steps) > 1 and len(members) <= max_depth and _has_one_result(nodes, members):
            joined.append(members)
    taken = {index for members in joined for index in members}
    kept = [members for members in groups if members[0] not in taken]
    return sorted([*kept, *joined], key=lambda members: members[-1])


def _family(nodes: Sequence[Node], members: Sequence[int]) -> _Family | None:
    """Return what the operations of a group have in common; None if they are no steps of one operator of integers."""
    families: set[_Family | None] = set()
    for index in members:
        node = nodes[index]
        if node.op is None or node.kind > FusionKind.REDUCTION or not part_of(node.op):
            return None
        if any(is_float(as_tensor_type(value.type).element_type) for value in (*node.op.operands, *node.op.results)):
            return None
        families.add(_Family(part_of(node.op).partition("_")[0], provenance(node.op)))
    return families.pop() if len(families) == 1 else None


def _has_one_result(nodes: Sequence[Node], members: Sequence[int]) -> bool:
    """Return whether operations outside read one result of the members, the last one, only."""
    inside = set(members)
    return not any(
        nodes[index].is_output or any(user not in inside for user, _ in nodes[index].users) for index in members[:-1]
    )
