"""Operations on windows that slide over the frames of a stream, of which each run takes the new ones.

%moved = graph.advance %old {by = 2}                     tensor<1x64x34xf32>, two frames a run
%window = graph.insert_slice %moved, %new {starts = [0, 0, 32]}
"""

from collections.abc import Sequence

from xdsl.irdl import operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, integer, ints, type_of
from s2s.dialects.graph.interfaces import RareInterface, StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import sliding


@op_definition
class AdvanceOp(GraphOp, StepInterface, RareInterface):
    """`y[i] = x[i + by]` over elements in row-major order; the last `by` elements have no defined value.

    In row-major order all rows move at once: what leaves one row at its front enters the row before at its end, where
    the new frames replace it. `slack` is how many elements of memory a network keeps behind those of `x`: the window
    moves through them from run to run, and its elements are copied when it reaches the end (`loop.advance`).
    """

    name = "graph.advance"
    x = operand_def(TENSOR)
    by = prop_def(INT)
    slack = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, by: int, slack: int = 0) -> None:
        super().__init__([x], {"by": integer(by), "slack": integer(slack)})

    def inferred_type(self) -> AnyTensor:
        return sliding.advance(type_of(self.x), self.by.value.data)

    def verify_(self) -> None:
        super().verify_()
        slack, by = self.slack.value.data, self.by.value.data
        if slack < 0 or slack % by:
            raise VerifyException(f"{self.name}: slack is {slack}, expected a multiple of by = {by}")


@op_definition
class InsertSliceOp(GraphOp, RareInterface):
    """`y = x`, with the elements of `u` in place of its own from `starts` on."""

    name = "graph.insert_slice"
    x = operand_def(TENSOR)
    u = operand_def(TENSOR)
    starts = prop_def(INTS)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x `,` $u attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, u: Value, *, starts: Sequence[int]) -> None:
        super().__init__([x, u], {"starts": ints(starts)})

    def inferred_type(self) -> AnyTensor:
        return sliding.insert_slice(type_of(self.x), type_of(self.u), self.starts.get_values())
