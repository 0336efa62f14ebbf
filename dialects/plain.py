"""The base of operations of which a lowering makes thousands."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from s2s.dialects.operation import Op


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
        values = [each if type(each) is OpResult else SSAValue.get(each) for each in operands]
        self._initialise(values, properties or {}, result_types)
