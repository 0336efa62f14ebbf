"""Evaluate single graph operations in numpy, to run graphs and to fold constants."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.interpret.graph.precision import Meaning
from s2s.support.operation_table import family_of
from s2s.types.dtypes import Array, as_tensor_type, from_dense, to_numpy


def _constant(op: graph.ConstantOp) -> Array:
    return from_dense(op.value)


MEANINGS: dict[type[Operation], Meaning] = {graph.ConstantOp: _constant}
"""Meanings of constants and of operations of other packages; a family of the dialect has a file of its name here."""


def meaning_of(operation: type[Operation]) -> Meaning | None:
    """Return the numpy meaning of a class of operations, None where it has none."""
    family = family_of("s2s.interpret.graph", operation)
    return MEANINGS.get(operation) or getattr(family, "MEANINGS", MEANINGS).get(operation)


def can_evaluate(op: Operation) -> bool:
    """Return whether `op` can be evaluated from its operands alone."""
    return meaning_of(type(op)) is not None


def evaluate(op: Operation, operands: Sequence[Array]) -> list[Array]:
    """Compute the results of `op` from the values of its operands. Results may be views of operands."""
    meaning = meaning_of(type(op))
    if meaning is None:
        raise CompilerBug(f"{op.name} has no numpy meaning")
    with np.errstate(all="ignore"):
        value = np.asarray(meaning(op, *operands))
    expected = as_tensor_type(op.results[0].type)
    if value.shape != expected.get_shape() or value.dtype != to_numpy(expected.element_type):
        raise CompilerBug(f"{op.name} evaluates to {value.dtype}{list(value.shape)}, its type is {expected}")
    return [value]
