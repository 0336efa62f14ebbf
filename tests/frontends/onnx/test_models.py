"""Whole networks through the frontend give the numbers of onnxruntime."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from s2s.frontends.onnx import import_model
from s2s.types.dtypes import Array
from support.onnx_nodes import free_inputs, run_imported, run_onnxruntime
from support.project import ROOT, SHARED

FOLDER = SHARED / "models" / "onnx"
MODELS = sorted(FOLDER.glob("*.onnx"))


def sample(value: onnx.ValueInfoProto, seed: int) -> Array:
    """Numbers for an input."""
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    numbers = np.random.default_rng(seed).normal(size=shape)
    return (numbers if dtype.kind == "f" else numbers * 30).astype(dtype)


@pytest.mark.skipif(not MODELS, reason="the folder ../shared/models/onnx is absent")
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_model(path: Path):
    model = onnx.ModelProto.FromString(path.read_bytes())
    shapes = {value.name: sample(value, 0).shape for value in model.graph.input if value.name in free_inputs(model)}
    inputs = [sample(value, 0) for value in model.graph.input if value.name in shapes]
    found = run_imported(import_model(model, shapes=shapes), inputs)
    for actual, expected in zip(found, run_onnxruntime(model, inputs), strict=True):
        scale = max(float(np.abs(expected).max()), 1e-3)
        assert float(np.abs(actual.astype(np.float64) - expected).max()) <= 1e-4 * scale


def test_digits():
    model = onnx.ModelProto.FromString((ROOT / "examples" / "digits" / "digits.onnx").read_bytes())
    inputs = [sample(value, 0) for value in model.graph.input if value.name in free_inputs(model)]
    (found,), (expected,) = run_imported(import_model(model), inputs), run_onnxruntime(model, inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
