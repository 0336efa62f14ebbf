"""Optional packages: the modules of each extra of the distribution, and what an error says where one is missing.

Whoever uses an optional package imports it by `optional_module`; a command asks `require_extra` before it starts to
work. `s2s doctor` lists the same table.
"""

import importlib
import importlib.util
from typing import Any, Literal

from s2s.errors import InputError
from s2s.support.frozen import frozen

ExtraName = Literal[
    "verify", "tflm", "litert", "torch", "report", "tune", "farm", "serial", "sign", "media", "tables", "mixed"
]


@frozen
class Extra:
    """An extra of pyproject.toml."""

    modules: tuple[str, ...]
    """The modules that s2s imports of it, and the modules that they need but do not ask for."""
    use: str


EXTRAS: dict[ExtraName, Extra] = {
    "verify": Extra(("onnxruntime",), "runs ONNX models for `s2s verify` and `s2s quantize`"),
    "tflm": Extra(("tflite_micro", "absl", "bitarray", "yaml"), "runs TFLite models for `s2s verify`"),
    "litert": Extra(("ai_edge_litert",), "runs TFLite models for `s2s verify --against litert`"),
    "torch": Extra(("torch",), "reads PyTorch models"),
    "report": Extra(("matplotlib",), "draws the page of `s2s report --html`"),
    "tune": Extra(("lightgbm", "optuna"), "predicts costs and proposes schedules for `s2s tune`"),
    "farm": Extra(("distributed", "dask", "cloudpickle"), "measures on other machines (`s2s farm`)"),
    "sign": Extra(("cryptography",), "signs packs of weights for `s2s pack --sign`"),
    "media": Extra(("soundfile", "PIL"), "decodes sounds and images for `s2s run` and `s2s quantize`"),
    "tables": Extra(("pyarrow",), "reads Parquet and Arrow files for `s2s quantize --data`"),
    "mixed": Extra(("scipy",), "chooses widths within bounds for `s2s quantize --flash`"),
    "serial": Extra(("serial", "cobs"), "talks to boards for `s2s verify --on serial:PORT`"),
}


def is_installed(module: str) -> bool:
    """Whether the top-level module `module` can be imported; it is not imported."""
    return importlib.util.find_spec(module) is not None


def missing_modules(extra: ExtraName) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra].modules if not is_installed(module)]


def require_extra(extra: ExtraName, place: str, instead: str = "") -> None:
    """Refuse to start what needs an extra: InputError if a module of it is missing.

    `place` is the option or function that needs it, such as `--html`; `instead` is another way out (`--tuner ga`).
    """
    if modules := missing_modules(extra):
        raise _refusal(extra, place, modules[0], instead)


def optional_module(name: str, extra: ExtraName, place: str, instead: str = "") -> Any:
    """Import module `name`, which comes with `extra`; InputError with the way to install it if that fails."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise _refusal(extra, place, error.name or name, instead) from error


def _refusal(extra: ExtraName, place: str, module: str, instead: str) -> InputError:
    way = f"{install_command(extra)}, or {instead}" if instead else install_command(extra)
    return InputError(f"{place}: needs {module.partition('.')[0]}, which is not installed; {way}")


def install_command(extra: ExtraName) -> str:
    """The command that installs an extra beside an installed s2s."""
    return f"pip install 's2s-compiler[{extra}]'"
