"""Lower Fourier transforms to a routine of the runtime.

    %y = graph.dft %x, %roots {bins = 257} : (tensor<8x512x1xf32>, tensor<512x2xf32>) -> tensor<8x257x2xf32>
->
    %y = tensor.extern "fft_f32"(%x, %roots) {numbers = [8, 512, 1, 257, 0, 8], scratch = [tensor<16384xf32>]} : …

Those in fixed point become `fixed_dft_i16` and its kin, without scratch.
"""

from math import prod

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.c_syntax.types import element_name
from s2s.dialects import graph, tensor
from s2s.types.dtypes import tensor_type

MAX_LANES = 8
"""Rows that are transformed side by side: the lanes of a vector."""
PLANES = 4
"""Arrays of the scratch: real and imaginary parts, before and after a step."""


class LowerDft(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DftOp, rewriter: PatternRewriter) -> None:
        *outer, size, parts = shape_of(op.x)
        rows, element = prod(outer), op.y.type.element_type
        lanes = max(1, min(rows, MAX_LANES))
        made = tensor.ExternOp(
            f"fft_{element_name(element)}",
            [op.x, op.roots],
            [rows, size, parts, op.bins.value.data, int(op.inverse is not None), lanes],
            [op.y.type],
            [tensor_type(element, (PLANES * size * lanes,))],
        )
        graph.copy_provenance(made, op)
        rewriter.replace(op, made)


class LowerFixedDft(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.FixedDftOp, rewriter: PatternRewriter) -> None:
        *outer, size = shape_of(op.y if op.inverse is not None else op.x)
        element = op.y.type.element_type
        made = tensor.ExternOp(
            f"fixed_{'dft' if op.inverse is None else 'idft'}_{element_name(element)}",
            [op.x, op.roots, op.turns],
            [prod(outer), size],
            [op.y.type],
        )
        graph.copy_provenance(made, op)
        rewriter.replace(op, made)


PATTERNS: tuple[RewritePattern, ...] = (LowerDft(), LowerFixedDft())
