"""Bounds of an index stay within its type: of `uint8` that counts from the end none is below 0."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError
from support.onnx_text import onnx_model

TYPES = ("uint8", "int8", "uint16", "int16", "int32", "int64")


@pytest.mark.parametrize("name", TYPES)
def test_an_index_of_any_type_is_checked(name: str) -> None:
    nodes = "a = Cast <to = 7> (at) y = Gather (x, a)"
    model = onnx_model(f"(float[5, 3] x, {name}[2] at) => (float[2, 3] y) {{ {nodes} }}")
    x = np.arange(15, dtype=np.float32).reshape(5, 3)
    with api.compile(model, target="c") as artifact:
        found = artifact.run({"x": x, "at": np.array([4, 0], name)})["y"]
        np.testing.assert_array_equal(found, x[[4, 0]])
        with pytest.raises(InputError):
            artifact.run({"x": x, "at": np.array([5, 0], name)})
        if name.startswith("int"):
            found = artifact.run({"x": x, "at": np.array([-1, -5], name)})["y"]
            np.testing.assert_array_equal(found, x[[4, 0]])
