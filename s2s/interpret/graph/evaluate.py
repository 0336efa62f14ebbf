"""Evaluate single graph operations in numpy, to run graphs and to fold constants."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.interpret.graph import (
    binary,
    blockwise,
    conv,
    elementwise,
    index,
    linear,
    norm,
    pool,
    quantize,
    reduce,
    regions,
    run_sizes,
    selection,
    shape,
    signal,
    sliding,
    trees,
)
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array, as_tensor_type, from_dense, to_numpy


def _constant(op: graph.ConstantOp) -> Array:
    return from_dense(op.value)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.ConstantOp: _constant,
    **elementwise.MEANINGS,
    **binary.MEANINGS,
    **conv.MEANINGS,
    **linear.MEANINGS,
    **blockwise.MEANINGS,
    **pool.MEANINGS,
    **norm.MEANINGS,
    **quantize.MEANINGS,
    **shape.MEANINGS,
    **index.MEANINGS,
    **reduce.MEANINGS,
    **signal.MEANINGS,
    **sliding.MEANINGS,
    **selection.MEANINGS,
    **regions.MEANINGS,
    **run_sizes.MEANINGS,
    **trees.MEANINGS,
}


def can_evaluate(op: Operation) -> bool:
    """Return whether `op` can be evaluated from its operands alone."""
    return type(op) in MEANINGS


def evaluate(op: Operation, operands: Sequence[Array]) -> list[Array]:
    """Compute the results of `op` from the values of its operands. Results may be views of operands."""
    meaning = MEANINGS.get(type(op))
    if meaning is None:
        raise CompilerBug(f"{op.name} has no numpy meaning")
    with np.errstate(all="ignore"):
        value = np.asarray(meaning(op, *operands))
    expected = as_tensor_type(op.results[0].type)
    if value.shape != expected.get_shape() or value.dtype != to_numpy(expected.element_type):
        raise CompilerBug(f"{op.name} evaluates to {value.dtype}{list(value.shape)}, its type is {expected}")
    return [value]
