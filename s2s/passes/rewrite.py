"""Runs rewrite patterns over a module."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern


def rewrite(module: ModuleOp, *patterns: RewritePattern, recursive: bool = True) -> None:
    """Apply `patterns` to every operation, the first that matches; to a fixed point if `recursive`.

    Pure operations without uses are erased on the way, so that a pattern may ask whether a value has one use.
    """
    PatternRewriteWalker(GreedyRewritePatternApplier(list(patterns)), apply_recursively=recursive).rewrite_module(
        module
    )
