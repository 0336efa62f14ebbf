"""LSH_PROJECTION of numbers against LiteRT, and the fingerprint of keys of all lengths."""

from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.fuzz.tflite.engines import run_litert
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from support.compiled import run_c

T = TensorSpec
SPARSE, DENSE = 1, 2
ROW_BYTES = (1, 2, 3, 4, 5, 11, 12, 13, 27, 28, 29, 59, 60, 61, 67, 124, 125, 200)
"""Keys are four bytes longer: formulas change behind 7, 16, 32 and 64 bytes."""


def lsh(kind: int, x: Any, seed: int, weighted: bool = False, seeds: tuple[int, int] = (3, 5)) -> bytes:
    random = np.random.default_rng(seed)
    hashes = np.asarray(random.normal(size=seeds), np.float32)
    inputs = [T("hash", seeds, data=hashes), T("x", x.shape, x.dtype.name.upper())]
    if weighted:
        inputs.append(T("w", x.shape[:1], data=np.asarray(random.normal(size=x.shape[0]), np.float32)))
    outputs = seeds[:1] if kind == SPARSE else (seeds[0] * seeds[1],)
    return single("LSH_PROJECTION", inputs, [T("y", outputs, "INT32")], "LSHProjectionOptions", type=kind)


def check(data: bytes, x: Any) -> None:
    imported = import_model(data)
    [found] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(found, run_litert(data, [x])[0])


@pytest.mark.parametrize("size", ROW_BYTES)
def test_rows_of_each_length_equal_litert(size: int):
    x = np.random.default_rng(size).integers(0, 256, (1, size)).astype(np.uint8)
    check(lsh(DENSE, x, size, seeds=(2, 20)), x)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32"])
def test_types_equal_litert(dtype: str, weighted: bool):
    x = np.random.default_rng(4).integers(-100, 100, (4, 3)).astype(dtype)
    for kind in (SPARSE, DENSE):
        check(lsh(kind, x, 1, weighted), x)


def test_numbers_of_one_dimension_equal_litert():
    x = np.array([12345, 54321, 67890, 9876, -12345678], np.int32)
    check(lsh(SPARSE, x, 2, weighted=True), x)


def test_c_equals_litert():
    x = np.random.default_rng(5).integers(-100, 100, (3, 17)).astype(np.int32)
    data = lsh(SPARSE, x, 3, weighted=True)
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        [found] = run_c(artifact, [x])
    np.testing.assert_array_equal(found, run_litert(data, [x])[0])


def test_numbers_of_32_bits_are_refused():
    x = np.zeros((1, 4), np.int32)
    with pytest.raises(UnsupportedError, match="makes 32 bits of a row of seeds; use at most 31"):
        import_model(lsh(SPARSE, x, 0, seeds=(2, 32)))


def test_long_rows_are_refused():
    x = np.zeros((1, 1025), np.uint8)
    with pytest.raises(UnsupportedError, match="hashes rows of 1025 bytes; use at most 1024"):
        import_model(lsh(DENSE, x, 0))
