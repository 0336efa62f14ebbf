"""Windows that move through memory from run to run, so that what they keep is not copied."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.interfaces import Access, AccessEffects, AccessInterface, read_any, write_any
from s2s.dialects.operation import Op, op_definition


@op_definition
class AdvanceOp(Op, AccessInterface):
    """Move the window that starts at element `position[0]` of `memory` on by `by` elements; `result` is the window.

    Where it would leave the memory, its elements are copied to the start. Without slack, elements behind the window,
    there is no position, and every run copies. The last `by` elements are undefined until they are written.

        memory of 8, window of 4, by 2:   [0..4) -> [2..6) -> [4..8) -> copied, [0..4)
    """

    name = "loop.advance"

    memory = operand_def(MemRefType)
    position = opt_operand_def(MemRefType)
    by = prop_def(IntegerAttr[I64])
    result = result_def(MemRefType)
    traits = traits_def(AccessEffects(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$memory (`at` $position^ `:` type($position))? attr-dict `:` type($memory) `->` type($result)"

    def __init__(
        self, memory: SSAValue, position: SSAValue | None, result_type: MemRefType[Attribute], *, by: int
    ) -> None:
        super().__init__(
            operands=[memory, position], properties={"by": IntegerAttr(by, i64)}, result_types=[result_type]
        )

    @property
    def slack(self) -> int:
        """The elements of memory behind a window at the start."""
        memory, window = check_flat(self, self.memory.type), check_flat(self, self.result.type)
        return memory.get_shape()[0] - window.get_shape()[0]

    def accesses(self) -> Sequence[Access]:
        buffers = [self.memory, *([] if self.position is None else [self.position])]
        return [access(each) for each in buffers for access in (write_any, read_any)]

    def verify_(self) -> None:
        by, window = self.by.value.data, check_flat(self, self.result.type)
        if window.element_type != check_flat(self, self.memory.type).element_type:
            raise VerifyException(f"{self.name}: a window {window} of memory {self.memory.type}")
        if not 0 < by < window.get_shape()[0] or self.slack < 0 or self.slack % by:
            raise VerifyException(f"{self.name}: {window} moves by {by} in memory with {self.slack} elements more")
        if (self.position is None) != (self.slack == 0):
            raise VerifyException(f"{self.name}: a position belongs to memory with slack, and it has {self.slack}")
        if self.position is not None and self.position.type != MemRefType(i32, [1]):
            raise VerifyException(f"{self.name}: the position is {self.position.type}, expected memref<1xi32>")


__all__ = ["AdvanceOp"]
