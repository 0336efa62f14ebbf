"""Which function imports which builtin operator."""

from collections.abc import Mapping

from s2s.frontends.tflite import (
    conv,
    linear,
    pool,
    shape,
)
from s2s.frontends.tflite.node import Importer

_FAMILIES = (conv, linear, pool, shape)

IMPORTERS: Mapping[str, Importer] = {
    name: importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()
}
"""By the name of the builtin operator."""
