"""The matrix product with weights that are quantised by blocks."""

from xdsl.irdl import operand_def, opt_operand_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, integer, optional_type_of, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import blockwise


@op_definition
class BlockwiseMatmulOp(GraphOp):
    """`y[…, i, j] = sum_k x[…, i, k] * (q[j, k] - zero_points[j, k / block]) * scales[j, k / block]`.

    `w[J, blocks, block * bits / 8]` holds the integers `q`, of 4 or 8 bits with sign; with 4 bits a byte holds two
    neighbours, the first in its lower half. The last block may reach beyond the end of `x`. `scales` and `zero_points`
    are `[J, blocks]`; without zero points all are 0.
    """

    name = "graph.blockwise_matmul"
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    zero_points = opt_operand_def(TENSOR)
    bits = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x `,` $w `,` $scales (`,` $zero_points^)? attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, w: Value, scales: Value, zero_points: Value | None = None, *, bits: int) -> None:
        super().__init__([x, w, scales, zero_points], {"bits": integer(bits)})

    @property
    def block(self) -> int:
        """The number of weights that share a scale."""
        return blockwise.block_size(type_of(self.w), self.bits.value.data)

    def inferred_type(self) -> AnyTensor:
        x, w, scales, zero_points = type_of(self.x), type_of(self.w), type_of(self.scales), self.zero_points
        return blockwise.matmul(x, w, scales, optional_type_of(zero_points), self.bits.value.data)
