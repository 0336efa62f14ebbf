"""Compute the golden vector of a network: sample inputs, and the outputs that the graph interpreter finds for them.

Where a network quantises activations by their own range, float errors may decide how one of them is rounded, and the
results of two right programs then lie a step apart. Inputs are drawn anew until no value lies near a tie; where all
draws have some, the vector states how far these move the results.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from s2s.data.samples import sample
from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.emit.info import GoldenVector
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.ties import NearTies, rounds_floats
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS, MAX_GOLDEN_WORK, Meter, TooMuchWorkError, metered
from s2s.interpret.tensor.run import evaluate_operation
from s2s.stages.read import Read
from s2s.stages.state import State
from s2s.support import progress
from s2s.types.dtypes import Array, tensor_type
from s2s.types.sizes import GAPS, computed_of

DRAWS = 12
"""How often inputs are drawn for a network that rounds floats, at the most."""
REDRAWN_WORK = 2**34
"""Work of the interpreter from which on inputs are not drawn again: a tenth of a second."""

NOISY_WORK = 2**36
"""Work of the interpreter from which on a network is not run with noise."""
SMALL = 1.0
"""Outputs up to here are off by less than the usual tolerance."""


class Golden(NamedTuple):
    """A golden vector."""

    vector: GoldenVector
    tie_spread: float = 0.0
    """How far results may lie apart because float errors decide how values are rounded."""
    rounding_errors: tuple[float, ...] = ()
    """For each output the error that roundings of floats may cause in it; none where outputs are small."""


class _Draw(NamedTuple):
    """Inputs, the outputs for them, and how many values lie near a tie."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    near: int = 0


def golden_vector(state: State) -> Golden | None:
    """Return sample inputs and their outputs by the graph interpreter; zeros if random samples are no valid indices.

    None where the network computes too much for an interpreter, or sizes that depend on the data
    (`s2s/verify/sizes.py` has vectors of these), and where the layout of loops or the order of sums decides on the
    result: what infinite weights make is infinite in one order, and no number in another.
    """
    if (
        _has_weights_without_value(state)
        or computed_of(state.module.attributes)
        or GAPS in state.module.attributes
        or sum(port.count for port in state.facts[Read].inputs) > MAX_GOLDEN_ELEMENTS
    ):
        return None
    progress.step("computing a golden vector")
    rounds, meter, best = rounds_floats(state.module), Meter(MAX_GOLDEN_WORK), None
    for seed in range(DRAWS if rounds else 1):
        try:
            draw = _drawn(state, seed, meter, near_ties=rounds)
        except TooMuchWorkError:
            break
        if draw is None:
            return None
        best = draw if best is None or draw.near < best.near else best
        if not best.near or meter.used > REDRAWN_WORK:
            break
    if best is None or (_has_nan(best.outputs) and _has_infinite_weights(state)):
        return None
    vector = GoldenVector(best.inputs, best.outputs)
    if best.near:
        return Golden(vector, _spread(state, best))
    return Golden(vector, rounding_errors=_rounding_errors(state, vector, meter))


def _rounding_errors(state: State, vector: GoldenVector, meter: Meter) -> tuple[float, ...]:
    """Return what roundings may do to outputs; none where outputs are small or a run takes long."""
    floats = [each[np.isfinite(each)] for each in vector.outputs if each.dtype == np.float32]
    if meter.used > NOISY_WORK or max((float(np.abs(each).max(initial=0.0)) for each in floats), default=0.0) <= SMALL:
        return ()
    from s2s.stages.roundings import rounding_errors

    return rounding_errors(state, vector.inputs, vector.outputs, partial(evaluate_operation, fast=True))


def _drawn(state: State, seed: int, meter: Meter, *, near_ties: bool) -> _Draw | None:
    """Return the inputs of a seed with their outputs, or zeros; None if the network takes neither."""
    made_up = tuple(
        sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)
        for port in state.facts[Read].inputs
    )
    for inputs in (made_up, tuple(np.zeros_like(array) for array in made_up)):
        evaluator = metered(meter, MAX_GOLDEN_ELEMENTS, partial(evaluate_operation, fast=True))
        ties = NearTies(evaluator) if near_ties else None
        try:
            outputs = run_graph(state.module, inputs, state.weights, evaluator=evaluator if ties is None else ties)
        except InputError:
            continue
        return _Draw(inputs, tuple(outputs), 0 if ties is None else ties.count)
    return None


def _spread(state: State, draw: _Draw) -> float:
    """Estimate how far apart the outputs of a draw may lie: twice the largest difference between the runs that round
    all values near a tie down, up, and as they are. Twice, since each value may go to its own side.
    """
    down, up = (_to_side(state, draw.inputs, side) for side in ("down", "up"))
    pairs = [each for one, other in combinations((draw.outputs, down, up), 2) for each in zip(one, other, strict=True)]
    return max((_largest(a, b) for a, b in pairs), default=0.0) * 2


def _to_side(state: State, inputs: Sequence[Array], side: Literal["down", "up"]) -> list[Array]:
    ties = NearTies(partial(evaluate_operation, fast=True), side)
    return run_graph(state.module, inputs, state.weights, evaluator=ties)


def _largest(a: Array, b: Array) -> float:
    """Return the largest difference of floats; integers have none that a float error excuses."""
    if a.dtype.kind in "iub":
        return 0.0
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.abs(a[both].astype(np.float64) - b[both].astype(np.float64)).max(initial=0.0))


def _has_nan(outputs: Sequence[Array]) -> bool:
    return any(bool((each != each).any()) for each in outputs)


def _has_infinite_weights(state: State) -> bool:
    weights = (state.weights.get(op.weight_name.data) for op in walk(state.module) if isinstance(op, graph.WeightOp))
    return any(each.dtype.kind == "f" and bool(np.isinf(each).any()) for each in weights)


def _has_weights_without_value(state: State) -> bool:
    """Return whether a padded convolution has weights that are infinite or NaN.

    These reach a result through zeros where a schedule copies padding, and do not where it leaves padding out.
    """
    for op in walk(state.module):
        if isinstance(op, graph.ConvOp) and any(op.pads.get_values()) and isinstance(op.w.owner, graph.WeightOp):
            weights = state.weights.get(op.w.owner.weight_name.data)
            if weights.dtype.kind == "f" and not np.isfinite(weights).all():
                return True
    return False
