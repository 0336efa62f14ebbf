"""Calls of C functions that the user or a code generator supplies."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any, write_any
from s2s.dialects.operation import Op, op_definition


@op_definition
class CallbackOp(Op, AccessInterface, PathInterface):
    """`function(outputs…, inputs…);`: a function that is no kernel of ours, which writes all elements of its outputs.

    `meaning` names the function of the module `@meanings` that computes the first outputs; the others are scratch.
    """

    name = "loop.callback"

    function = prop_def(StringAttr)
    meaning = opt_prop_def(StringAttr)
    outputs = var_operand_def(MemRefType)
    inputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$function `sets` `(` $outputs `)` `from` `(` $inputs `)` attr-dict"
        " `:` `(` type($outputs) `)` `,` `(` type($inputs) `)`"
    )

    def __init__(
        self, function: str, outputs: Sequence[SSAValue], inputs: Sequence[SSAValue], meaning: str | None = None
    ) -> None:
        super().__init__(
            operands=[outputs, inputs],
            properties={
                "function": StringAttr(function),
                "meaning": None if meaning is None else StringAttr(meaning),
            },
        )

    def accesses(self) -> Sequence[Access]:
        return [*map(write_any, self.outputs), *map(read_any, self.inputs)]

    def turns(self) -> Sequence[Turn]:
        return [Turn(f"calls {self.function.data}, whose path nobody has stated", repeats=True)]

    def verify_(self) -> None:
        if not self.outputs:
            raise VerifyException(f"{self.function.data} sets nothing, expected at least one output")


__all__ = ["CallbackOp"]
