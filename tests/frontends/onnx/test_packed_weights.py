"""Weights of at most four bits that a model dequantises before a product stay packed."""

from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s import api
from s2s.types.dtypes import Array

K, N = 80, 24
FLOAT = onnx.TensorProto.FLOAT


def model(
    kind: str, constants: dict[str, Array], dequantised: dict[str, Any], rows: int = 3, **attributes: Any
) -> onnx.ModelProto:
    """`x[rows, 80]` times weights that are dequantised."""
    nodes = [
        helper.make_node("DequantizeLinear", [*constants], ["d"], **dequantised),
        helper.make_node(kind, ["x", "d"], ["y"], **attributes),
    ]
    graph = helper.make_graph(
        nodes,
        "packed",
        [helper.make_tensor_value_info("x", FLOAT, [rows, K])],
        [helper.make_tensor_value_info("y", FLOAT, [rows, N])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)


def constants(dtype: Any, *shape: int, zero_points: bool = False) -> dict[str, Array]:
    """Weights `[80, 24]`, scales of a shape, and zero points of the same."""
    rng, info = np.random.default_rng(3), ml_dtypes.iinfo(dtype)
    low, high = int(info.min), int(info.max) + 1
    found = {
        "w": rng.integers(low, high, (K, N)).astype(dtype),
        "scales": rng.uniform(0.01, 0.1, shape).astype(np.float32),
    }
    if zero_points:
        found["zeros"] = rng.integers(low, high, shape).astype(dtype)
    return found


def product(x: Array, given: dict[str, Array], block: int) -> Array:
    """What the model computes, in float64; blocks along the first axis."""
    wide = {name: value.astype(np.float64) for name, value in given.items()}
    if wide["scales"].ndim == 2:
        for name in wide.keys() - {"w"}:
            wide[name] = np.repeat(wide[name], block, axis=0)[:K]
    return x.astype(np.float64) @ ((wide["w"] - wide.get("zeros", 0)) * wide["scales"])


CASES: list[tuple[Any, tuple[int, ...], dict[str, Any], bool]] = [
    (ml_dtypes.int4, (5, N), {"axis": 0, "block_size": 16}, True),
    (ml_dtypes.uint4, (3, N), {"axis": 0, "block_size": 32}, True),
    (ml_dtypes.uint4, (N,), {"axis": 1}, False),
    (ml_dtypes.int4, (), {}, False),
    (ml_dtypes.int2, (N,), {"axis": 1}, False),
]


@pytest.mark.parametrize(("dtype", "shape", "attributes", "zero_points"), CASES)
def test_products_with_packed_weights_are_right(
    dtype: Any, shape: tuple[int, ...], attributes: dict[str, Any], zero_points: bool
):
    given = constants(dtype, *shape, zero_points=zero_points)
    x = np.random.default_rng(4).standard_normal((3, K)).astype(np.float32)
    with api.compile(model("MatMul", given, attributes), target="c") as artifact:
        found = artifact.run({"x": x})["y"]
        assert artifact.report().weights < K * N
    expected = product(x, given, attributes.get("block_size", 1))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_bytes_with_blocks_of_scales_keep_one_scale_for_each(dtype: Any):
    given = constants(dtype, 5, N, zero_points=True)
    x = np.random.default_rng(4).standard_normal((3, K)).astype(np.float32)
    with api.compile(model("MatMul", given, {"axis": 0, "block_size": 16}), target="c") as artifact:
        assert artifact.report().weights == N * (K + 5 * (4 + 1))
        found = artifact.run({"x": x})["y"]
    np.testing.assert_allclose(found, product(x, given, 16), rtol=1e-4, atol=2e-3)


def test_a_dense_layer_with_turned_weights_keeps_them_packed():
    given = constants(ml_dtypes.int4, N)
    turned = {**given, "w": np.asarray(given["w"].T, order="C")}
    x = np.random.default_rng(4).standard_normal((3, K)).astype(np.float32)
    with api.compile(model("Gemm", turned, {"axis": 0}, transB=1), target="c") as artifact:
        found = artifact.run({"x": x})["y"]
        assert artifact.report().weights == N * 3 * (32 // 2 + 4)
    np.testing.assert_allclose(found, product(x, given, 1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "target", "form"),
    [(1, "x86-64-v3", "packed"), (128, "x86-64-v3", "floats"), (128, "cortex-m4", "packed"), (512, "c", "packed")],
)
def test_rows_decide_about_packed_weights(rows: int, target: str, form: str):
    given = constants(ml_dtypes.int4, 5, N, zero_points=True)
    made = model("MatMul", given, {"axis": 0, "block_size": 16}, rows=rows)
    with api.compile(made, target=target) as artifact:
        (decision,) = (each for each in artifact.decisions if each.kind == "packed weights")
        assert decision.chosen == form
        assert len(decision.candidates) == 2
        assert artifact.verify().passed


@pytest.mark.parametrize(("rows", "form"), [(1, "floats"), (128, "packed")])
def test_packed_weights_are_as_the_user_decides(rows: int, form: str):
    given = constants(ml_dtypes.uint4, N, zero_points=True)
    made = model("MatMul", given, {"axis": 1}, rows=rows)
    with api.compile(made, target="x86-64-v3") as artifact:
        (decision,) = (each for each in artifact.decisions if each.kind == "packed weights")
    entry = {"kind": decision.kind, "subject": decision.subject, "chosen": form}
    x = np.random.default_rng(4).standard_normal((rows, K)).astype(np.float32)
    decisions = {"format": 1, "decisions": [entry]}
    with api.compile(made, target="x86-64-v3", decisions=decisions) as artifact:
        assert (artifact.report().weights >= K * N * 4) == (form == "floats")
        np.testing.assert_allclose(artifact.run({"x": x})["y"], product(x, given, 1), rtol=1e-4, atol=1e-4)


def test_scales_that_change_along_the_sum_are_dequantised():
    given = constants(ml_dtypes.int4, K)
    x = np.random.default_rng(4).standard_normal((3, K)).astype(np.float32)
    with api.compile(model("MatMul", given, {"axis": 0}), target="c") as artifact:
        found = artifact.run({"x": x})["y"]
        assert artifact.report().weights == K * N * 4
    wide = given["w"].astype(np.float64) * given["scales"][:, None]
    np.testing.assert_allclose(found, x @ wide, rtol=1e-4, atol=1e-4)
