"""Products of matrices of any size, with factors that are constants or not, transposed or not, against numpy."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import numpy_helper

from s2s import api
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.onnx_text import onnx_file, onnx_model

EXAMPLES = 8
"""Each takes a run of the C compiler."""
SIZE = st.integers(1, 70) | st.sampled_from([16, 32, 64, 147, 197])


def numbers(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def check(text: str, inputs: list[Array], expected: Array, target: str, folder: Path) -> None:
    with api.compile(onnx_file(text, folder), target=target) as artifact:
        (found,) = run_c(artifact, inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)  # sums of 197 products, in another order


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(m=SIZE, n=SIZE, k=SIZE, left=st.booleans(), right=st.booleans(), target=st.sampled_from(["host", "x86-64-v2"]))
def test_factors_may_be_transposed(
    m: int, n: int, k: int, left: bool, right: bool, target: str, tmp_path: Path
) -> None:
    a, b = numbers(*((k, m) if left else (m, k))), numbers(*((n, k) if right else (k, n)))
    shapes = [",".join(map(str, value.shape)) for value in (a, b)]
    text = (
        f"(float[{shapes[0]}] a, float[{shapes[1]}] b) => (float[{m},{n}] y)"
        f"{{ y = Gemm <transA = {int(left)}, transB = {int(right)}> (a, b) }}"
    )
    check(text, [a, b], (a.T if left else a) @ (b.T if right else b), target, tmp_path)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(m=SIZE, n=SIZE, k=SIZE, batch=st.integers(1, 3))
def test_a_batch_of_products(m: int, n: int, k: int, batch: int, tmp_path: Path) -> None:
    a, b = numbers(batch, m, k), numbers(batch, k, n)
    text = f"(float[{batch},{m},{k}] a, float[{batch},{k},{n}] b) => (float[{batch},{m},{n}] y) {{ y = MatMul (a, b) }}"
    check(text, [a, b], a @ b, "host", tmp_path)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(m=SIZE, n=SIZE, k=SIZE)
def test_a_factor_may_be_a_constant(m: int, n: int, k: int, tmp_path: Path) -> None:
    a = numbers(m, k)
    text = (
        f"(float[{m},{k}] a) => (float[{m},{n}] y) <int64[2] shape = {{{k}, {n}}}>"
        "{ w = ConstantOfShape <value = float[1] {0.5}> (shape) y = MatMul (a, w) }"
    )
    check(text, [a], a @ np.full((k, n), 0.5, np.float32), "host", tmp_path)


@pytest.mark.parametrize(("m", "k", "n"), [(197, 192, 600), (49, 64, 2048), (1000, 147, 37)])
def test_large_products_in_blocks(m: int, k: int, n: int, tmp_path: Path) -> None:
    a, b = numbers(m, k), numbers(n, k)
    text = f"(float[{m},{k}] a, float[{n},{k}] b) => (float[{m},{n}] y) {{ y = Gemm <transB = 1> (a, b) }}"
    check(text, [a, b], a @ b.T, "host", tmp_path)


@pytest.mark.sample(4)
@pytest.mark.parametrize("zero", [0, 3, 255])
@pytest.mark.parametrize("k", [1, 3, 64])
def test_unsigned_bytes_with_zero_points(k: int, zero: int) -> None:
    """Products of the greatest bytes in pairs of which the last may be half full."""
    rng = np.random.default_rng(k)
    a, b = (rng.choice([0, 1, 127, 128, 254, 255], shape).astype(np.uint8) for shape in ((7, k), (k, 37)))
    body = f"(uint8[7,{k}] a) => (int32[7,37] y) <uint8 za = {{255}}, uint8 zb = {{{zero}}}> "
    model = onnx_model(body + "{ y = MatMulInteger (a, b, za, zb) }")
    model.graph.initializer.append(numpy_helper.from_array(b, "b"))
    with api.compile(model, target="host") as artifact:
        (found,) = run_c(artifact, [a])
    np.testing.assert_array_equal(found, (a.astype(np.int32) - 255) @ (b.astype(np.int32) - zero))
