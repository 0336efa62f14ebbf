"""Recognise the format of a model: the one place that knows the first bytes and the suffixes of model files.

Where the first bytes say what a file is, its name counts for nothing. A file of Protocol Buffers (ONNX) has no such
bytes: whatever else is not recognised is taken for one, and refused by its reader if it is none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, cast

from s2s.errors import InputError

Format = Literal["ONNX", "TFLite", "PyTorch", "GGUF"]
"""The formats that models are read from."""


class Signs(NamedTuple):
    """How files of a format are recognised."""

    place: int
    magic: bytes
    """The bytes at `place`."""
    suffixes: tuple[str, ...]


SIGNS: Mapping[Format, Signs] = {
    "GGUF": Signs(0, b"GGUF", (".gguf",)),
    "TFLite": Signs(4, b"TFL3", (".tflite",)),
    "PyTorch": Signs(0, b"PK\x03\x04", (".pt2", ".pt", ".pth", ".py")),
}
"""The signs of all formats that have some. Programs of PyTorch are archives; no other model is one."""
WRITTEN: Mapping[Format, str] = {"ONNX": ".onnx", "TFLite": ".tflite", "PyTorch": ".pt2"}
"""The suffix of the files that are written of a format."""
MAKER = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
"""A function in a Python file: `model.py:make_model`."""


def format_of(source: object) -> Format:
    """Return the format of a path, of the bytes of a file, or of a model in memory; ONNX where nothing tells another.

    A path that is no file is told by its suffix.
    """
    if isinstance(source, bytes):
        return _by_bytes(source) or "ONNX"
    if isinstance(source, str | os.PathLike):
        path = str(os.fspath(cast("str | os.PathLike[str]", source)))
        return _by_bytes(_first_bytes(path)) or _by_name(path) or "ONNX"
    kind = type(source)
    is_program = kind.__name__ == "ExportedProgram" and kind.__module__.startswith("torch.export")
    return "PyTorch" if is_program else "ONNX"


def _by_bytes(data: bytes) -> Format | None:
    return next((name for name, (place, magic, _) in SIGNS.items() if data[place : place + len(magic)] == magic), None)


def _by_name(path: str) -> Format | None:
    if MAKER.fullmatch(path) is not None:
        return "PyTorch"
    return next((name for name, signs in SIGNS.items() if path.endswith(signs.suffixes)), None)


def _first_bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(max(signs.place + len(signs.magic) for signs in SIGNS.values()))
    except OSError:  # whoever reads the file says why
        return b""


def check_suffix(path: str | os.PathLike[str], *formats: Format) -> None:
    """Raise `InputError` if the name of a file, which one of `formats` is written to, says another format."""
    name = os.fspath(path)
    told = "ONNX" if name.endswith(WRITTEN["ONNX"]) else _by_name(name)
    if told is not None and told not in formats:
        suffixes = " or ".join(WRITTEN[each] for each in formats)
        raise InputError(f"-o {name}: is named like {told}, and {formats[0]} is written; end it in {suffixes}")
