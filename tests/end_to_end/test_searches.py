"""Searches for the position of an extreme in vectors: NaN and infinities count, and equal elements have an order."""

import numpy as np
import pytest

from s2s.api import compile
from s2s.types.dtypes import Array
from support.onnx_text import onnx_model

SEARCHES = [(kind, axis, last) for kind in ("ArgMax", "ArgMin") for axis in (0, 1) for last in (0, 1)]


@pytest.fixture(scope="module")
def numbers() -> Array:
    x = np.random.default_rng(0).integers(-3, 4, (40, 70)).astype(np.float32)
    x[5, [3, 9]] = np.nan
    x[7], x[:, 12] = -np.inf, -np.inf
    x[8], x[:, 11] = np.inf, np.inf
    x[9] = np.nan
    return x


@pytest.fixture(scope="module")
def found(numbers: Array) -> dict[str, Array]:
    """The results of all searches in one network."""
    nodes = "".join(
        f"{kind}{axis}{last} = {kind} <axis = {axis}, keepdims = 0, select_last_index = {last}> (x) "
        for kind, axis, last in SEARCHES
    )
    outputs = ", ".join(f"int64[{(70, 40)[axis]}] {kind}{axis}{last}" for kind, axis, last in SEARCHES)
    with compile(onnx_model(f"(float[40, 70] x) => ({outputs}) {{ {nodes} }}"), target="host") as artifact:
        return artifact.run({"x": numbers})


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kind", "axis", "last"), SEARCHES)
def test_position_is_the_first_or_last_of_the_extremes(
    kind: str, axis: int, last: int, numbers: Array, found: dict[str, Array]
):
    x = np.flip(numbers, axis) if last else numbers
    expected = (np.argmax if kind == "ArgMax" else np.argmin)(x, axis)
    np.testing.assert_array_equal(found[f"{kind}{axis}{last}"], x.shape[axis] - 1 - expected if last else expected)
