"""Estimate how far the roundings of floats move the outputs of a network, by running it with noise.

Two right programs order their sums differently. What that makes of a result is no share of the result: a sum that
cancels keeps the errors of its terms, and layers behind it may enlarge them. So the network runs several times, and in
each run every float that is computed is off by some roundings at random. How far the outputs of these runs lie from
those without noise, times a safety factor, is what another order of sums may do.

    y = (x + 1000) - 1000     x + 1000 is off by up to ROUNDINGS * 2^-24 * 1000 = 1.2e-4, and so is y
    y = x * 2                 off by a share of y alone
"""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.emit.info import Tolerance
from s2s.errors import InputError
from s2s.interpret.graph.run import Evaluator, run_graph
from s2s.interpret.graph.ties import EXACT
from s2s.stages.state import State
from s2s.types.dtypes import Array

RUNS = 2
"""Runs with noise."""
ROUNDINGS = 2.0
"""The most that a result is off, in roundings."""
SAFETY = 4.0
"""By how much right results may lie further apart than the results of the runs."""
UNIT = 2.0**-24
"""The relative error of one rounding to 32 bits."""


def rounding_errors(
    state: State, inputs: Sequence[Array], clean: Sequence[Array], evaluator: Evaluator
) -> tuple[float, ...]:
    """Return for each output of the network, `clean` without noise, the error that roundings may cause in it, beside
    the usual share of its value; nothing if the network does not run on other numbers."""
    errors = [0.0] * len(clean)
    for seed in range(RUNS):
        try:
            noisy = run_graph(state.module, inputs, state.weights, evaluator=_Noise(evaluator, seed).evaluate)
        except InputError:
            return ()
        errors = [max(error, _error(*pair)) for error, *pair in zip(errors, clean, noisy, strict=True)]
    return tuple(float(f"{error:.0e}") for error in errors)


class _Noise:
    """Evaluates operations, and adds roundings to the floats that they compute."""

    def __init__(self, evaluator: Evaluator, seed: int) -> None:
        self._evaluate = evaluator
        self._random = np.random.default_rng(seed)

    def evaluate(self, op: Operation, operands: Sequence[Array]) -> list[Array]:
        """Return the results of `op` with noise; what only moves or chooses values, or is constant, rounds nothing."""
        results = self._evaluate(op, operands)
        if not operands or isinstance(op, EXACT) or fusion_kind(op) == FusionKind.INJECTIVE:
            return results
        return [self._rounded(each) if each.dtype == np.float32 else each for each in results]

    def _rounded(self, x: Array) -> Array:
        noise = self._random.uniform(-ROUNDINGS * UNIT, ROUNDINGS * UNIT, x.shape).astype(np.float32)
        with np.errstate(all="ignore"):
            return np.asarray(x + x * noise, np.float32)


def _error(clean: Array, noisy: Array) -> float:
    """The largest error that the relative tolerance does not admit; integers have none that a rounding excuses."""
    if clean.dtype != np.float32 or clean.shape != noisy.shape:
        return 0.0
    both = np.isfinite(clean) & np.isfinite(noisy)
    right, off = clean[both].astype(np.float64), noisy[both].astype(np.float64)
    return float((SAFETY * np.abs(off - right) - Tolerance.relative * np.abs(right)).max(initial=0.0))
