"""Operations that select elements: the result tells which, and how many there are depends on the data."""

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryWriteEffect

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, string, type_of
from s2s.dialects.graph.interfaces import ReadsSizesInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import selection


@op_definition
class NonzeroOp(GraphOp, ReadsSizesInterface):
    """`y` = the positions of the true elements of `mask`, in order, as `i32`; `count` is their number.

    The type has room for `bound` positions. In a run `y` has `count` of them: that is the size `size` of this run, by
    which later operations know it (`s2s/types/sizes.py`). Where fewer are true, zeros stand behind them here. That the
    size is known is an effect: the operation is not dead where its result is unused, but its size is not.
    """

    name = "graph.nonzero"
    mask = operand_def(TENSOR)
    count = operand_def(TENSOR)
    size = prop_def(StringAttr)
    bound = prop_def(INT)
    traits = traits_def(MemoryWriteEffect(), HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$mask `,` $count attr-dict `:` functional-type(operands, results)"

    def __init__(self, mask: Value, count: Value, *, size: str, bound: int) -> None:
        super().__init__([mask, count], {"size": string(size), "bound": integer(bound)})

    def inferred_type(self) -> AnyTensor:
        return selection.nonzero(type_of(self.mask), type_of(self.count), self.bound.value.data)


@op_definition
class NonMaxSuppressionOp(GraphOp, ReadsSizesInterface):
    """`y[b, c]` = the numbers of at most `most` boxes of image `b` that class `c` chooses, -1 behind the last one.

    A class takes boxes `boxes[b, n]` in the order of `scores[b, c, n]`, as long as these are above `least`, and leaves
    out those whose intersection over union with a box that it has taken is above `overlap`. A box is two opposite
    corners, or with `is_centered` its centre, width and height.
    """

    name = "graph.non_max_suppression"
    boxes = operand_def(TENSOR)
    scores = operand_def(TENSOR)
    overlap = operand_def(TENSOR)
    least = operand_def(TENSOR)
    most = prop_def(INT)
    is_centered = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$boxes `,` $scores `,` $overlap `,` $least attr-dict `:` functional-type(operands, results)"

    def __init__(
        self, boxes: Value, scores: Value, overlap: Value, least: Value, *, most: int, is_centered: bool = False
    ) -> None:
        super().__init__([boxes, scores, overlap, least], {"most": integer(most), "is_centered": flag(is_centered)})

    def inferred_type(self) -> AnyTensor:
        return selection.non_max_suppression(
            type_of(self.boxes), type_of(self.scores), type_of(self.overlap), type_of(self.least), self.most.value.data
        )
