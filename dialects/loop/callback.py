"""Calls of C functions that the user supplies."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class CallbackOp(IRDLOperation):
    """`function(outputs…, inputs…);`: a function of the user, which writes all elements of its outputs."""

    name = "loop.callback"

    function = prop_def(StringAttr)
    outputs = var_operand_def(MemRefType)
    inputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$function `sets` `(` $outputs `)` `from` `(` $inputs `)` attr-dict"
        " `:` `(` type($outputs) `)` `,` `(` type($inputs) `)`"
    )

    def __init__(self, function: str, outputs: Sequence[SSAValue], inputs: Sequence[SSAValue]) -> None:
        super().__init__(operands=[outputs, inputs], properties={"function": StringAttr(function)})

    def verify_(self) -> None:
        if not self.outputs:
            raise VerifyException(f"{self.function.data} sets nothing, expected at least one output")
