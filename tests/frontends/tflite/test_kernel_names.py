"""An operator of bytes that is composed of many small ones gives its name to their kernels."""

import json

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from support.tflite_case import network
from support.tflite_cases import GENERATORS

NAMES = {"SOFTMAX": "softmax", "LOG_SOFTMAX": "log_softmax", "L2_NORMALIZATION": "l2_norm"}
CASES = [(builtin, kind) for builtin in NAMES for kind in GENERATORS[builtin] if kind.startswith("int8")]


@pytest.mark.parametrize(("builtin", "kind"), CASES)
def test_kernels_are_called_after_the_operator(builtin: str, kind: str):
    case = GENERATORS[builtin][kind](np.random.default_rng(3))
    with compile_artifact(network([case]), CompileOptions(name="net", target="c")) as artifact:
        kernels = json.loads(artifact.tree().text("metadata.json"))["kernels"]
    assert [name for name in kernels if not name.startswith(f"net_{NAMES[builtin]}")] == []
    assert kernels
