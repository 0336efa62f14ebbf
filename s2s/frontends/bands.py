"""Weighted sums of a spectrum in bands, of which most frequencies have no part."""

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.types.dtypes import Array


def band_sums(x: Value, numbers: Array, places: Array, factors: Array, bands: int) -> Value:
    """Return `y[places[k]] += x[numbers[k]] * factors[k]` of a row `x`, in the order of `k`."""
    constant = x.builder.constant
    total = constant(np.zeros(bands, x.dtype))
    if not numbers.size:
        return total
    products = emit(graph.GatherOp, x, constant(numbers.astype(np.int32)), axis=0) * constant(factors.astype(x.dtype))
    indices = constant(places.astype(np.int32))
    return emit(graph.ScatterElementsOp, total, indices, products, axis=0, reduction="add", nonnegative_indices=True)
