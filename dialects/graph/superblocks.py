"""Matrix products with weights in blocks whose scales are quantised too, by superblocks of several blocks."""

from math import prod

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, type_of
from s2s.dialects.graph.interfaces import ProductInterface, shape_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import blockwise

FORMAT = "`:` functional-type(operands, results)"


@op_definition
class SuperblockMatmulOp(GraphOp, ProductInterface):
    """`y[…, i, j] = sum_k x[…, i, k] * (q[j, k] * s[j, b] - m[j, b])`, with `b` the block of `k`,

        s[j, b] = super_scales[j, b / n] * scales[j, b]        m[j, b] = super_mins[j, b / n] * mins[j, b]

    `w[J, blocks, block * bits / 8]` holds the integers `q` of blocks of columns. With 4 bits they are from 0 to 15, two
    neighbours in a byte, the first in its lower half; with 8 bits they are bytes with sign. `scales` and `mins` are
    8-bit integers `[J, blocks]`, `super_scales` and `super_mins` are floats `[J, blocks / n]`: with `n` 8 and blocks of
    32, the layouts Q4_K and Q5_K of GGML. `int8_activations` is that of `graph.blockwise_matmul`.
    """

    name = "graph.superblock_matmul"
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    mins = operand_def(TENSOR)
    super_scales = operand_def(TENSOR)
    super_mins = operand_def(TENSOR)
    bits = prop_def(INT)
    int8_activations = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = f"$x `,` $w `,` $scales `,` $mins `,` $super_scales `,` $super_mins attr-dict {FORMAT}"

    def __init__(
        self,
        x: Value,
        w: Value,
        scales: Value,
        mins: Value,
        super_scales: Value,
        super_mins: Value,
        *,
        bits: int,
        int8_activations: bool = False,
    ) -> None:
        operands = [x, w, scales, mins, super_scales, super_mins]
        super().__init__(operands, {"bits": integer(bits), "int8_activations": flag(int8_activations)})

    @property
    def block(self) -> int:
        """The number of weights that share a scale."""
        return blockwise.block_size(type_of(self.w), self.bits.value.data)

    def inferred_type(self) -> AnyTensor:
        constants = [type_of(each) for each in list(self.operands)[1:]]
        return blockwise.superblock_matmul(type_of(self.x), *constants, bits=self.bits.value.data)

    @property
    def terms(self) -> int:
        return shape_of(self.x)[-1]


@op_definition
class SuperblockDotOp(GraphOp, ProductInterface):
    """Products of integers in blocks, scaled by two levels and summed: with `h` and `n` a place in block `b`,

        y[…, i, j] = sum_b x_scales[…, i, b] * (s[j, b] * sum_{h, n} x[…, i, b, h, n] * q[j, b, h, n]
                                                - m[j, b] * sum_{h, n} x[…, i, b, h, n])

    `x` and `x_scales` are those of `graph.blockwise_dot`, and so is `w`, of 4 bits where `x` has two parts; `s` and `m`
    are those of `graph.superblock_matmul`. The inner sums are exact.
    """

    name = "graph.superblock_dot"
    x = operand_def(TENSOR)
    x_scales = operand_def(TENSOR)
    w = operand_def(TENSOR)
    scales = operand_def(TENSOR)
    mins = operand_def(TENSOR)
    super_scales = operand_def(TENSOR)
    super_mins = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = (
        f"$x `,` $x_scales `,` $w `,` $scales `,` $mins `,` $super_scales `,` $super_mins attr-dict {FORMAT}"
    )

    def __init__(
        self,
        x: Value,
        x_scales: Value,
        w: Value,
        scales: Value,
        mins: Value,
        super_scales: Value,
        super_mins: Value,
    ) -> None:
        super().__init__([x, x_scales, w, scales, mins, super_scales, super_mins])

    def inferred_type(self) -> AnyTensor:
        x, x_scales, *constants = map(type_of, self.operands)
        return blockwise.superblock_dot(x, x_scales, *constants)

    @property
    def terms(self) -> int:
        return prod(shape_of(self.x)[-3:])
