"""Let products with few rows convert their second factor themselves, where it is widened just for them.

    %w = graph.cast %keys : (tensor<2x512x32xf16>) -> tensor<2x512x32xf32>
    %s = graph.matmul %q, %w {transpose_b} : …          // %q : tensor<2x4x32xf32>
->
    %s = graph.matmul %q, %keys {transpose_b} : (tensor<2x4x32xf32>, tensor<2x512x32xf16>) -> tensor<2x4x512xf32>

A cache of keys and values stays f16 or i8 in memory, and no copy of it as f32 is written and read again. Results do not
change, as both conversions are exact.

Declined for products of eight rows and more, which would convert each element as many times; for other types; and for
constants.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.rewrite import rewrite
from s2s.support.frozen import frozen
from s2s.types.shapes.linear import widens

MAX_ROWS = 7
"""Rows of products that convert their factor: with more of them, a converted copy costs less."""


class ProductOfWidened(RewritePattern):
    """A product of floats whose second factor is a conversion."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        cast = op.b.owner
        if not isinstance(cast, graph.CastOp) or is_known(cast.x):
            return
        if not widens(type_of(op.a).element_type, type_of(cast.x).element_type):
            return
        if type_of(op.y).get_shape()[-2] > MAX_ROWS:
            return
        op.operands[1] = cast.x
        graph.copy_provenance(op, cast)
        rewriter.notify_op_modified(op)
        if not cast.y.uses:
            rewriter.erase(cast)


@frozen
class FoldWideningPass(ModulePass):
    name = "graph-fold-widening"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, ProductOfWidened())
