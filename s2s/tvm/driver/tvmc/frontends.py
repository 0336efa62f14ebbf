"""Readers of models by the format that a program names, or by the ending of the file."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.errors import UnsupportedError
from s2s.executor.ndarray import NDArray
from s2s.tvm.driver.tvmc.errors import MissingModelError, TVMCException, TVMCImportError
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


class Frontend:
    """The reader of a format."""

    def __init__(self) -> None:
        self.read: Callable[[Path, Shapes | None], Read] = READERS[self.name()]

    @staticmethod
    def name() -> str:
        """The name of the format."""
        raise NotImplementedError

    @staticmethod
    def suffixes() -> list[str]:
        """The endings of its files."""
        raise NotImplementedError

    def load(self, path: str | Path, shape_dict: Shapes | None = None, **kwargs: Any) -> Read:
        """The network of a file, and its parameters."""
        if kwargs:
            raise UnsupportedError(f"tvmc.load: {', '.join(kwargs)}: there is one way to read a model; leave it out")
        if (package := PACKAGES.get(self.name())) is not None:
            try:
                importlib.import_module(package)
            except ImportError as error:
                raise TVMCImportError(f"{path}: {package} is not installed; pip install {package}") from error
        if not Path(path).is_file():
            raise MissingModelError(f"{path}: there is no such file; give the path of a model")
        return self.read(Path(path), shape_dict)


def _frontend(kind: str, name: str, *suffixes: str) -> type[Frontend]:
    """The class of a format."""
    members = {"name": staticmethod(lambda: name), "suffixes": staticmethod(lambda: list(suffixes))}
    return type(kind, (Frontend,), {**members, "__module__": __name__, "__doc__": f"The reader of {name}."})


READERS: Mapping[str, Callable[[Path, Shapes | None], Read]] = {
    "onnx": _onnx,
    "tflite": _tflite,
    "pytorch": _pytorch,
    "relay": _relay,
}
"""The function that reads each format."""
PACKAGES = {"pytorch": "torch"}
"""The packages that formats want."""
OnnxFrontend = _frontend("OnnxFrontend", "onnx", "onnx")
TFLiteFrontend = _frontend("TFLiteFrontend", "tflite", "tflite")
PyTorchFrontend = _frontend("PyTorchFrontend", "pytorch", "pt2", "pth")
RelayFrontend = _frontend("RelayFrontend", "relay", "relay")
ALL_FRONTENDS = (OnnxFrontend, TFLiteFrontend, PyTorchFrontend, RelayFrontend)
REFUSED = {"keras": "h5", "pb": "pb", "paddle": "pdmodel"}
"""The formats of TVM that there are not, with the endings of their files."""


def get_frontend_names() -> list[str]:
    """Return the names of the formats."""
    return [kind.name() for kind in ALL_FRONTENDS]


def get_frontend_by_name(name: str) -> Frontend:
    """Return the reader of a format."""
    for kind in ALL_FRONTENDS:
        if kind.name() == name:
            return kind()
    if name in REFUSED:
        raise UnsupportedError(f"format {name}: is not read; write the model as ONNX or TFLite")
    raise TVMCException(f"format {name!r}: is not known; give one of {', '.join(get_frontend_names())}")


def guess_frontend(path: str | Path) -> Frontend:
    """Return the reader of the format that the ending of a file says."""
    suffix = Path(path).suffix.lower().lstrip(".")
    for kind in ALL_FRONTENDS:
        if suffix in kind.suffixes():
            return kind()
    named = {ending: name for name, ending in REFUSED.items()}
    return get_frontend_by_name(named.get(suffix, Path(path).suffix))


def load_model(
    path: str | Path, model_format: str | None = None, shape_dict: Shapes | None = None, **kwargs: Any
) -> TVMCModel:
    """Read a model of ONNX, TFLite, PyTorch (an exported program) or Relay's text; `shape_dict` fixes open shapes."""
    try:
        frontend = get_frontend_by_name(model_format) if model_format else guess_frontend(path)
    except (TVMCException, UnsupportedError) as error:
        raise type(error)(f"{path}: {error}") from None
    return TVMCModel(*frontend.load(path, shape_dict, **kwargs))


__all__ = [
    "OnnxFrontend",
    "PyTorchFrontend",
    "RelayFrontend",
    "TFLiteFrontend",
    "get_frontend_by_name",
    "get_frontend_names",
    "guess_frontend",
    "load_model",
]
