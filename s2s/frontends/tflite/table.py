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
    norm,
    pool,
    quantize,
    recurrent,
    reduce,
    reduce_window,
    resize,
    rnn,
    segments,
    shape,
    slicing,
    spectrum,
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
    norm,
    pool,
    quantize,
    recurrent,
    reduce,
    reduce_window,
    resize,
    rnn,
    segments,
    shape,
    slicing,
    spectrum,
    suppression,
)

IMPORTERS: Mapping[str, Importer] = with_unsigned(
    {name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()}
)
"""By the name of the builtin operator."""

_STRINGS = "it works on strings, which networks in C do not have: compute it outside the network"
_RANDOM = "its results are random: make the random numbers an input"
REFUSALS: Mapping[str, str] = {
    **dict.fromkeys(("MULTINOMIAL", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM"), _RANDOM),
    **dict.fromkeys(
        (
            *("HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_LOOKUP", "HASHTABLE_SIZE"),
            *("LSH_PROJECTION", "SKIP_GRAM"),
        ),
        _STRINGS,
    ),
    "CONCAT_EMBEDDINGS": "TFLite itself has no kernel for it: convert the model again",
}
"""Why operators are refused and the way out, where the reason is known."""


def refusal_of(builtin: str) -> tuple[str, str]:
    """Return why an operator is refused, and what to do instead."""
    fact, _, way_out = REFUSALS.get(builtin, "this operator is not supported: replace it by other operators").partition(
        ": "
    )
    return fact, way_out
