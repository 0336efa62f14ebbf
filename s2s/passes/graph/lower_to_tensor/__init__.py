"""Lower the operators inside kernels to structured computations.

    func.func private @relu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {kernel} {
      %y = graph.clamp %x {min = 0.0} : tensor<8xf32>
      func.return %y : tensor<8xf32>
    }
->
    func.func private @relu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {kernel} {
      %y = tensor.compute [8] epilogue(%x at #tensor.access<affine_map<(d0) -> (d0)>>) apply {
      ^bb0(%x: f32):
        %0 = arith.constant 0.0 : f32
        %1 = arith.maximumf %x, %0 : f32
        tensor.yield %1 : f32
      } : (tensor<8xf32>) -> tensor<8xf32>
      func.return %y : tensor<8xf32>
    }

Kernel signatures do not change, nor does `main`, which only calls kernels. A constant becomes part of the
computations that read it. Users are lowered before producers, so all users of a constant read it before it is erased.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from s2s.analysis.network.functions import is_kernel
from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.graph.lower_to_tensor.compute import compute, constant_number, place
from s2s.support.operation_table import family_of


class LowerConstant(RewritePattern):
    """Erase a constant that all users copied into their regions; compute one that is still read as a tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConstantOp, rewriter: PatternRewriter) -> None:
        if not op.y.uses:
            return rewriter.erase(op)
        number, kind = constant_number(op.y), op.y.type
        if number is None:
            raise CompilerBug(
                f"{place(op)}: {kind} of several values is inside a kernel, where it should be an argument"
            )
        y = compute(rewriter, op, kind.get_shape(), apply=lambda s: s.constant(number, kind.element_type), widen=False)
        return rewriter.replace(op, [], [y])


PATTERNS: list[RewritePattern] = [LowerConstant()]
"""Patterns of constants and of operations of other packages; a family of the dialect has a file of its name here."""


def _patterns(root: ModuleOp) -> list[RewritePattern]:
    """Return the patterns that lower the operations of a module."""
    kinds = {op.name: type(op) for op in walk(root)}
    families = dict.fromkeys(family_of(__name__, kind) for _, kind in sorted(kinds.items()))
    return [*PATTERNS, *(pattern for family in families for pattern in getattr(family, "PATTERNS", ()))]


class LowerToTensorPass(ModulePass):
    name = "graph-lower-to-tensor"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lowering = GreedyRewritePatternApplier(_patterns(op), dce_enabled=False)
        for kernel in op.ops:
            if not isinstance(kernel, FuncOp) or not is_kernel(kernel):
                continue
            PatternRewriteWalker(lowering, apply_recursively=False, walk_reverse=True).rewrite_region(kernel.body)
            for left in kernel.body.walk():
                if left.dialect_name() == "graph":
                    raise CompilerBug(f"{place(left)} in @{kernel.sym_name.data} has no lowering")


__all__ = ["LowerToTensorPass"]
