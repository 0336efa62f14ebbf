"""Schedules that the user gives are checked, obeyed, and give the same numbers."""

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.errors import InputError
from support.onnx_text import onnx_model

RANDOM = np.random.default_rng(3)
W = RANDOM.normal(size=(40, 32)).astype(np.float32)
X = RANDOM.normal(size=(24, 40)).astype(np.float32)
NUMBERS = ", ".join(f"{value:.9g}" for value in W.flat)
MODEL = onnx_model(
    f"(float[24, 40] x) => (float[24, 32] y) <float[40, 32] w = {{{NUMBERS}}}> {{ [product] y = MatMul (x, w) }}"
)


def decided(chosen: str) -> dict[str, object]:
    (subject,) = [each.subject for each in compile_network(MODEL, target="host").decisions if each.kind == "schedule"]
    entry = {"kind": "schedule", "subject": subject, "chosen": f"#tensor.schedule<{chosen}>"}
    return {"format": 1, "decisions": [entry]}


@pytest.mark.parametrize(
    "chosen",
    [
        "[]",
        "[tile<0 by 3, 1 by 8>, vectorize<1 by 8>]",
        "[tile<0 by 2, 1 by 4>, unroll<2 by 2>, vectorize<1 by 4>, reorder<[1, 0, 2]>]",
        "[tile<0 by 8 by 4, 1 by 8>, vectorize<1 by 8>]",
    ],
)
def test_another_schedule_is_obeyed_and_right(chosen: str):
    with compile_network(MODEL, target="host", decisions=decided(chosen)) as artifact:
        (decision,) = [each for each in artifact.decisions if each.kind == "schedule"]
        assert (decision.chosen, decision.by) == (f"#tensor.schedule<{chosen}>", "user")
        np.testing.assert_allclose(artifact.run({"x": X})["y"], X @ W, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ("[reorder<[2, 0, 1]>]", "puts a reduction outside a parallel dimension"),
        ("[tile<1 by 6>, vectorize<1 by 4>]", "no multiple of 4 lanes"),
        ("[cache_read<0 packed [0, 1]>]", "operand 0 is no constant"),
        ("[tile_and_fuse<0 by 2>]", "run together in blocks"),
        ("[tiles<3>]", "is no directive"),
        ("[vectorize<1 by 16>, cache_read<1 packed [1 floordiv 12, 0, 1 mod 12]>]", "does not move in equal steps"),
    ],
)
def test_a_schedule_that_is_none_is_refused_with_its_reason(chosen: str, reason: str):
    with pytest.raises(InputError, match=reason):
        compile_network(MODEL, target="host", decisions=decided(chosen))
