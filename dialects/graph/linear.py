"""The matrix product."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, traits_def

from s2s.analysis.dtypes import AnyTensor
from s2s.analysis.shapes import linear
from s2s.dialects.graph.base import TENSOR, GraphOp, Value, flag, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind


@irdl_op_definition
class MatmulOp(GraphOp):
    """`y[…, i, j] = sum_k a[…, i, k] * b[…, k, j]`; leading dimensions broadcast as in numpy.

    `transpose_a` and `transpose_b` swap the last two dimensions of an operand first.
    """

    name = "graph.matmul"
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$a `,` $b attr-dict `:` functional-type(operands, results)"

    def __init__(self, a: Value, b: Value, *, transpose_a: bool = False, transpose_b: bool = False) -> None:
        super().__init__([a, b], {"transpose_a": flag(transpose_a), "transpose_b": flag(transpose_b)})

    def inferred_type(self) -> AnyTensor:
        transpose_a, transpose_b = self.transpose_a is not None, self.transpose_b is not None
        return linear.matmul(type_of(self.a), type_of(self.b), transpose_a, transpose_b)
