"""Calls of routines of the runtime."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, MemRefType, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict, prop_def, var_operand_def

from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any, write_any
from s2s.dialects.operation import Op, op_definition


@op_definition
class ExternOp(Op, AccessInterface):
    """`s2s_routine(outputs…, scratch…, inputs…, numbers…);`: a routine of `runtime_c` on whole buffers.

    It writes all elements of its outputs; what it leaves in its scratch is undefined.
    """

    name = "loop.extern"

    routine = prop_def(StringAttr)
    numbers = prop_def(DenseArrayBase.constr(i64))
    outputs = var_operand_def(MemRefType)
    scratch = var_operand_def(MemRefType)
    inputs = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$routine `sets` `(` $outputs `)` `uses` `(` $scratch `)` `from` `(` $inputs `)` attr-dict"
        " `:` `(` type($outputs) `)` `,` `(` type($scratch) `)` `,` `(` type($inputs) `)`"
    )

    def __init__(
        self,
        routine: StringAttr,
        numbers: DenseArrayBase[I64],
        *,
        outputs: Sequence[SSAValue],
        scratch: Sequence[SSAValue],
        inputs: Sequence[SSAValue],
    ) -> None:
        super().__init__(operands=[outputs, scratch, inputs], properties={"routine": routine, "numbers": numbers})

    def accesses(self) -> Sequence[Access]:
        written = [write_any(each) for each in (*self.outputs, *self.scratch)]
        return [*written, *(read_any(each) for each in (*self.scratch, *self.inputs))]


__all__ = ["ExternOp"]
