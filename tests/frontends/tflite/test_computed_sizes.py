"""TFLite's operators whose result has as many elements as the data say, against the reference kernels of LiteRT."""

from collections.abc import Callable

import numpy as np
import pytest

from s2s import api
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.fuzz.tflite.engines import run_litert
from s2s.types.dtypes import Array

SIZES = (1, 7, 12)
"""How many of twelve elements count: the interpreter of LiteRT gives no array without elements."""


def chosen(kind: str, count: int, seed: int = 0) -> Array:
    """Twelve elements of which `count` are not zero."""
    rng = np.random.default_rng(seed + count)
    values = np.zeros(12, np.float32)
    values[rng.permutation(12)[:count]] = rng.uniform(1, 9, count)
    return {"BOOL": values != 0, "FLOAT32": values, "INT32": values.astype(np.int32)}[kind]


def check(data: bytes, vectors: list[list[Array]], **options: str) -> None:
    """Compile once, and compare every run: shapes and values."""
    with api.compile(data, **options) as artifact:  # pyright: ignore[reportArgumentType]
        names = [port.name for port in artifact.info.inputs]
        for vector in vectors:
            found = artifact.run(dict(zip(names, vector, strict=True)))
            for value, expected in zip(found.values(), run_litert(data, vector), strict=True):
                np.testing.assert_array_equal(value, expected)
                assert value.dtype == expected.dtype


@pytest.mark.parametrize("kind", ["BOOL", "FLOAT32", "INT32"])
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2)])
def test_places_of_elements(kind: str, shape: tuple[int, ...]):
    specs = [TensorSpec("x", shape, kind)], [TensorSpec("y", (12, len(shape)), "INT64")]
    check(single("WHERE", *specs), [[chosen(kind, count).reshape(shape)] for count in SIZES], target="c")


@pytest.mark.parametrize("kind", ["FLOAT32", "INT32", "INT8", "INT64"])
def test_distinct_elements(kind: str):
    outputs = [TensorSpec("y", (20,), kind), TensorSpec("i", (20,), "INT32")]
    data = single("UNIQUE", [TensorSpec("x", (20,), kind)], outputs, "UniqueOptions")
    element = {"FLOAT32": np.float32, "INT32": np.int32, "INT8": np.int8, "INT64": np.int64}[kind]
    rng = np.random.default_rng(1)
    check(data, [[rng.integers(-most, most + 1, 20).astype(element)] for most in (0, 1, 3, 100)], target="c")


def test_no_element_counts():
    data = single("WHERE", [TensorSpec("x", (3, 4), "BOOL")], [TensorSpec("y", (12, 2), "INT64")])
    with api.compile(data, target="c") as artifact:
        (found,) = artifact.run({artifact.info.inputs[0].name: np.zeros((3, 4), np.bool_)}).values()
    assert found.shape == (0, 2)


FOLLOWING: dict[str, tuple[list[TensorSpec], list[OperatorSpec], str]] = {
    "rows": ([], [], "rows"),
    "places": (
        [
            TensorSpec("true", (12, 3), "BOOL"),
            TensorSpec("y", (36, 2), "INT64"),
            TensorSpec("0", (1,), data=np.zeros(1, "f")),
        ],
        [OperatorSpec("GREATER", ["rows", "0"], ["true"], "GreaterOptions"), OperatorSpec("WHERE", ["true"], ["y"])],
        "y",
    ),
    "distinct": (
        [
            TensorSpec("flat", (36,), "FLOAT32", signature=(-1,)),
            TensorSpec("shape", (1,), data=np.array([-1], np.int32)),
            TensorSpec("y", (36,), "FLOAT32"),
            TensorSpec("i", (36,), "INT32"),
        ],
        [
            OperatorSpec("RESHAPE", ["rows", "shape"], ["flat"], "ReshapeOptions"),
            OperatorSpec("UNIQUE", ["flat"], ["y", "i"], "UniqueOptions"),
        ],
        "y",
    ),
    "padded": (
        [TensorSpec("pads", (2, 2), data=np.array([[1, 2], [0, 0]], np.int32)), TensorSpec("y", (15, 3), "FLOAT32")],
        [OperatorSpec("PAD", ["rows", "pads"], ["y"], "PadOptions")],
        "y",
    ),
    "sums": (
        [TensorSpec("axis", (), data=np.array(0, np.int32)), TensorSpec("y", (12, 3), "FLOAT32")],
        [OperatorSpec("CUMSUM", ["rows", "axis"], ["y"], "CumsumOptions")],
        "y",
    ),
}
"""What follows the rows of a table where a mask holds: tensors, operators, and the result."""
RESULTS: dict[str, Callable[[Array], Array]] = {
    "rows": lambda rows: rows,
    "places": lambda rows: np.argwhere(rows > 0),
    "distinct": lambda rows: rows.reshape(-1),
    "padded": lambda rows: np.pad(rows, [(1, 2), (0, 0)]),
    "sums": lambda rows: np.cumsum(rows, 0),
}
"""The result by numpy; random elements are distinct."""


@pytest.mark.parametrize("name", FOLLOWING)
def test_layers_follow_no_places(name: str):
    tensors, operators, result = FOLLOWING[name]
    tensors = [TensorSpec("mask", (12,), "BOOL"), TensorSpec("table", (12, 3), "FLOAT32"), *tensors]
    tensors += [TensorSpec("places", (12, 1), "INT64"), TensorSpec("rows", (12, 3), "FLOAT32")]
    operators = [
        OperatorSpec("WHERE", ["mask"], ["places"]),
        OperatorSpec("GATHER_ND", ["table", "places"], ["rows"], "GatherNdOptions"),
        *operators,
    ]
    table = np.random.default_rng(2).standard_normal((12, 3)).astype(np.float32)
    with api.compile(model([GraphSpec(tensors, operators, ["mask", "table"], [result])]), target="c") as artifact:
        names = [port.name for port in artifact.info.inputs]
        for count in (0, 1, 12):
            mask = chosen("BOOL", count)
            (found,) = artifact.run(dict(zip(names, (mask, table), strict=True))).values()
            expected = RESULTS[name](table[mask])
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_layers_follow_places():
    """Rows of a table where a mask holds, then their exponentials."""
    tensors = [
        TensorSpec("mask", (12,), "BOOL"),
        TensorSpec("table", (12, 3), "FLOAT32"),
        TensorSpec("places", (12, 1), "INT64"),
        TensorSpec("rows", (12, 3), "FLOAT32"),
        TensorSpec("y", (12, 3), "FLOAT32"),
    ]
    operators = [
        OperatorSpec("WHERE", ["mask"], ["places"]),
        OperatorSpec("GATHER_ND", ["table", "places"], ["rows"], "GatherNdOptions"),
        OperatorSpec("NEG", ["rows"], ["y"], "NegOptions"),
    ]
    data = model([GraphSpec(tensors, operators, ["mask", "table"], ["y"])])
    table = np.random.default_rng(2).standard_normal((12, 3)).astype(np.float32)
    check(data, [[chosen("BOOL", count), table] for count in SIZES], target="host")
