"""Arguments of the Python functions that are of the wrong type are refused as users read it."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.options import CompileOptions, UserOptions
from support.onnx_text import onnx_model
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
        ({"push": {"x": 2}}, r"push: {'x': 2} given; give the input and its axis: \('x', 1\)"),
        ({"streams": {"x": "y"}}, "streams: x: 'y' given; give the axis"),
        ({"steps": 3}, "steps: 3 given; give the most of a step, with its unit"),
        ({"dims": {1: 2}}, "dims: 1 given; give the size"),
        ({"external": [1]}, r"external: \[1\] given; give the names"),
        ({"pools": 3}, "pools: 3 given; give the size"),
        ({"debug": {"verify_each": True}}, "debug: {'verify_each': True} given; give s2s.DebugOptions"),
    ],
)
def test_options_have_their_types(options: dict[str, object], reason: str):
    with pytest.raises(InputError, match=reason):
        COMPILE(DIGITS, **options)


WRONG: tuple[object, ...] = (
    3, -1, 2.5, True, b"ab", object(), "text", "", {1: 2}, {"x": 2}, {"x": "y"}, {"x": {"y": 3}}, {"x": [1]},
    {"x": (1, 2, 3)}, {"x": object()}, [], ["a"], [1, 2], [None], (1, 2), ("x",), ("x", 1, 2, 3),
)  # fmt: skip


@pytest.mark.parametrize("option", [each.name for each in fields(UserOptions)])
def test_no_type_of_an_option_gives_another_error(option: str):
    """Each option takes a value, or refuses it as wrong: nothing else reaches the caller."""
    model = onnx_model("(float[2, 8] x) => (float[2, 8] y) { y = Relu(x) }")
    refusals: list[str] = []
    for wrong in WRONG:
        options: Any = {"target": "c", option: wrong}
        try:
            Compilation(model, CompileOptions(**options)).at("read")
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > len(WRONG) // 3
    assert all(option in text.replace("-", "_") or option.removesuffix("s") in text for text in refusals)


def test_samples_are_a_file_or_arrays():
    with pytest.raises(InputError, match=r"samples: int given; give a file or a folder"):
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
