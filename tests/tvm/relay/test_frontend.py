"""Importers have TVM's arguments; what a model says of itself cannot be said otherwise."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pytest
import tflite  # pyright: ignore[reportMissingTypeStubs]

from s2s.errors import S2SError
from s2s.tvm import relay
from support.onnx_text import onnx_model
from support.planted_channels import live_layers, tflite_model

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


def test_an_object_of_the_package_tflite_is_a_model():
    content = tflite_model(live_layers(np.random.default_rng(0), pairs=1))
    read: Any = tflite.Model.GetRootAs(content, 0)  # pyright: ignore[reportUnknownMemberType]
    shape = cast("relay.TensorType", relay.frontend.from_tflite(content)[0]["main"].params[0].checked_type).shape
    module, params = relay.frontend.from_tflite(read, shape_dict={"x0": shape}, dtype_dict={"x0": "int8"})
    assert "int8" in str(module["main"].params[0].checked_type)
    assert params
    with pytest.raises(S2SError, match="from_tflite: 'z': the model has no such input; its inputs are x0"):
        relay.frontend.from_tflite(read, dtype_dict={"z": "int8"})
