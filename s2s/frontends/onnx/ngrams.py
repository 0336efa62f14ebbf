"""TfIdfVectorizer: count how often each n-gram of a pool occurs in a row of numbers.

An n-gram occurs at a place if all its items equal those of the row, `skip + 1` places apart; the counts of all places
and skips are added. Each length of n-grams is one comparison of windows with the pool, and a sum.
"""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, greater, reshape, select, take, unsqueeze
from s2s.frontends.onnx.node import Importer, Node
from s2s.types.dtypes import Array

_FLOAT, _COUNT = np.dtype(np.float32), np.dtype(np.int32)


def _tfidf_vectorizer(node: Node) -> Value:
    x = node.input(0)
    if x.rank not in (1, 2):
        raise node.invalid(f"input has {x.rank} dimensions", "give one row of items for each text")
    if node.has("pool_strings") and node.texts("pool_strings"):
        raise node.unsupported("its n-grams are text", "number the words outside the network")
    rows = x if x.rank == 2 else reshape(x, [1, *x.shape])
    lengths = range(node.integer("min_gram_length"), node.integer("max_gram_length") + 1)
    skips = node.integer("max_skip_count")
    if lengths.start < 1 or skips < 0:
        raise node.invalid(f"n-grams of {lengths.start} items with {skips} skipped", "give a positive length")
    pools, columns = _pools(node), node.integers("ngram_indexes")
    if len(columns) != sum(len(pool) for pool in pools.values()) or min(columns, default=-1) < 0:
        raise node.invalid(f"{len(columns)} indexes do not fit the n-grams", "give one for each")
    if len(set(columns)) != len(columns):
        raise node.unsupported("two n-grams have one place in the result", "give each its own")
    width = max(columns) + 1
    node.require_small(width, "the result")
    counts = [_counted(node, rows, pool, skips if n > 1 else 0, n in lengths) for n, pool in pools.items()]
    y = _weighted(node, cast(_placed(node, concat(counts, 1), columns, width), _FLOAT))
    return y if x.rank == 2 else reshape(y, [width])


def _pools(node: Node) -> dict[int, Array]:
    """The n-grams of each length as rows `[n-gram, item]`."""
    items, starts = np.asarray(node.integers("pool_int64s", []), np.int64), node.integers("ngram_counts")
    ends = [*starts[1:], len(items)]
    if not starts or starts[0] != 0 or any(not a <= b for a, b in zip(starts, ends, strict=True)):
        raise node.invalid(f"ngram_counts {starts} do not divide {len(items)} items", "export the model again")
    pools = dict(enumerate((items[a:b] for a, b in zip(starts, ends, strict=True)), 1))
    if any(len(pool) % n for n, pool in pools.items()):
        raise node.invalid(f"ngram_counts {starts} cut n-grams apart", "export the model again")
    return {n: pool.reshape(-1, n) for n, pool in pools.items() if pool.size}


def _counted(node: Node, rows: Value, pool: Array, skips: int, wanted: bool) -> Value:
    """How often each n-gram of `pool` occurs in each row, as `[row, n-gram]`."""
    count, n = pool.shape
    total = node.builder.filled(0, (rows.shape[0], count), np.dtype(_COUNT))
    for step in range(1, skips + 2):
        windows = rows.shape[1] - step * (n - 1)
        if not wanted or windows < 1:
            continue
        same: Value | None = None
        for position in range(n):
            item = unsqueeze(take(rows, 1, position * step, windows), [2])
            equal = emit(graph.EqualOp, item, node.constant(pool[:, position], rows.dtype))
            same = equal if same is None else emit(graph.LogicalAndOp, same, equal)
        assert same is not None
        total = total + emit(graph.ReduceSumOp, cast(same, _COUNT), axes=[1], keepdims=False)
    return total


def _placed(node: Node, counts: Value, columns: list[int], width: int) -> Value:
    """The columns of `counts` at the places that the model gives them; zeros elsewhere."""
    source = np.full(width, len(columns))
    source[columns] = np.arange(len(columns))
    padded = concat([counts, node.builder.filled(0, (counts.shape[0], 1), counts.dtype)], 1)
    return emit(graph.GatherOp, padded, node.constant(source), axis=1)


def _weighted(node: Node, counts: Value) -> Value:
    """Counts, or weights of what occurs, or their products."""
    mode, weights = node.choice("mode", "TF", "IDF", "TFIDF"), node.reals("weights", [])
    if mode == "TF":
        return counts
    if len(weights) not in (0, counts.shape[1]):
        raise node.invalid(f"{len(weights)} weights for {counts.shape[1]} n-grams", "give one for each")
    weight = node.constant(weights or np.ones(counts.shape[1]), _FLOAT)
    return counts * weight if mode == "TFIDF" else select(greater(counts, 0), weight, 0)


IMPORTERS: Mapping[str, Importer] = {
    "TfIdfVectorizer": _tfidf_vectorizer,
}
