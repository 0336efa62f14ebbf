"""The networks that are measured, and the script that makes the large ones.

Models and script stand in `../shared` beside the checkout; without them only generated networks can be measured.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from s2s.errors import InputError, ToolchainError

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
READY_MADE = SHARED / "models" / "onnx"
MLPERF_TINY = SHARED / "models" / "mlperf_tiny"
MAKER = SHARED / "bench" / "make_models.py"
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
CACHE = ROOT / "build" / "models"
"""Where made models are kept by default; `build/` is no part of the repository."""

TINY = ("tiny_kws_dscnn", "tiny_ic_resnet8", "tiny_vww_mobilenet", "tiny_ad_autoencoder")
IMAGE = ("mobilenet_v2", "resnet18")
NETWORKS = (*TINY, *IMAGE)
"""What the speed of default schedules is judged on."""


def find_model(name: str, cache: Path = CACHE) -> Path:
    """The file of a model: a path as it stands, one of the ready-made ones, or one that is made now and kept."""
    for path in (Path(name), READY_MADE / f"{name}.onnx", MLPERF_TINY / f"{name}.tflite", cache / f"{name}.onnx"):
        if path.suffix in (".onnx", ".tflite") and path.is_file():
            return path
    return make_model(name, cache)


def make_model(name: str, cache: Path) -> Path:
    """Run the script that makes models for the one of this name."""
    if not MAKER.is_file():
        raise InputError(f"{name}: neither the model nor {MAKER} is there; give the path of an ONNX file")
    command = [sys.executable, str(MAKER), str(cache), "--only", f"^{name}$", "--no-int8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    path = cache / f"{name}.onnx"
    if done.returncode or not path.is_file():
        last = (done.stderr.strip() or f"{MAKER.name} knows no {name}").splitlines()[-1]
        raise ToolchainError(f"{name}: cannot be made: {last}; making models takes pip install '.[bench]'")
    return path


def available(names: Sequence[str], cache: Path = CACHE) -> tuple[dict[str, Path], dict[str, str]]:
    """The models that are there or can be made, and why the others are not."""
    found: dict[str, Path] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            found[Path(name).stem] = find_model(name, cache)
        except (InputError, ToolchainError) as error:
            missing[name] = str(error)
    return found, missing
