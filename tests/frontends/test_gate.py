"""An untrusted model is read in a child process first, whose time and memory are limited."""

import os
import signal
import time
from collections.abc import Callable

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gate import try_reading
from s2s.options import CompileOptions
from support.onnx_text import onnx_model


def refused() -> None:
    raise UnsupportedError("a (B): c is not supported; do d")


def test_a_refusal_is_that_of_the_child() -> None:
    with pytest.raises(UnsupportedError, match="a \\(B\\): c is not supported; do d"):
        try_reading(refused, "model")


WAYS: dict[str, tuple[Callable[[], object], str]] = {
    "memory": (lambda: np.ones(2**33, np.uint8), "fails: memory ran out"),
    "time": (lambda: time.sleep(60), "takes more than 1 s"),
    "crash": (lambda: os.kill(os.getpid(), signal.SIGKILL), "fails: ended by SIGKILL"),
    "bug": (lambda: 1 // 0, "fails: ZeroDivisionError"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_the_child_is_a_refusal(way: str) -> None:
    read, reason = WAYS[way]
    with pytest.raises(InputError, match=f"model.onnx: reading it within 2048 MB {reason}"):
        try_reading(read, "model.onnx", seconds=1.0)


def test_a_sound_model_is_read() -> None:
    model = onnx_model("(float[2] x) => (float[2] y) { y = Neg(x) }")
    artifact = compile_artifact(model, CompileOptions(target="c", untrusted=True))
    assert [port.name for port in artifact.info.inputs] == ["x"]
