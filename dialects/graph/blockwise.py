"""Matrix products with weights that are quantised by blocks."""

from math import prod

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, optional_type_of, type_of
from s2s.dialects.graph.interfaces import ProductInterface, shape_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import blockwise

DEQUANTISED = "dequantised"
"""Discardable attribute of a product whose packed weights the model has as floats, dequantised from integers."""


@op_definition
class BlockwiseMatmulOp(GraphOp, ProductInterface):
    """`y[…, i, j] = sum_k x[…, i, k] * (q[j, k] - zero_points[j, k / block]) * scales[j, k / block]`.

    `w[J, blocks, block * bits / 8]` holds the integers `q`, of 4 or 8 bits with sign; with 4 bits a byte holds two
    neighbours, the first in its lower half. The last block may reach beyond the end of `x`. `scales` and `zero_points`
    are `[J, blocks]`; without zero points all are 0. `int8_activations` says that the model wants `x` quantised by the
    same blocks to 8 bits first, as `graph-quantize-activations` does.
    """

    name = "graph.blockwise_matmul"
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    zero_points = opt_operand_def(TENSOR)
    bits = prop_def(INT)
    int8_activations = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x `,` $w `,` $scales (`,` $zero_points^)? attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        w: Value,
        scales: Value,
        zero_points: Value | None = None,
        *,
        bits: int,
        int8_activations: bool = False,
    ) -> None:
        super().__init__(
            [x, w, scales, zero_points], {"bits": integer(bits), "int8_activations": flag(int8_activations)}
        )

    @property
    def block(self) -> int:
        """The number of weights that share a scale."""
        return blockwise.block_size(type_of(self.w), self.bits.value.data)

    def inferred_type(self) -> AnyTensor:
        x, w, scales, zero_points = type_of(self.x), type_of(self.w), type_of(self.scales), self.zero_points
        return blockwise.matmul(x, w, scales, optional_type_of(zero_points), self.bits.value.data)

    @property
    def terms(self) -> int:
        return shape_of(self.x)[-1]


@op_definition
class CodebookMatmulOp(GraphOp, ProductInterface):
    """`y[…, i, j] = sum_k x[…, i, k] * table[q[j, k]] * scales[j, k / block]`.

    `w[J, blocks, block / 2]` holds the codes `q` from 0 to 15, two neighbours in a byte, the first in its lower half;
    `table` holds 16 floats. The last block may reach beyond the end of `x`. `scales` are `[J, blocks]`.
    """

    name = "graph.codebook_matmul"
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    table = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x `,` $w `,` $table `,` $scales attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, w: Value, table: Value, scales: Value) -> None:
        super().__init__([x, w, table, scales])

    @property
    def block(self) -> int:
        """The number of weights that share a scale."""
        return blockwise.block_size(type_of(self.w), blockwise.CODE_BITS)

    def inferred_type(self) -> AnyTensor:
        return blockwise.codebook_matmul(*map(type_of, (self.x, self.w, self.table, self.scales)))

    @property
    def terms(self) -> int:
        return shape_of(self.x)[-1]


@op_definition
class BlockwiseDotOp(GraphOp, ProductInterface):
    """Products of integers quantised by blocks, scaled and summed: with `b` a block, `h` and `n` a place in it,

        y[…, i, j] = sum_b x_scales[…, i, b] * scales[j, b] * sum_{h, n} x[…, i, b, h, n] * (q[j, b, h, n] - z[j, b])

    `x[…, blocks, parts, bytes]` are 8-bit integers with sign. With 8 bits, `parts` is 1, `w[J, blocks, bytes]` holds
    the integers `q` with sign, and `z` is `zero_points`, or 0. With 4 bits, `parts` is 2: a byte of `w` holds two
    integers `q` from 0 to 15, that of `h = 0` in its lower half, and `z` is `zero_points + 8`, or 8. The inner sums are
    exact.
    """

    name = "graph.blockwise_dot"
    x = operand_def(TENSOR)
    x_scales = operand_def(TENSOR)
    w = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    zero_points = opt_operand_def(TENSOR)
    bits = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = (
        "$x `,` $x_scales `,` $w `,` $scales (`,` $zero_points^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self, x: Value, x_scales: Value, w: Value, scales: Value, zero_points: Value | None = None, *, bits: int
    ) -> None:
        super().__init__([x, x_scales, w, scales, zero_points], {"bits": integer(bits)})

    @property
    def half(self) -> int:
        """What is taken off each integer of `w`, besides its zero point."""
        return 8 if self.bits.value.data == 4 else 0

    def inferred_type(self) -> AnyTensor:
        x, x_scales, w, scales = map(type_of, (self.x, self.x_scales, self.w, self.scales))
        return blockwise.dot(x, x_scales, w, scales, optional_type_of(self.zero_points), self.bits.value.data)

    @property
    def terms(self) -> int:
        return prod(shape_of(self.x)[-3:])
