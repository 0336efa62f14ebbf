"""Chains of float16 operations round after each one, in lanes and without them, as numpy does."""

import numpy as np
import pytest

from s2s import api
from support.compiled import quick_flags
from support.onnx_text import onnx_model

CHAIN = "(float16[65536] x) => (float16[65536] y) { a = Mul(x, x) b = Add(a, x) c = Relu(b) y = Sub(c, a) }"
FORMS = ("", "-DS2S_HALF_PORTABLE", "-DS2S_SIMD_PORTABLE")


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", ["c", "host"])
def test_every_operation_of_a_chain_is_rounded(target: str, form: str) -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        square = x * x
        expected = np.maximum(square + x, np.float16(0)) - square
    with api.compile(onnx_model(CHAIN), target=target, name="net") as artifact:
        text = artifact.tree().text("src/net_kernels.c")
        artifact.loaded(flags=quick_flags(artifact, *form.split()))
        (found,) = artifact.run({"x": x}).values()
    assert ("_round_f16(s2s_f32x" in text) == (target == "host")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_choice_of_a_number_above_all_halves_gives_infinity() -> None:
    choice = """(bool[3] c) => (float16[3] y) <float large = {1e6}, float other = {-2.5}>
        { w = Where (c, large, other) y = Cast <to = 10> (w) }"""
    with api.compile(onnx_model(choice), target="c", name="net") as artifact:
        artifact.loaded(flags=quick_flags(artifact))
        (found,) = artifact.run({"c": np.array([True, False, True])}).values()
    assert found.tolist() == [np.inf, -2.5, np.inf]
