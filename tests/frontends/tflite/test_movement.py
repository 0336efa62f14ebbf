"""Operators that only move elements, on random shapes and every element type, against TFLite-Micro bit for bit."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import UnsupportedError
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.targets.flags import STANDARD
from support.tflite_checks import run_imported, same_as_micro
from support.tflite_movement_cases import MAKERS
from support.tflite_movement_layers import DTYPES, Draw, ints, side_by_side

CASES = 25

MICRO = {
    "BATCH_TO_SPACE_ND": ("FLOAT32", "INT8"),
    "BROADCAST_TO": ("FLOAT32", "INT8", "INT16", "INT32"),
    "CONCATENATION": ("FLOAT32", "INT8", "INT16", "INT32", "INT64", "BOOL"),
    "DEPTH_TO_SPACE": ("FLOAT32", "INT8"),
    "DYNAMIC_UPDATE_SLICE": ("FLOAT32", "INT8", "INT16", "INT32"),
    "EMBEDDING_LOOKUP": ("FLOAT32", "INT8"),
    "EXPAND_DIMS": ("FLOAT32", "INT8", "INT16"),
    "FILL": ("FLOAT32", "INT8", "INT32"),
    "GATHER": ("FLOAT32", "INT8"),
    "GATHER_ND": ("FLOAT32", "INT8"),
    "MIRROR_PAD": ("FLOAT32", "INT8"),
    "PACK": ("FLOAT32", "INT8", "INT16", "INT32", "INT64"),
    "PAD": ("FLOAT32", "INT8", "INT16", "INT32"),
    "PADV2": ("FLOAT32", "INT8", "INT16", "INT32"),
    "RESHAPE": ("FLOAT32", "INT8", "INT16", "INT32", "BOOL"),
    "REVERSE_V2": ("FLOAT32", "INT8", "UINT8", "INT16", "INT32", "INT64", "BOOL"),
    "SELECT_V2": ("FLOAT32", "INT8", "INT16"),
    "SHAPE": ("FLOAT32", "INT8"),
    "SLICE": ("FLOAT32", "INT8", "INT16", "INT32", "BOOL"),
    "SPACE_TO_BATCH_ND": ("FLOAT32", "INT8"),
    "SPACE_TO_DEPTH": ("FLOAT32", "INT8"),
    "SPLIT": ("FLOAT32", "INT8", "INT16", "INT32"),
    "SPLIT_V": ("FLOAT32", "INT8", "INT16", "INT32"),
    "SQUEEZE": ("FLOAT32", "INT8", "INT16"),
    "STRIDED_SLICE": ("FLOAT32", "INT8", "INT16", "INT32", "BOOL"),
    "TRANSPOSE": ("FLOAT32", "INT8", "INT16"),
    "UNPACK": ("FLOAT32", "INT8", "INT16", "INT32"),
    "ZEROS_LIKE": ("FLOAT32", "INT8", "INT32", "INT64"),
}
"""Element types that TFLite-Micro has each operator for."""


@pytest.mark.sample(40)
@pytest.mark.parametrize(("builtin", "kind"), [(name, kind) for name in MAKERS for kind in MICRO[name]])
def test_random_cases(builtin: str, kind: str):
    for number in range(CASES):
        layer, inputs = MAKERS[builtin](Draw(f"{builtin} {kind} {number}", kind))
        same_as_micro(layer.model(), inputs)


def test_space_to_batch_pads_with_what_stands_for_zero():
    x = np.arange(4, dtype=np.int8).reshape(1, 2, 2, 1)
    inputs = [TensorSpec("x", x.shape, "INT8", scale=0.5, zero_point=7), ints("b", [2, 2]), ints("p", [[1, 1], [0, 2]])]
    y = TensorSpec("y", (4, 2, 2, 1), "INT8", scale=0.5, zero_point=7)
    (found,) = run_imported(single("SPACE_TO_BATCH_ND", inputs, [y], "SpaceToBatchNDOptions"), [x])
    assert found[..., 0].tolist() == [[[7, 7], [2, 7]], [[7, 7], [3, 7]], [[0, 7], [7, 7]], [[1, 7], [7, 7]]]


OWN_NUMBERS = ("PADV2", "SHAPE")
"""Operators that give numbers that no input holds: a constant of the model, and sizes."""
REST = [(name, kind) for name in MAKERS for kind in DTYPES if kind not in MICRO[name] and name != "EMBEDDING_LOOKUP"]


@pytest.mark.parametrize(("builtin", "kind"), REST)
def test_other_element_types_move_alike(builtin: str, kind: str):
    """What TFLite-Micro has no kernel for is imported, and gives elements of its inputs, or zeros."""
    for number in range(4):
        layer, inputs = MAKERS[builtin](Draw(f"{builtin} {kind} {number}", kind))
        given = [0.0, *(element for array in inputs for element in array.ravel().astype(np.float64).tolist())]
        for found in run_imported(layer.model(), inputs):
            assert builtin in OWN_NUMBERS or np.isin(found.astype(np.float64), given).all()


@pytest.mark.parametrize("kind", ["INT8", "INT16", "FLOAT32", "BOOL"])
def test_all_through_c(kind: str):
    cases = [make(Draw(f"{name} {kind} C", kind)) for name, make in MAKERS.items() if name != "EMBEDDING_LOOKUP"]
    data, inputs = side_by_side([layer for layer, _ in cases]), [array for _, arrays in cases for array in arrays]
    with api.compile(data, target="c") as artifact:
        network = artifact.loaded(flags=(*STANDARD, "-O1"))
        found = network.run(dict(zip((port.name for port in network.inputs), inputs, strict=True)))
    expected = run_imported(data, inputs)
    for (name, got), wanted in zip(found.items(), expected, strict=True):
        np.testing.assert_array_equal(got.reshape(wanted.shape), wanted, err_msg=name)


def test_unsigned_parts_are_converted_to_the_scale_of_the_result():
    """TFLite has this for uint8 alone; TFLite-Micro has no kernel for it."""
    x = np.arange(256, dtype=np.uint8)
    inputs = [
        TensorSpec("x", (256,), "UINT8", scale=0.3, zero_point=7),
        TensorSpec("z", (2,), "UINT8", scale=0.5, zero_point=100),
    ]
    y = TensorSpec("y", (258,), "UINT8", scale=0.5, zero_point=100)
    data = single("CONCATENATION", inputs, [y], "ConcatenationOptions", axis=0)
    (found,) = run_imported(data, [x, np.array([3, 4], np.uint8)])
    factor = np.float32(0.3) * (np.float32(1) / np.float32(0.5))
    reals = x.astype(np.float32) * factor + np.float32(-7) * factor
    expected = [max(0, min(255, int(np.floor(abs(real) + 0.5) * np.sign(real)) + 100)) for real in reals.tolist()]
    assert found.tolist() == [*expected, 3, 4]


def test_signed_parts_of_other_scales_are_refused():
    inputs = [TensorSpec("x", (2,), "INT8", scale=0.3), TensorSpec("z", (2,), "INT8", scale=0.5)]
    y = TensorSpec("y", (4,), "INT8", scale=0.5)
    with pytest.raises(UnsupportedError, match=r"input 'x' has scale 0.3 and zero point 0, the result 0.5 and 0; give"):
        run_imported(single("CONCATENATION", inputs, [y], "ConcatenationOptions", axis=0), [])
