"""Which function imports which builtin operator."""

from collections.abc import Mapping

from s2s.frontends.tflite import (
    activation,
    binary,
    compare,
    conv,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    quantize,
    reduce,
    resize,
    shape,
    slicing,
)
from s2s.frontends.tflite.node import Importer

_FAMILIES = (
    activation,
    binary,
    compare,
    conv,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    quantize,
    reduce,
    resize,
    shape,
    slicing,
)

IMPORTERS: Mapping[str, Importer] = {
    name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()
}
"""By the name of the builtin operator."""
