"""Sequences that a model returns, whose tensors become outputs of their own."""

import numpy as np
import pytest

from s2s.api import compile
from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model, load_model
from support.onnx_text import onnx_model

RETURNED = """(float[2, 3] x) => (float[2, 3] y, seq(float[2, 3]) z) {
    y = Relu(x)
    a = Neg(x)
    z = SequenceConstruct(y, a)
}"""
READ = """(float[2, 3] x) => (seq(float[2, 3]) z, float[2, 3] y) <int64 first = {0}> {
    z = SequenceConstruct(x, x)
    y = SequenceAt(z, first)
}"""


def test_the_tensors_are_outputs():
    pytest.importorskip("onnxruntime")
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    with compile(onnx_model(RETURNED), target="c") as artifact:
        found = artifact.run({"x": x})
        assert artifact.verify().passed
    assert list(found) == ["y", "z_0", "z_1"]
    np.testing.assert_array_equal(found["z_0"], np.maximum(x, 0))
    np.testing.assert_array_equal(found["z_1"], -x)


def test_the_model_that_is_given_stays():
    model = onnx_model(RETURNED)
    load_model(model)
    assert model == onnx_model(RETURNED)


def test_a_sequence_that_is_read_is_refused():
    with pytest.raises(UnsupportedError, match=r"\(SequenceConstruct\): sequences, optionals and maps"):
        import_model(onnx_model(READ))
