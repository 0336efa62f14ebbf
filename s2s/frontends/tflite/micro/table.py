"""The importer of each custom operator of TFLite-Micro."""

from collections.abc import Mapping

from s2s.frontends.tflite.micro import decode, detection, filters, frames, spectrum
from s2s.frontends.tflite.node import Importer

MICRO_IMPORTERS: Mapping[str, Importer] = {
    name: importer
    for family in (decode, detection, filters, frames, spectrum)
    for name, importer in family.IMPORTERS.items()
}
"""By the name that TFLite-Micro registers."""
