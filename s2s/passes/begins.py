"""The operations that each pass begins at: it leaves a module without any of them as it is, so that it is not imported.

A pass that is not listed looks at every module.
"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from s2s.dialects.walk import walk

_OPERATIONS = {
    "graph-canonicalize-activations": "clamp maximum minimum",
    "graph-canonicalize-affine": "add mul div",
    "graph-canonicalize-attention": "matmul select",
    "graph-canonicalize-bias": "add sub mul div neg",
    "graph-canonicalize-gathers": "gather gather_elements gather_nd",
    "graph-canonicalize-pads": "pad",
    "graph-canonicalize-reshapes": "reshape transpose",
    "graph-combine-parallel-batch-matmuls": "matmul",
    "graph-combine-parallel-dense": "matmul",
    "graph-combine-parallel-reductions": "reduce_sum reduce_prod reduce_mean reduce_max reduce_min",
    "graph-expand-powers": "pow",
    "graph-expand-trees": "tree_ensemble",
    "graph-fold-batch-norm": "batch_norm",
    "graph-fold-scale-axis": "mul div",
    "graph-fold-widening": "cast",
    "graph-form-layer-norms": "add mul div",
    "graph-fuse-attention": "matmul",
    "graph-gather-quantized": "gather",
    "graph-give-windows-slack": "advance",
    "graph-hoist-zero-points": "sub",
    "graph-lift-quantized": "cast",
    "graph-narrow-scales": "blockwise_dot blockwise_matmul gather",
    "graph-offset-windows": "same_pad",
    "graph-pack-tables": "gather",
    "graph-prove-accumulators": "cast rescale",
    "graph-quantize-activations": "blockwise_matmul superblock_matmul",
    "graph-rematerialise-casts": "cast",
    "graph-requantize-in-fixed-point": "cast",
    "graph-search-by-value": "argmax argmin",
    "graph-skip-masked-positions": "matmul",
    "graph-separate-pools": "max_pool avg_pool",
    "graph-split-transposed-conv": "conv_transpose",
    "graph-split-zero-points": "matmul",
    "graph-unpack-weights": "blockwise_matmul codebook_matmul",
}

BEGINS_AT = {name: frozenset(f"graph.{each}" for each in begins.split()) for name, begins in _OPERATIONS.items()}
"""Names of operations by the name of the pass."""


def has_work(module: ModuleOp, name: str) -> bool:
    """Return whether a module has an operation that the pass `name` begins at, or a dead one, which any pass of rewrite
    patterns erases."""
    wanted = BEGINS_AT.get(name)
    return wanted is None or any(op.name in wanted or is_trivially_dead(op) for op in walk(module))
