"""Types of decision trees."""

from collections.abc import Sequence

from s2s.types.dtypes import AnyTensor, is_float
from s2s.types.shapes.common import ShapeError, result, text
from s2s.types.trees import Trees

AGGREGATES = ("sum", "min", "max")


def tree_ensemble(
    x: AnyTensor, trees: Trees, weights: Sequence[tuple[int, int, float]], targets: int, aggregate: str
) -> AnyTensor:
    """A row of targets for each row of features."""
    shape = x.get_shape()
    if len(shape) != 2 or not is_float(x.element_type):
        raise ShapeError(f"x has shape {text(shape)} of {x.element_type}, expected rows of floats")
    if aggregate not in AGGREGATES:
        raise ShapeError(f'aggregate is "{aggregate}", expected one of {", ".join(AGGREGATES)}')
    if (fault := trees.fault()) is not None:
        raise ShapeError(fault)
    if any(feature >= shape[1] for feature in trees.features):
        raise ShapeError(f"a tree looks at a feature beyond the {shape[1]} of its input")
    if targets < 1 or any(not 0 <= target < targets for _, target, _ in weights):
        raise ShapeError(f"a leaf speaks of a target beyond {targets}")
    if any(not 0 <= row < trees.rows or not trees.is_leaf(row) for row, _, _ in weights):
        raise ShapeError("a weight belongs to no leaf")
    return result(x.element_type, [shape[0], targets])
