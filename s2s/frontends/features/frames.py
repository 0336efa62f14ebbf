"""Cut samples into frames that overlap, and compute on one frame after the other: the frames never exist together."""

from collections.abc import Callable

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.networks import Values, scan


def over_frames(
    x: Value,
    size: int,
    step: int,
    count: int,
    formula: Callable[[Value, Values], tuple[Values, Value]],
    carried: Values,
    name: str,
) -> tuple[Values, Value]:
    """Apply `formula` to `count` frames of `size` samples that begin `step` apart, with the values it carries on;
    return what is carried out of the last one, and the results, stacked in front."""
    constant = x.builder.constant
    begins = constant((np.arange(count) * step).astype(np.int32))

    def on_frame(inner: Builder, values: Values, slices: Values, kept: Values) -> tuple[Values, Values]:
        places = slices[0] + inner.constant(np.arange(size, dtype=np.int32))
        state, result = formula(emit(graph.GatherOp, kept[0], places, axis=0), values)
        return state, [result]

    last, (results,) = scan(x.builder, name, on_frame, carried=carried, scanned=[begins], kept=[x], steps=count)
    return last, results
