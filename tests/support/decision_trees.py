"""Decision trees of chance, with every comparison."""

from collections.abc import Sequence

import numpy as np

from s2s.types.dtypes import Array
from s2s.types.trees import COMPARISONS, Trees

FEATURES = 4


def random_trees(seed: int, count: int, levels: int) -> tuple[Trees, list[tuple[int, int, float]]]:
    """Trees with all comparisons, whose branches end early here and there, and weights of their leaves."""
    random = np.random.default_rng(seed)
    rows: list[Sequence[float]] = []
    weights: list[tuple[int, int, float]] = []

    def node(level: int) -> int:
        row = len(rows)
        rows.append([0, 0, 0, row, row, 0])
        if level == levels or random.random() < 0.15:
            weights.append((row, 0, float(np.float32(random.standard_normal()))))
            return row
        split = float(np.float32(random.choice([0.0, 0.5, random.standard_normal()])))
        question = [int(random.integers(FEATURES)), int(random.integers(len(COMPARISONS))), split]
        rows[row] = [*question, node(level + 1), node(level + 1), int(random.integers(2))]
        return row

    roots = tuple(node(0) for _ in range(count))
    features, comparisons, splits, yes, no, missing = zip(*rows, strict=True)
    ints = [tuple(map(int, column)) for column in (features, comparisons, yes, no, missing)]
    return Trees(roots, ints[0], ints[1], tuple(splits), ints[2], ints[3], ints[4]), weights


def samples(seed: int, count: int) -> Array:
    """Features, some of them equal to splits, some NaN or infinite."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((count, FEATURES)).astype(np.float32)
    odd = random.choice([0.0, 0.5, np.nan, np.inf, -np.inf], x.shape)
    return np.where(random.random(x.shape) < 0.3, odd, x).astype(np.float32)
