"""The packagings by the names that `s2s export --format` takes."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from s2s.emit.write import RECORD, write_tree
from s2s.errors import S2SError
from s2s.packagings.amalgamation import single
from s2s.packagings.description import TreeDescription
from s2s.packagings.libraries import arduino, platformio
from s2s.packagings.trees import cmsis_pack, esp_idf, meson, whole, zephyr
from s2s.packagings.wheel import wheel

FORMATS: Mapping[str, Callable[[TreeDescription], dict[str, bytes]]] = {
    "cmake": whole,
    "make": whole,
    "meson": meson,
    "single": single,
    "arduino": arduino,
    "platformio": platformio,
    "esp-idf": esp_idf,
    "zephyr": zephyr,
    "cmsis-pack": cmsis_pack,
    "wheel": wheel,
}


def export_all(tree: Path, destination: Path) -> dict[str, Path | str]:
    """Write the tree at `tree` in every form to a folder of its name in `destination`; where the tree does not allow a
    form, the reason stands in place of the folder."""
    TreeDescription.of(tree)
    found: dict[str, Path | str] = {}
    for format in FORMATS:
        try:
            found[format] = export(tree, format, destination / format)
        except S2SError as error:
            found[format] = str(error)
    return found


def export(tree: Path, format: str, destination: Path) -> Path:
    """Write the tree at `tree` in another form to `destination`, whole or not at all.

    The record goes with it: it says what was packed, and which files belong to the package.
    """
    described = TreeDescription.of(tree)
    files = FORMATS[format](described)
    record = {**described.record, "packaging": format, "files": sorted(files)}
    write_tree({**files, RECORD: (json.dumps(record, indent=2) + "\n").encode()}, destination)
    return destination
