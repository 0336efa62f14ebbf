"""Importers have TVM's arguments; what a model says of itself cannot be said otherwise."""

from collections.abc import Mapping
from typing import Any

import pytest

from s2s.errors import S2SError
from s2s.tvm import relay
from support.onnx_text import onnx_model

MODEL = onnx_model("(float[1, 4] x) => (float[1, 4] y) { y = Relu (x) }")


def test_a_model_is_read_with_the_arguments_of_tvm():
    mod, params = relay.frontend.from_onnx(MODEL, {"x": (1, 4)}, "float32", None, True)
    assert params == {}
    assert "main" in mod


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": {"x": "int8"}}, r"from_onnx: x: the model has float32\[1, 4\]; leave it out"),
        ({"dtype": {"z": "int8"}}, "from_onnx: 'z': the model has no such input; its inputs are x"),
        ({"opset": 7}, "from_onnx: opset 7: the model has"),
        ({"convert_config": {"a": 1}}, "from_onnx: convert_config: there is one way to read a model"),
    ],
)
def test_what_the_model_says_otherwise_is_refused(arguments: Mapping[str, Any], message: str):
    with pytest.raises(S2SError, match=message):
        relay.frontend.from_onnx(MODEL, **arguments)
