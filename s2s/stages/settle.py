"""Stage `settle`: fix the integer arithmetic of the network as it will be in C, and compute the expected results of its
self-test."""

from functools import partial
from typing import NamedTuple

import numpy as np

from s2s.analysis.cost.operators import multiply_adds
from s2s.analysis.numbers.accumulators import layer_sums
from s2s.analysis.numbers.sums import LayerSums
from s2s.data.samples import sample
from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.emit.info import GoldenVector
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.interpret.graph.work import MAX_GOLDEN_ELEMENTS, MAX_GOLDEN_WORK, Meter, TooMuchWorkError, metered
from s2s.interpret.tensor.run import evaluate_operation
from s2s.passes.graph.lift_quantized.steps import output_steps
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.state import State
from s2s.support import progress
from s2s.types.dtypes import tensor_type
from s2s.types.sizes import computed_of

GOLDEN_SEED = 0


class Settled(NamedTuple):
    """Facts about what the network computes, independent of later stages."""

    golden: tuple[GoldenVector, ...]
    """Inputs and the outputs that the graph interpreter has found for them."""
    sums: tuple[LayerSums, ...]
    """What is proven of the sums of integer layers."""
    steps: tuple[float | None, ...]
    """For each output the step of its quantisation, if it has one."""
    work: int
    """Multiplications with an addition in convolutions and matrix products."""
    quantises_activations: bool = False
    """Whether products take activations that are quantised on the fly, by a rule of the compiler's own."""


def settled(state: State, _: Request) -> Settled:
    """Interpret the network once, and read the other facts from the module."""
    return Settled(
        golden=_golden(state),
        sums=layer_sums(state.module, state.weights),
        steps=output_steps(state.module, state.weights),
        work=sum(map(multiply_adds, walk(state.module))),
        quantises_activations=any(
            isinstance(op, graph.BlockwiseDotOp | graph.SuperblockDotOp) for op in walk(state.module)
        ),
    )


def _golden(state: State) -> tuple[GoldenVector, ...]:
    """Return sample inputs and their outputs by the graph interpreter; zeros if random samples are no valid indices.

    None where the network computes too much for an interpreter, or sizes that depend on the data
    (`s2s/verify/sizes.py` has vectors of these), and where the layout of loops decides on the result.
    """
    inputs = state.facts[Read].inputs
    if (
        _has_weights_without_value(state)
        or computed_of(state.module.attributes)
        or sum(port.count for port in inputs) > MAX_GOLDEN_ELEMENTS
    ):
        return ()
    progress.step("computing a golden vector")
    made_up = tuple(
        sample(port.name, tensor_type(port.element, port.shape), GOLDEN_SEED, full_range=port.quantisation is not None)
        for port in inputs
    )
    for arrays in (made_up, tuple(np.zeros_like(array) for array in made_up)):
        evaluator = metered(Meter(MAX_GOLDEN_WORK), MAX_GOLDEN_ELEMENTS, partial(evaluate_operation, fast=True))
        try:
            return (GoldenVector(arrays, tuple(run_graph(state.module, arrays, state.weights, evaluator=evaluator))),)
        except InputError:
            continue
        except TooMuchWorkError:
            break
    return ()


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
