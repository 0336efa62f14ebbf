"""Run a random network at sizes within its bounds, beside onnxruntime."""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.random_lengths import Drawn
from support.varying_networks import session

_STATE: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
FAILURES: tuple[type[Exception], ...] = (_STATE.InvalidArgument, _STATE.RuntimeException)
"""What onnxruntime raises at sizes that it does not take."""
RTOL, ATOL = 1e-3, 1e-4


class Outcome(NamedTuple):
    """What became of a network."""

    refusal: str = ""
    """The message, if the network is not compiled."""
    runs: int = 0
    """The number of sizes at which its results were compared."""
    difference: str = ""
    """The first difference, with the size."""


def outcome_of(drawn: Drawn, seed: int, folder: Path, count: int) -> Outcome:
    """Compile `drawn` in `folder`, and compare its results with onnxruntime's at `count` sizes, the least one and the
    greatest one among them."""
    file, random = onnx_file(drawn.text, folder, 17), np.random.default_rng(seed)
    engine = session(file)
    try:
        artifact = api.compile(file, target="c", dims={"N": (drawn.least, drawn.most)})
    except (InputError, UnsupportedError) as error:  # such as windows larger than the greatest input
        return Outcome(refusal=str(error))
    sizes = {drawn.least, drawn.most, *random.integers(drawn.least, drawn.most + 1, count - 2).tolist()}
    runs = 0
    with artifact:
        for size in sorted(sizes):
            x: Array = random.standard_normal((1, 3, size)).astype(np.float32)
            try:
                (expected,) = engine.run(None, {"x": x})
            except FAILURES:  # a window larger than its input
                continue
            if 0 in expected.shape:
                continue
            (actual,) = artifact.run({"x": x}).values()
            runs += 1
            if actual.shape != expected.shape or not np.allclose(actual, expected, rtol=RTOL, atol=ATOL):
                return Outcome(runs=runs, difference=_difference(actual, expected, size))
    return Outcome(runs=runs)


def _difference(actual: Array, expected: Array, size: int) -> str:
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)} for {list(expected.shape)} at N = {size}"
    return f"{np.abs(actual - expected).max():.3g} at N = {size}"
