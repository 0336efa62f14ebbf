"""Constants with a scale for each block of a row: tables against LiteRT, products against their formula and XNNPACK."""

import importlib
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import RELU, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import run_c

T = TensorSpec
ROWS, COLUMNS, SIZE = 12, 64, 32
RANGES = {"INT2": (-2, 2), "INT4": (-8, 8), "INT8": (-128, 128)}


def table(kind: str, size: int = SIZE) -> tuple[list[TensorSpec], Array]:
    """The tensors of a constant, and its real numbers."""
    random = np.random.default_rng(4)
    data = random.integers(*RANGES[kind], (ROWS, COLUMNS)).astype(np.int8)
    scales = random.uniform(0.01, 0.1, (ROWS, COLUMNS // SIZE)).astype(np.float16)
    tensors = [T("w", data.shape, kind, data=data, blocks=("s", size)), T("s", scales.shape, "FLOAT16", data=scales)]
    return tensors, data * np.repeat(scales.astype(np.float32), SIZE, axis=1)


def product(kind: str) -> tuple[bytes, Array, Array]:
    tensors, weights = table(kind)
    bias = np.arange(ROWS, dtype=np.float32)
    x = np.random.default_rng(5).normal(size=(2, COLUMNS)).astype(np.float32)
    tensors = [T("x", (2, COLUMNS)), *tensors, T("b", (ROWS,), data=bias), T("y", (2, ROWS))]
    options = {"fused_activation_function": RELU}
    operator = OperatorSpec("FULLY_CONNECTED", ["x", "w", "b"], ["y"], "FullyConnectedOptions", options)
    data = model([GraphSpec(tensors, [operator], ["x"], ["y"])])
    return data, x, np.maximum(x.astype(np.float64) @ weights.T.astype(np.float64) + bias, 0)


def lookup(kind: str, size: int = SIZE) -> bytes:
    tensors = [T("i", (3,), "INT32"), *table(kind, size)[0], T("y", (3, COLUMNS))]
    return model([GraphSpec(tensors, [OperatorSpec("EMBEDDING_LOOKUP", ["i", "w"], ["y"])], ["i"], ["y"])])


@pytest.mark.parametrize("kind", ["INT2", "INT4"])
def test_rows_of_tables_equal_litert(kind: str):
    wanted = np.array([11, 0, 5], np.int32)
    imported = import_model(lookup(kind))
    [found] = run_graph(imported.module, [wanted], imported.weights)
    np.testing.assert_array_equal(found, run_litert(lookup(kind), [wanted])[0])


@pytest.mark.parametrize("kind", RANGES)
def test_products_equal_their_formula(kind: str):
    data, x, expected = product(kind)
    imported = import_model(data)
    [found] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * float(expected.max()))


def test_products_are_near_those_of_xnnpack():
    """XNNPACK quantises the rows of the input to 8 bits."""
    data, x, expected = product("INT4")
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = package.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.005 * float(expected.max()))


def test_products_keep_their_weights_packed_on_a_small_core():
    data, x, expected = product("INT4")
    with compile_artifact(data, CompileOptions(target="cortex-m4")) as artifact:
        np.testing.assert_allclose(run_c(artifact, [x])[0], expected, rtol=1e-5, atol=1e-5 * float(expected.max()))
        assert artifact.report().weights == ROWS * COLUMNS // 2 + ROWS * (COLUMNS // SIZE) * 2 + ROWS * 4


def test_other_operators_on_blocks_are_refused():
    tensors = [*table("INT4")[0], T("x", (ROWS, COLUMNS)), T("r", (ROWS, COLUMNS)), T("y", (ROWS, COLUMNS))]
    operators = [
        OperatorSpec("DEQUANTIZE", ["w"], ["r"]),
        OperatorSpec("ADD", ["x", "r"], ["y"], "AddOptions"),
    ]
    data = model([GraphSpec(tensors, operators, ["x"], ["y"])])
    with pytest.raises(
        UnsupportedError, match="works on integers with a scale for each block; use them in EMBEDDING_LOOK"
    ):
        import_model(data)


def test_blocks_that_do_not_divide_a_row_are_refused():
    with pytest.raises(InputError, match=r"blocks of 48 do not divide \[12, 64\]; quantise it again"):
        import_model(lookup("INT4", 48))
