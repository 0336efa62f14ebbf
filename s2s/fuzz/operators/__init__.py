"""The table of operators that the fuzzer draws: by name, how a node of it is added to a network."""

from collections.abc import Callable, Mapping

from s2s.fuzz.network import Network
from s2s.fuzz.operators import (
    attention,
    control,
    elementwise,
    indexing,
    layers,
    linear,
    movement,
    narrow,
    quantised,
    recurrent,
    reductions,
    sampling,
    selection,
    shapes,
)

Draw = Callable[[Network], object]
"""Adds a node; raises `Rejected` where it cannot."""

_FAMILIES = (
    *(attention, control, elementwise, indexing, layers, linear, movement),
    *(narrow, quantised, recurrent, reductions, sampling, selection, shapes),
)
OPERATORS: Mapping[str, Draw] = {name: draw for family in _FAMILIES for name, draw in family.OPERATORS.items()}
