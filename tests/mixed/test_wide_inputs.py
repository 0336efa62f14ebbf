"""Layers get inputs of 16 bits where 8 bits do not reach the accuracy that is asked."""

# The types of onnx are partly unknown.
# pyright: reportUnknownMemberType=false

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from s2s import api
from s2s.types.dtypes import Array
from support.boards import board_or_skip
from support.project import ROOT

pytest.importorskip("onnxruntime")
pytest.importorskip("scipy")

FOLDER = ROOT / "examples" / "digits"


def with_a_large_channel() -> onnx.ModelProto:
    """The digits, with one channel in front of the second convolution that is 400 times as large as before."""
    model = onnx.load(FOLDER / "digits.onnx")
    for tensor in model.graph.initializer:
        values: Array = numpy_helper.to_array(tensor).copy()
        if tensor.name in ("conv1.weight", "conv1.bias"):
            values[5] *= 400
        if tensor.name == "conv2.weight":
            values[:, 5] /= 400
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return model


def test_sixteen_bits_are_taken_where_the_range_of_a_tensor_needs_them():
    board_or_skip("qemu:m4")
    held = np.load(FOLDER / "held_out.npz")
    test = {"image": held["images"][:100], "digit": held["labels"][:100]}
    samples = {"image": np.load(FOLDER / "calibration.npz")["image"][:60]}
    made, picked = api.quantize_within(
        with_a_large_channel(),
        samples,
        min_accuracy=0.9,
        refine=False,
        labels="digit",
        test=test,
        requantise="fixed",
    )
    assert picked.point.plan == {"conv1": "int8", "conv2": "int16", "classify": "int8"}
    narrow = [point.metric for point in picked.front if "int16" not in point.plan.values()]
    assert all(metric is not None and metric < 0.6 for metric in narrow)
    assert made.accuracy is not None
    assert made.accuracy.integers >= 90
    assert picked.predicted.flash == pytest.approx(picked.point.price.flash, rel=0.03)
    assert picked.predicted.cycles == pytest.approx(picked.point.price.cycles, rel=0.03)
    [line] = [line for line in picked.describe() if line.startswith("conv2")]
    assert "16 bits of its input take +" in line
    inputs = {"image": test["image"][:1]}
    with api.compile(made.model, target="c", requantise="fixed") as artifact:
        assert artifact.run(inputs)["probabilities"].argmax() == test["digit"][0]
