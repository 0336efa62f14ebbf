"""The formats that the fuzzer draws, by name and by the names of files."""

from importlib import import_module
from pathlib import Path

from s2s.errors import InputError
from s2s.fuzz.model import Format

_MODULES = {
    "onnx": "s2s.fuzz.onnx_model",
    "tflite": "s2s.fuzz.tflite.model",
    "torch": "s2s.fuzz.torch.model",
    "te": "s2s.tvm.fuzz.model",
}
"""The module that holds each; it is loaded with its first use, and so are the engines of its format."""
FORMATS = tuple(_MODULES)


def format_of(name: str) -> Format:
    """The format called `name`."""
    return import_module(_MODULES[name]).FORMAT


def format_of_file(path: Path) -> Format:
    """The format of a file by its name."""
    found = next((name for name in FORMATS if path.suffix == format_of(name).suffix), None)
    if found is None:
        raise InputError(f"{path}: is no model that the fuzzer has written; give one of its .onnx or .tflite files")
    return format_of(found)
