"""The optimisation level from which each pass runs, and the names by which passes are disabled: TVM's `PassContext` in
data.

A pass that is not listed is part of the lowering and always runs.
"""

from collections.abc import Iterable

from s2s.errors import InputError
from s2s.options import PassOptions

OPT_LEVELS = {
    "graph-canonicalize-activations": 0,
    "graph-canonicalize-gathers": 0,
    "graph-canonicalize-pads": 0,
    "graph-canonicalize-reshapes": 0,
    "graph-expand-powers": 0,
    "graph-fold-batch-norm": 0,
    "graph-form-layer-norms": 0,
    "graph-eliminate-dead-code": 1,
    "graph-fold-zero-points": 1,
    "graph-label-ops": 1,
    "graph-order-calls": 1,
    "graph-rematerialise-casts": 1,
    "graph-share-kernels": 1,
    "tensor-collapse-dims": 1,
    "tensor-fuse-computes": 1,
    "tensor-shorten-rescale": 1,
    "tensor-split-dims": 1,
    "loop-cast-runs": 1,
    "loop-eliminate-common-subexpressions": 1,
    "loop-form-fma": 1,
    "loop-interleave-stores": 1,
    "loop-remove-self-copies": 1,
    "graph-fold-constants": 2,
    "graph-gather-quantized": 2,
    "graph-pack-tables": 2,
    "graph-remove-channels": 2,
    "tensor-cache-panels": 2,
    "tensor-concatenate-in-place": 2,
    "graph-canonicalize-affine": 3,
    "graph-canonicalize-attention": 3,
    "graph-canonicalize-bias": 3,
    "graph-eliminate-common-subexpressions": 3,
    "graph-fold-scale-axis": 3,
    "graph-combine-parallel-reductions": 3,
    "graph-fuse-attention": 3,
    "graph-merge-conv-groups": 3,
    "graph-narrow-scales": 3,
    "graph-search-by-value": 3,
    "graph-separate-pools": 3,
    "graph-skip-masked-positions": 3,
    "graph-split-transposed-conv": 3,
    "graph-split-zero-points": 3,
    "tensor-block-channels": 3,
    "tensor-cache-images": 3,
    "tensor-make-blocks-unsigned": 3,
    "tensor-merge-reductions": 3,
    "tensor-tile-and-fuse": 3,
    "tensor-tile-rows": 3,
    "tensor-transform-convolutions": 3,
    "graph-combine-parallel-batch-matmuls": 4,
    "graph-combine-parallel-convs": 4,
    "graph-combine-parallel-dense": 4,
}
"""The optimisation level from which on a pass runs, after TVM's levels where it has a pass for the same."""

TVM_NAMES = {
    "AlterOpLayout": ("tensor-block-channels",),
    "AnnotateMemoryScope": ("loop-annotate-memory-scope",),
    "BackwardFoldScaleAxis": ("graph-canonicalize-bias", "graph-fold-scale-axis"),
    "CanonicalizeOps": ("graph-canonicalize-bias",),
    "CombineParallelBatchMatmul": ("graph-combine-parallel-batch-matmuls",),
    "CombineParallelConv2D": ("graph-combine-parallel-convs",),
    "CombineParallelDense": ("graph-combine-parallel-dense",),
    "DeadCodeElimination": ("graph-eliminate-dead-code",),
    "EliminateCommonSubexpr": ("graph-eliminate-common-subexpressions",),
    "FoldConstant": ("graph-fold-constants",),
    "FoldScaleAxis": ("graph-canonicalize-affine", "graph-canonicalize-bias", "graph-fold-scale-axis"),
    "ForwardFoldScaleAxis": ("graph-fold-scale-axis",),
    "FuseOps": ("tensor-fuse-computes",),
    "InferType": (),
    "Inline": ("graph-inline",),
    "LabelOps": ("graph-label-ops",),
    "PlanDevices": ("graph-plan-devices",),
    "SplitArgs": ("graph-split-args",),
    "SimplifyExpr": ("graph-remove-identities", "graph-canonicalize-reshapes", "graph-canonicalize-activations"),
    "SimplifyInference": ("graph-fold-batch-norm",),
}
"""The passes that do what a pass of TVM does; none where it is always done, as types are always known."""


PROGRAM_PASSES: set[str] = set()
"""The names of passes that programs have defined under TVM's names, which contexts require and disable as well."""


def runs(name: str, passes: PassOptions) -> bool:
    """Return whether the pass `name` runs: it is not disabled, and is required or of a level within the asked one."""
    if name in passes.disabled:
        return False
    return name in passes.required or OPT_LEVELS.get(name, 0) <= passes.level


def names_of(option: str, names: Iterable[str], *, optional: bool = False) -> tuple[str, ...]:
    """Return our names of passes given by our names or TVM's; with `optional`, refuse passes that the lowering
    needs."""
    found: list[str] = []
    for name in names:
        ours = [each for each in TVM_NAMES.get(name, (name,)) if each in OPT_LEVELS or each in PROGRAM_PASSES]
        runs_always = name in TVM_NAMES and not optional
        if not ours and not runs_always:
            known = ", ".join([*TVM_NAMES, *OPT_LEVELS])
            raise InputError(f"{option} {name}: is no pass that can be left out; these can: {known}")
        found += ours
    return tuple(found)
