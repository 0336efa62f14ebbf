"""Stage `settle`: fix the integer arithmetic of the network as it will be in C, and compute the expected results of its
self-test."""

from typing import NamedTuple

from s2s.analysis.cost.operators import multiply_adds_of_network
from s2s.analysis.network.functions import main_of
from s2s.analysis.numbers.accumulators import layer_sums
from s2s.analysis.numbers.output_steps import output_steps
from s2s.analysis.numbers.sums import LayerSums
from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.emit.info import GoldenVector
from s2s.stages.golden import golden_vector
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.state import State


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
    """Whether activations, or what caches keep of them, are quantised on the fly, by a rule of the compiler's own."""
    tie_spread: float = 0.0
    """How far results of the golden vector may lie apart because float errors decide how values are rounded."""
    rounding_errors: tuple[float, ...] = ()
    """For each output the error that roundings of floats may cause in it; none where outputs are small."""


def settled(state: State, request: Request) -> Settled:
    """Interpret the network once, and read the other facts from the module."""
    vector = golden_vector(state)
    has_narrow_caches = request.options.cache != "float32" and state.facts[Read].language is None
    return Settled(
        golden=() if vector is None else (vector.vector,),
        sums=layer_sums(state.module, state.weights),
        steps=output_steps(state.module, state.weights),
        work=multiply_adds_of_network(main_of(state.module)),
        quantises_activations=has_narrow_caches
        or any(isinstance(op, graph.BlockwiseDotOp | graph.SuperblockDotOp) for op in walk(state.module)),
        tie_spread=0.0 if vector is None else vector.tie_spread,
        rounding_errors=() if vector is None else vector.rounding_errors,
    )
