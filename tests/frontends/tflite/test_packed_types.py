"""Constants of two and four bits where LiteRT's kernels take them, against LiteRT; float8, which its builds refuse."""

from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from support.compiled import run_c

T = TensorSpec
RANGES = {"INT2": (-2, 2), "INT4": (-8, 8), "UINT4": (0, 16)}
DTYPES = {"INT2": np.int8, "INT4": np.int8, "UINT4": np.uint8}


def constant(kind: str, shape: tuple[int, ...], axis: int | None, seed: int = 0) -> TensorSpec:
    random = np.random.default_rng(seed)
    data = random.integers(*RANGES[kind], shape).astype(DTYPES[kind])
    scale = random.uniform(0.01, 0.1, 1 if axis is None else shape[axis]).astype(np.float32)
    return T("w", shape, kind, data=data, scale=scale, axis=axis or 0)


def check(data: bytes, inputs: list[Any], tolerance: float = 0.0) -> None:
    imported = import_model(data)
    [found] = run_graph(imported.module, inputs, imported.weights)
    wanted = run_litert(data, inputs)[0]
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * float(np.abs(wanted).max()))


def product(kind: str, axis: int | None, *, floats: bool) -> bytes:
    rows: dict[str, Any] = {} if floats else {"type": "INT8", "scale": 0.05, "zero_point": 3}
    result: dict[str, Any] = {} if floats else {"type": "INT8", "scale": 0.02, "zero_point": -4}
    operands = [T("x", (3, 16), **rows), constant(kind, (6, 16), axis)]
    return single("FULLY_CONNECTED", operands, [T("y", (3, 6), **result)], "FullyConnectedOptions")


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("kind", ["INT2", "INT4"])
def test_products_of_integers_equal_litert(kind: str, axis: int | None):
    x = np.random.default_rng(1).integers(-128, 128, (3, 16)).astype(np.int8)
    data = product(kind, axis, floats=False)
    imported = import_model(data, rounding="reference")
    [found] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(found, run_litert(data, [x])[0])


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("kind", ["INT2", "INT4"])
def test_products_of_floats_equal_litert(kind: str, axis: int | None):
    x = np.random.default_rng(2).normal(size=(3, 16)).astype(np.float32)
    check(product(kind, axis, floats=True), [x], 1e-6)


@pytest.mark.parametrize("kind", RANGES)
def test_dequantised_constants_equal_litert(kind: str):
    added = [T("x", (5, 7)), T("z", (5, 7))]
    x = np.random.default_rng(3).normal(size=(5, 7)).astype(np.float32)
    check(_dequantized(kind, None, added), [x])
    check(_dequantized(kind, 1, added), [x])


def _dequantized(kind: str, axis: int | None, added: list[TensorSpec]) -> bytes:
    tensors = [constant(kind, (5, 7), axis), T("r", (5, 7)), *added]
    operators = [
        OperatorSpec("DEQUANTIZE", ["w"], ["r"]),
        OperatorSpec("ADD", ["x", "r"], ["z"], "AddOptions"),
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["z"])])


@pytest.mark.parametrize("kind", ["INT2", "INT4"])
def test_rows_of_tables_equal_litert(kind: str):
    wanted = np.array([4, 0, 3], np.int32)
    data = single("EMBEDDING_LOOKUP", [T("i", (3,), "INT32"), constant(kind, (5, 8), None)], [T("y", (3, 8))])
    check(data, [wanted])


def test_two_bits_on_a_small_core_equal_litert():
    data = product("INT2", 0, floats=False)
    x = np.random.default_rng(1).integers(-128, 128, (3, 16)).astype(np.int8)
    with compile_artifact(data, CompileOptions(target="cortex-m4", tflite_rounding="reference")) as artifact:
        np.testing.assert_array_equal(run_c(artifact, [x])[0], run_litert(data, [x])[0])


@pytest.mark.parametrize("kind", ["FLOAT8_E4M3FN", "FLOAT8_E5M2"])
def test_float8_is_refused_as_by_litert(kind: str):
    codes = np.arange(4, dtype=np.uint8)
    data = single("DEQUANTIZE", [T("w", (4,), kind, data=codes)], [T("y", (4,))])
    with pytest.raises(
        UnsupportedError, match="is not supported, nor by LiteRT as it is built; use a real number type"
    ):
        import_model(data)
    with pytest.raises((RuntimeError, ValueError)):
        run_litert(data, [])
