"""The table of TFLite operators that the fuzzer draws: by name, how one is added to a network."""

from collections.abc import Callable, Mapping

from s2s.fuzz.tflite.network import Network
from s2s.fuzz.tflite.operators import (
    activations,
    arithmetic,
    comparisons,
    conversions,
    layers,
    movement,
    parts,
    pools,
    recurrent,
    reductions,
)

Draw = Callable[[Network], object]
"""Adds an operator; raises `Rejected` where it cannot."""

_FAMILIES = (
    *(activations, arithmetic, comparisons, conversions, layers, movement, parts, pools, recurrent, reductions),
)
OPERATORS: Mapping[str, Draw] = {name: draw for family in _FAMILIES for name, draw in family.OPERATORS.items()}
WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D"), 8),
    **dict.fromkeys(("FULLY_CONNECTED", "ADD", "MUL", "CONCATENATION"), 5),
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "TRANSPOSE_CONV", "QUANTIZE", "PAD", "RESHAPE", "MEAN"), 3),
}
"""How much more often than the others an operator is drawn."""
