"""The base class of operations that lowerings create by the thousands."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects.operation import Op, value_of


class PlainOp(Op):
    """An operation without regions and segments, which is given all of its operands and results in one list each.

    xDSL's constructor asks each of them whether it is a list of its own, which takes most of the time that a lowering
    to thousands of operations needs.
    """

    def __init__(
        self,
        operands: Sequence[SSAValue | Operation] = (),
        properties: Mapping[str, Attribute | None] | None = None,
        result_types: Sequence[Attribute] = (),
    ) -> None:
        self._initialise([value_of(each) for each in operands], properties or {}, result_types)
