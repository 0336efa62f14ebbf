"""Decisions about operators of the graph level, before kernels exist.

Their subject is named by a hash over what the operators do, and on which types: equal groups are decided alike.
"""

from typing import TypeVar

from xdsl.ir import Operation

from s2s.decisions.keys import group_key
from s2s.decisions.kind import Choice, Kind
from s2s.dialects.graph import provenance
from s2s.support.frozen import frozen


@frozen
class OperatorGroup:
    """Operators that are decided together, in dataflow order."""

    home: Operation
    ops: tuple[Operation, ...]


Group = TypeVar("Group", bound=OperatorGroup)


class OperatorKind(Kind[Group, Choice]):
    """A kind whose subjects are operators."""

    def key(self, subject: Group) -> str:
        return group_key(subject.ops)

    def home(self, subject: Group) -> Operation:
        return subject.home

    def about(self, subject: Group) -> str:
        return ", ".join(op.name.removeprefix("graph.") for op in subject.ops)

    def nodes(self, subject: Group) -> str:
        return ", ".join(dict.fromkeys(node for op in subject.ops for node in provenance(op)))
