"""Readers of models by the format that a program names, or by the ending of the file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.errors import UnsupportedError
from s2s.executor.ndarray import NDArray
from s2s.tvm.driver.tvmc.errors import TVMCException, TVMCImportError
from s2s.tvm.driver.tvmc.model import TVMCModel
from s2s.tvm.relay import frontend
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.text.parser import fromtext

Shapes = Mapping[str, Sequence[int]]
Read = tuple[IRModule, Mapping[str, NDArray]]


def _onnx(path: Path, shapes: Shapes | None) -> Read:
    return frontend.from_onnx(str(path), shapes)


def _tflite(path: Path, shapes: Shapes | None) -> Read:
    return frontend.from_tflite(str(path), shapes)


def _pytorch(path: Path, shapes: Shapes | None) -> Read:
    return frontend.from_pytorch(str(path), shape=shapes)


def _relay(path: Path, shapes: Shapes | None) -> Read:
    module = fromtext(path.read_text(encoding="utf-8"), str(path))
    params: Any = module["main"].params
    stated: dict[str, list[object]] = {param.name_hint: list(param.checked_type.shape) for param in params}
    for name, shape in (shapes or {}).items():
        if stated.get(name) != list(shape):
            fact = f"is {stated[name]} in the text" if name in stated else "is no input of the text"
            raise TVMCException(f"{path}: {name}: {fact}; give that shape, or leave shape_dict out")
    return module, {}


READERS: Mapping[str, tuple[str, Callable[[Path, Shapes | None], Read]]] = {
    "onnx": (".onnx", _onnx),
    "tflite": (".tflite", _tflite),
    "pytorch": (".pt2", _pytorch),
    "relay": (".relay", _relay),
}
"""The formats, each with the ending of its files and its reader."""
REFUSED = {"keras": ".h5", "pb": ".pb", "paddle": ".pdmodel"}
"""The formats of TVM that there are not, with the endings of their files."""


def get_frontend_names() -> list[str]:
    """Return the names of the formats."""
    return list(READERS)


def load_model(
    path: str | Path, model_format: str | None = None, shape_dict: Shapes | None = None, **kwargs: Any
) -> TVMCModel:
    """Read a model of ONNX, TFLite, PyTorch (an exported program) or Relay's text; `shape_dict` fixes open shapes."""
    if kwargs:
        raise UnsupportedError(f"tvmc.load: {', '.join(kwargs)}: there is one way to read a model; leave it out")
    file = Path(path)
    suffixes = {suffix: name for name, (suffix, _) in READERS.items()} | {each: name for name, each in REFUSED.items()}
    name = model_format or suffixes.get(file.suffix.lower())
    if name in REFUSED:
        raise UnsupportedError(f"{path}: format {name} is not read; write the model as ONNX or TFLite")
    if name is None or name not in READERS:
        raise TVMCException(f"{path}: format {name or file.suffix!r} is not known; give one of {', '.join(READERS)}")
    if not file.is_file():
        raise TVMCImportError(f"{path}: there is no such file; give the path of a model")
    return TVMCModel(*READERS[name][1](file, shape_dict))


__all__ = ["get_frontend_names", "load_model"]
