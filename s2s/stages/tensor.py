"""Stage `tensor`: every kernel consists of scheduled computations, whose cost and precision are known."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import f32

from s2s.analysis.cost.kernels import KernelCost, kernel_costs
from s2s.dialects import tensor
from s2s.dialects.walk import walk
from s2s.emit.info import Tolerance
from s2s.stages.request import Request
from s2s.stages.settle import Settled
from s2s.stages.state import State


class Scheduled(NamedTuple):
    """The cost of the kernels, and the precision of their results."""

    costs: Mapping[str, KernelCost]
    """What each kernel computes and moves, by its name in the module."""
    tolerance: Tolerance


def scheduled(state: State, _: Request) -> Scheduled:
    """Derive both from the computations."""
    return Scheduled(kernel_costs(state.module), _tolerance(state))


def _tolerance(state: State) -> Tolerance:
    """Return the permitted error of the results. What Winograd convolutions lose does not shrink with a result beside
    larger ones. Where float errors decide how a network rounds, results may lie as far apart as that moves them; and
    where terms cancel, as far as the roundings of the terms do."""
    spread, least = state.facts[Settled].tie_spread, max(state.facts[Settled].rounding_errors, default=0.0)
    if not any(isinstance(op, tensor.TransformOp) and op.carrier == f32 for op in walk(state.module)):
        absolute = float(f"{Tolerance.absolute + spread:.1e}") if spread else Tolerance.absolute
        return Tolerance(absolute=max(absolute, least))
    outputs = [output for vector in state.facts[Settled].golden for output in vector.outputs]
    sizes = [np.abs(output[np.isfinite(output)]).max(initial=0.0) for output in outputs]
    absolute = float(f"{Tolerance.absolute * max([1.0, *sizes]) + spread:.1e}")
    return Tolerance(absolute=max(absolute, least), scaled=True)
