"""The packagings by the names that `s2s export --format` and `s2s compile --format` take."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from s2s.emit.files import RECORD, Tree, check_destination, write_tree
from s2s.emit.read_tree import read_tree
from s2s.errors import InputError, S2SError
from s2s.packagings.amalgamation import single
from s2s.packagings.description import TreeDescription
from s2s.packagings.libraries import arduino, platformio
from s2s.packagings.mlperf_tiny import mlperf_tiny
from s2s.packagings.rust import rust
from s2s.packagings.trees import cmsis_pack, esp_idf, meson, whole, zephyr
from s2s.packagings.wasm import wasm, web
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
    "mlperf-tiny": mlperf_tiny,
    "rust": rust,
    "wasm": wasm,
    "web": web,
}
ALL = "all"
"""In place of a format: each one that the tree allows."""


def folders(formats: Sequence[str], destination: Path) -> dict[str, Path]:
    """Return the folder of each format: `destination` for a single one, else folders of their names in it."""
    for format in formats:
        if format not in (*FORMATS, ALL):
            raise InputError(f"--format {format}: there is no such format; the formats are {', '.join(FORMATS)}, {ALL}")
    if ALL in formats:
        return {format: destination / format for format in FORMATS}
    if len(formats) == 1:
        return {formats[0]: destination}
    return {format: destination / format for format in formats}


def check_folders(formats: Sequence[str], destination: Path) -> None:
    """Raise an error if the tree, or a package of it, would replace anything but such or an empty folder."""
    for folder in folders(formats, destination).values() if formats else (destination,):
        check_destination(folder)


def export(tree: Tree | Path, formats: Sequence[str], destination: Path) -> dict[str, Path | str]:
    """Write a tree, in memory or on disk, in other forms to `folders`; return the folder of each format.

    A format that the tree does not allow is an error, but for the format `all`: there the reason stands in place of
    the folder. Nothing is written where there is an error.
    """
    check_folders(formats, destination)
    described = TreeDescription.of(read_tree(tree) if isinstance(tree, Path) else tree)
    packages: dict[str, dict[str, bytes] | str] = {}
    for format in folders(formats, destination):
        try:
            packages[format] = FORMATS[format](described)
        except S2SError as error:
            if ALL not in formats:
                raise
            packages[format] = str(error)
    return {
        format: files if isinstance(files, str) else _write(described, format, files, folder)
        for (format, folder), files in zip(folders(formats, destination).items(), packages.values(), strict=True)
    }


def _write(tree: TreeDescription, format: str, files: dict[str, bytes], destination: Path) -> Path:
    """Write a package, whole or not at all. The record goes with it: it says what was packed, and which files belong to
    the package."""
    record = {**tree.record, "packaging": format, "files": sorted(files)}
    write_tree({**files, RECORD: (json.dumps(record, indent=2) + "\n").encode()}, destination)
    return destination
