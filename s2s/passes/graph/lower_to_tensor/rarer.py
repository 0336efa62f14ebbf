"""Lower the families of operations that few networks have."""

from xdsl.pattern_rewriter import RewritePattern

from s2s.passes.graph.lower_to_tensor import (
    blockwise,
    regions,
    run_sizes,
    scatter,
    selection,
    signal,
    sliding,
    superblocks,
    trees,
)

PATTERNS: list[RewritePattern] = [
    *blockwise.PATTERNS,
    *superblocks.PATTERNS,
    *signal.PATTERNS,
    *sliding.PATTERNS,
    *selection.PATTERNS,
    *scatter.PATTERNS,
    *regions.PATTERNS,
    *run_sizes.PATTERNS,
    *trees.PATTERNS,
]
