"""The importer of each builtin operator."""

from collections.abc import Mapping

from s2s.frontends.tflite import (
    activation,
    binary,
    compare,
    control,
    conv,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    quantize,
    recurrent,
    reduce,
    resize,
    shape,
    slicing,
)
from s2s.frontends.tflite.node import Importer
from s2s.frontends.tflite.unsigned import with_unsigned

_FAMILIES = (
    activation,
    binary,
    compare,
    control,
    conv,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    quantize,
    recurrent,
    reduce,
    resize,
    shape,
    slicing,
)

IMPORTERS: Mapping[str, Importer] = with_unsigned(
    {name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()}
)
"""By the name of the builtin operator."""
