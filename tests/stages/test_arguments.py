"""Arguments of the Python functions that are of the wrong type are refused as users read it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.errors import InputError
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
COMPILE: Callable[..., Any] = s2s.compile
QUANTIZE: Callable[..., Any] = s2s.quantize


@pytest.mark.parametrize("model", [None, 3, ["a.onnx"]])
def test_a_model_is_a_path_bytes_or_a_message(model: object):
    with pytest.raises(
        InputError, match=r"model: .* given; give a path, the bytes of a file, an onnx\.ModelProto or a torch"
    ):
        COMPILE(model)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"target": 5}, "target: int given; give a name"),
        ({"shapes": "x"}, "shapes: str given; give the sizes"),
        ({"shapes": {"x": 3}}, "shapes: x: 3 given; give the sizes"),
        ({"shapes": {"x": (1.5,)}}, r"shapes: x: \(1.5,\) given; give the sizes"),
        ({"decisions": 3}, "decisions: int given; give a file"),
        ({"decisions": [1]}, "decisions: list given; give a file"),
        ({"records": 3}, "records: int given; give a file"),
    ],
)
def test_options_have_their_types(options: dict[str, object], reason: str):
    with pytest.raises(InputError, match=reason):
        COMPILE(DIGITS, **options)


def test_samples_are_a_file_or_arrays():
    with pytest.raises(InputError, match=r"samples: int given; give an \.npz file"):
        QUANTIZE(DIGITS, 3)


def test_an_unknown_engine_is_refused_with_those_there_are():
    artifact: Any = s2s.compile(DIGITS)
    with pytest.raises(InputError, match="--against x: is no engine; give one of onnxruntime"):
        artifact.verify(against="x")


def test_a_closed_network_says_so():
    image = {"image": np.zeros((1, 1, 8, 8), np.float32)}
    network = s2s.compile(DIGITS).loaded()
    bound = network.bind(image)
    network.close()
    network.close()
    for call in (network.reset, bound.call, lambda: network.run(image), lambda: network.bind(image)):
        with pytest.raises(InputError, match="the library is closed; load the tree again"):
            call()
