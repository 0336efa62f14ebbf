"""Passes on networks as functions from a module to a module, under TVM's names.

mod = relay.transform.FoldConstant()(mod)
"""

from functools import partial

from s2s.passes.graph.parallel_branches import MIN_BRANCHES
from s2s.tvm.transform import Pass, named


def CombineParallelBatchMatmul(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Products of one stack of matrices become one, if there are at least this many."""
    return named("CombineParallelBatchMatmul", min_branches=min_num_branches)


def CombineParallelConv2D(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Convolutions of one input become one, if there are at least this many."""
    return named("CombineParallelConv2D", min_branches=min_num_branches)


def CombineParallelDense(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Dense layers of one input become one, if there are at least this many."""
    return named("CombineParallelDense", min_branches=min_num_branches)


CanonicalizeOps = partial(named, "CanonicalizeOps")
"""Bias and per-channel factors go into weights."""
DeadCodeElimination = partial(named, "DeadCodeElimination")
"""Operations whose results nothing reads are erased."""
EliminateCommonSubexpr = partial(named, "EliminateCommonSubexpr")
"""Equal operations become one."""
FoldConstant = partial(named, "FoldConstant")
"""Operations on constants are evaluated."""
FoldScaleAxis = partial(named, "FoldScaleAxis")
"""Factors of channels go into the weights of convolutions and products."""
BackwardFoldScaleAxis = partial(named, "BackwardFoldScaleAxis")
"""Factors of channels go into the weights of the layer before them."""
ForwardFoldScaleAxis = partial(named, "ForwardFoldScaleAxis")
"""Factors of channels go into the weights of the layer behind them."""
InferType = partial(named, "InferType")
"""A copy of the module, as types are always known."""
Inline = partial(named, "Inline")
"""Calls of functions become their bodies."""
LabelOps = partial(named, "LabelOps")
"""Kernels get a hash of what they compute."""
SimplifyExpr = partial(named, "SimplifyExpr")
"""Identities, chains of reshapes and forms of clip are simplified."""
SimplifyInference = partial(named, "SimplifyInference")
"""Batch norms become factors and offsets."""

__all__ = [
    "BackwardFoldScaleAxis",
    "CanonicalizeOps",
    "CombineParallelBatchMatmul",
    "CombineParallelConv2D",
    "CombineParallelDense",
    "DeadCodeElimination",
    "EliminateCommonSubexpr",
    "FoldConstant",
    "FoldScaleAxis",
    "ForwardFoldScaleAxis",
    "InferType",
    "Inline",
    "LabelOps",
    "SimplifyExpr",
    "SimplifyInference",
]
