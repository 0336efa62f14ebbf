"""Operators on integers and truth values: what their plain loops compute, and that C compilers can vectorise them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s import api
from s2s.artifact import Artifact
from s2s.emit.stream import pieces
from s2s.types.dtypes import Array

ROWS, COLUMNS = 4, 300
TYPES: Mapping[str, Any] = {"i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64}


def compiled(
    kind: str, *operands: Array, constants: tuple[Array, ...] = (), target: str = "host", **attributes: Any
) -> Artifact:
    """A network of one operator."""
    names = [f"x{number}" for number in range(len(operands))]
    stored = [numpy_helper.from_array(array, f"c{number}") for number, array in enumerate(constants)]
    node = helper.make_node(kind, [*names, *(each.name for each in stored)], ["y"], "node", **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in zip(names, operands, strict=True)
    ]
    graph = helper.make_graph([node], "one", inputs, [onnx.ValueInfoProto(name="y")], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return api.compile(model, target=target)


def result(artifact: Artifact, *operands: Array) -> Array:
    """What it computes."""
    with artifact:
        return artifact.run({f"x{number}": array for number, array in enumerate(operands)})["y"]


def kernels(artifact: Artifact) -> str:
    """The text of its kernels."""
    files = artifact.tree().files.items()
    return "".join(b"".join(pieces(text)).decode() for name, text in files if name.endswith("_kernels.c"))


def integers(dtype: Any, seed: int = 0) -> Array:
    """Integers of the whole range of a type."""
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, (ROWS, COLUMNS), dtype, endpoint=True)


def truth() -> Array:
    """Truth values."""
    return np.random.default_rng(3).random((ROWS, COLUMNS)) < 0.5


def test_a_negation_reads_bytes() -> None:
    artifact = compiled("Not", truth())
    assert "!s2s_bool_at(" in kernels(artifact)
    np.testing.assert_array_equal(result(artifact, truth()), ~truth())


def test_a_truth_value_chooses_its_number() -> None:
    artifact = compiled("Cast", truth(), to=onnx.TensorProto.FLOAT)
    assert "? 1.0f : 0.0f" in kernels(artifact)
    np.testing.assert_array_equal(result(artifact, truth()), truth().astype(np.float32))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_clip_of_bytes_is_a_plain_loop(dtype: Any) -> None:
    limits = np.array(5, dtype), np.array(60, dtype)
    x = integers(dtype)
    artifact = compiled("Clip", x, constants=limits, target="x86-64-v3")
    assert "x8_" not in kernels(artifact)
    np.testing.assert_array_equal(result(compiled("Clip", x, constants=limits), x), np.clip(x, *limits))


@pytest.mark.parametrize(
    ("kind", "fold", "dtype"),
    [
        ("ReduceMax", np.maximum.reduce, np.int8),
        ("ReduceMax", np.maximum.reduce, np.int32),
        ("ReduceMin", np.minimum.reduce, np.int8),
        ("ReduceSum", np.add.reduce, np.int32),
    ],
)
def test_a_reduction_of_rows_is_a_plain_loop(kind: str, fold: Any, dtype: Any) -> None:
    x, axes = integers(dtype), np.array([1], np.int64)
    artifact = compiled(kind, x, constants=(axes,), keepdims=0, target="x86-64-v3")
    assert "x8_" not in kernels(artifact)
    expected = fold(x, 1).astype(dtype)
    np.testing.assert_array_equal(result(compiled(kind, x, constants=(axes,), keepdims=0), x), expected)


@pytest.mark.parametrize("name", ["i8", "u8", "i32", "i64"])
def test_a_cast_saturates_in_every_lane(name: str) -> None:
    limits = np.iinfo(TYPES[name])
    special = [0.0, -0.5, 0.99, 1.5, -1.0, 254.5, 255.0, 256.0, -128.5, -129.0, 127.9, 128.0, 3e9, -3e9, 1e19, -1e19]
    x = np.array([*special, np.inf, -np.inf, np.nan, 2.0**31, -(2.0**31), -(2.0**63), 2.0**63], np.float32)
    x = np.tile(x, 13)
    to = helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[name]))
    expected = [0 if np.isnan(each) else int(max(limits.min, min(limits.max, np.trunc(each)))) for each in x.tolist()]
    np.testing.assert_array_equal(result(compiled("Cast", x, to=to), x), np.array(expected, TYPES[name]))


def test_a_quotient_of_integers_is_exact() -> None:
    shifts = np.random.default_rng(2).integers(0, 31, (ROWS, COLUMNS), np.int32)
    a, b = integers(np.int32), integers(np.int32, 1) >> shifts
    a[0, :4], b[0, :4] = -(2**31), (-1, 0, 1, -(2**31))
    a[1, :3], b[1, :3] = 2**31 - 1, (1, 2**31 - 1, 2)
    wide = b.astype(np.int64)
    expected = np.where(b == 0, 0, np.trunc(a.astype(np.longdouble) / np.where(wide == 0, 1, wide))).astype(np.int64)
    np.testing.assert_array_equal(result(compiled("Div", a, b), a, b), expected.astype(np.int32))
