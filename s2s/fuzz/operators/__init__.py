"""The table of operators that the fuzzer draws: by name, how a node of it is added to a network."""

from collections.abc import Callable, Mapping

from s2s.fuzz.network import Network
from s2s.fuzz.operators import (
    elementwise,
    indexing,
    layers,
    linear,
    movement,
    quantised,
    recurrent,
    reductions,
    shapes,
)

Draw = Callable[[Network], object]
"""Adds a node; raises `Rejected` where it cannot."""

_FAMILIES = (elementwise, indexing, layers, linear, movement, quantised, recurrent, reductions, shapes)
OPERATORS: Mapping[str, Draw] = {name: draw for family in _FAMILIES for name, draw in family.OPERATORS.items()}
