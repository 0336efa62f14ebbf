"""The importer of each builtin operator."""

from collections.abc import Mapping

from s2s.frontends.tflite import (
    activation,
    binary,
    compare,
    control,
    conv,
    conv3d,
    elementwise,
    indexing,
    linear,
    lsh,
    lstm_step,
    norm,
    pool,
    quantize,
    random,
    recurrent,
    reduce,
    reduce_window,
    resize,
    rnn,
    segments,
    shape,
    slicing,
    spectrum,
    stablehlo,
    stablehlo_indexing,
    stablehlo_random,
    suppression,
)
from s2s.frontends.tflite.node import Importer
from s2s.frontends.tflite.unsigned import with_unsigned

_FAMILIES = (
    activation,
    binary,
    compare,
    control,
    conv,
    conv3d,
    elementwise,
    indexing,
    linear,
    lsh,
    lstm_step,
    norm,
    pool,
    quantize,
    random,
    recurrent,
    reduce,
    reduce_window,
    resize,
    rnn,
    segments,
    shape,
    slicing,
    spectrum,
    stablehlo,
    stablehlo_indexing,
    stablehlo_random,
    suppression,
)

IMPORTERS: Mapping[str, Importer] = with_unsigned(
    {name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()}
)
"""By the name of the builtin operator."""

_STRINGS = "it works on strings, which networks in C do not have: compute it outside the network"
_NO_KERNEL = "TFLite itself has no kernel for it: convert the model again, without operators of StableHLO"
REFUSALS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE"),
            "SKIP_GRAM",
        ),
        _STRINGS,
    ),
    "CONCAT_EMBEDDINGS": "neither LiteRT nor TFLite-Micro has a kernel for it, and no text says what it computes: "
    "convert the model again",
}
"""Why operators are refused and the way out; TFLite has no kernels for the others of StableHLO."""


def refusal_of(builtin: str) -> tuple[str, str]:
    """Return why an operator is refused, and what to do instead."""
    unknown = _NO_KERNEL if builtin.startswith("STABLEHLO_") else "it is newer than this version of s2s: update s2s"
    fact, _, way_out = REFUSALS.get(builtin, unknown).partition(": ")
    return fact, way_out
