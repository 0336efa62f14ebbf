"""What decision trees compute, on scalars and on arrays alike."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.types.dtypes import Array
from s2s.types.trees import Trees

_COMPARE: Sequence[Callable[[Any, Any], Any]] = (
    np.less_equal,
    np.less,
    np.greater_equal,
    np.greater,
    np.equal,
    np.not_equal,
)
"""By the numbers of `s2s.types.trees.COMPARISONS`."""


def leaf_row(trees: Trees, root: int, features: Array) -> Array:
    """Return the row of the leaf that each point ends in; the first axis of `features` counts features."""
    columns = [np.array(each) for each in (trees.features, trees.comparisons, trees.yes, trees.no, trees.missing)]
    feature, comparison, yes, no, missing = columns
    split = np.array(trees.splits, features.dtype)
    at = np.full(features.shape[1:], root)
    for _ in range(trees.levels() or 0):
        value = np.take_along_axis(features, feature[at][None], 0)[0]
        holds = np.choose(comparison[at], [compare(value, split[at]) for compare in _COMPARE])
        holds = holds | (np.isnan(value) & (missing[at] != 0))
        at = np.where(holds, yes[at], no[at])
    return at
