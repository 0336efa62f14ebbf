"""Bound how far results of a quantised network may lie apart because float errors decide how some values are rounded.

An engine sums floats where the C sums integers, and neither rounds what lies within its error of the middle between two
steps otherwise than the format allows:

    torch sums floats to 45.500013 steps: 46        the exact sum is 45.499998: 45

The one step grows, or vanishes, on its way to the outputs. So the network, as it was read, runs once for each such
value, with this value on its other side; an output may differ by the sum of what these runs change of it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from s2s.compilation import Compilation
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.ties import NearTies
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS, MAX_GOLDEN_WORK, Meter, TooMuchWorkError, metered
from s2s.interpret.tensor.run import evaluate_operation
from s2s.passes.graph.lift_quantized.linear import bias_rounding
from s2s.types.dtypes import Array
from s2s.verify.sizes import at_sizes

MAX_SINGLE = 100
"""The most values that are moved one by one; more of them go down and up together, and the larger change is doubled,
since each may go to its own side."""


class TieSpread(NamedTuple):
    """How far outputs may lie apart, element by element, and how many values decide it."""

    outputs: Sequence[Array]
    values: int


def tie_spread(compilation: Compilation, inputs: Sequence[Array]) -> TieSpread | None:
    """Return the spread of the outputs for `inputs`; None if no value lies near a tie, or the network is too large to
    be interpreted."""
    state = at_sizes(compilation, inputs).at("read")
    meter = Meter(MAX_GOLDEN_WORK)

    def run(side: Literal["as they are", "down", "up"] = "as they are", moved: int | None = None) -> TieSpread:
        evaluate = metered(meter, MAX_GOLDEN_ELEMENTS, partial(evaluate_operation, fast=True))
        ties = NearTies(evaluate, side, moved, partial(bias_rounding, store=state.weights))
        found = run_graph(state.module, inputs, state.weights, evaluator=ties)
        return TieSpread([_wide(each) for each in found], ties.count)

    try:
        plain, count = run()
        if not count:
            return None
        one_by_one = count <= MAX_SINGLE
        runs = [run(moved=number) for number in range(count)] if one_by_one else [run("down"), run("up")]
    except TooMuchWorkError:
        return None
    changes = [[np.abs(a - b) for a, b in zip(plain, each.outputs, strict=True)] for each in runs]
    together = zip(*changes, strict=True)
    if one_by_one:
        return TieSpread([np.sum(each, axis=0) for each in together], count)
    return TieSpread([np.full_like(each[0], 2 * np.max(each)) for each in together], count)


def _wide(output: Array) -> Array:
    """Return an output as doubles; what is no number does not change."""
    return np.nan_to_num(output.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
