"""Lower operators that pool regions of images to routines of the runtime.

    %y = graph.max_regions %x, %batch, %high, %wide : (tensor<1x64x48x32xf32>, …) -> tensor<8x7x5x32xf32>
->
    %y = tensor.extern "max_regions_f32"(%x, %batch, %high, %wide) {numbers = [8, 7, 5, 1, 64, 48, 32], …} : …
"""

from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.c_syntax.types import element_name
from s2s.dialects import graph, tensor
from s2s.passes.graph.lower_to_tensor.reduce import state_fills
from s2s.types.dtypes import tensor_type


class LowerRoiAlign(RewritePattern):
    """Scratch holds the weights of pixels along both axes, and which columns have any."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.RoiAlignOp, rewriter: PatternRewriter) -> None:
        (regions, rows, columns, _), image = shape_of(op.y), shape_of(op.image)
        element, (_, height, width, _) = op.y.type.element_type, image
        made = tensor.ExternOp(
            f"roi_align_{element_name(element)}",
            op.operands,
            [regions, rows, columns, op.ratio.value.data, int(op.largest is not None), *image],
            [op.y.type],
            [tensor_type(element, (height + columns * width,)), tensor_type(i32, (2 * columns,))],
        )
        graph.copy_provenance(made, op)
        state_fills(made, op, [UnitAttr()] * len(op.operands))
        rewriter.replace(op, made)


class LowerMaxRegions(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MaxRegionsOp, rewriter: PatternRewriter) -> None:
        routine = f"max_regions_{element_name(op.y.type.element_type)}"
        made = tensor.ExternOp(routine, op.operands, [*shape_of(op.y)[:3], *shape_of(op.image)], [op.y.type])
        graph.copy_provenance(made, op)
        state_fills(made, op, [UnitAttr()] * len(op.operands))
        rewriter.replace(op, made)


PATTERNS: tuple[RewritePattern, ...] = (LowerRoiAlign(), LowerMaxRegions())
