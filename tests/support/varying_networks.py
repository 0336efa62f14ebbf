"""ONNX networks with dimensions of varying size, written as text, and onnxruntime as their oracle."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]

from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.threads import one_thread


def model(text: str, folder: Path, opset: int = 17) -> Path:
    """The model of a text in which constants are question marks."""
    rng = np.random.default_rng(3)

    def made_up(declaration: re.Match[str]) -> str:
        count = np.prod([int(size) for size in declaration[1].split(",")])
        return f"{declaration[0][:-1]}{{{', '.join(f'{value:.4f}' for value in rng.standard_normal(count) * 0.3)}}}"

    return onnx_file(re.sub(r"float\[([\d,]+)\] \w+ = \?", made_up, text), folder, opset)


def session(file: Path) -> Any:
    runtime: Any = onnxruntime
    options = one_thread()
    options.log_severity_level = 3
    return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def inputs_of(engine: Any, size: int, others: Mapping[str, int] = {}) -> dict[str, Array]:
    """Random inputs of a network in which every open dimension has this size but for `others`."""
    rng, found = np.random.default_rng(size), dict[str, Array]()
    for port in engine.get_inputs():
        shape = [others.get(dim, size) if isinstance(dim, str) else dim for dim in port.shape]
        found[port.name] = (
            rng.standard_normal(shape).astype(np.float32)
            if port.type == "tensor(float)"
            else rng.integers(0, 2, shape).astype(np.bool_ if port.type == "tensor(bool)" else np.int64)
        )
    return found


def names_of_sizes(engine: Any) -> list[str]:
    """The names of the open dimensions of a network's inputs."""
    return sorted({dim for port in engine.get_inputs() for dim in port.shape if isinstance(dim, str)})
