"""Random networks that compute with the length of their input, at sizes within random bounds, against onnxruntime."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.random_lengths import STEPS, draw
from support.varying_networks import session

_STATE: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
FAILURES: tuple[type[Exception], ...] = (_STATE.InvalidArgument, _STATE.RuntimeException)
"""What onnxruntime raises at sizes that it does not take."""
SIZES = 12
"""At so many sizes at most is a network run, the least and the greatest among them."""


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_a_network_is_right_at_every_size_or_refused(tmp_path: Path, seed: int):
    drawn = draw(seed)
    file, random = onnx_file(drawn.text, tmp_path, 17), np.random.default_rng(seed)
    engine = session(file)
    try:
        artifact = api.compile(file, target="c", dims={"N": (drawn.least, drawn.most)})
    except (InputError, UnsupportedError):  # windows larger than the greatest input are no network
        return
    sizes = {drawn.least, drawn.most, *random.integers(drawn.least, drawn.most + 1, SIZES - 2).tolist()}
    with artifact:
        for size in sorted(sizes):
            x: Array = random.standard_normal((1, 3, size)).astype(np.float32)
            try:
                (expected,) = engine.run(None, {"x": x})
            except FAILURES:  # a window larger than its input
                continue
            if 0 in expected.shape:
                continue
            (found,) = artifact.run({"x": x}).values()
            assert found.shape == expected.shape, (drawn.steps, size)
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4, err_msg=f"{drawn.steps} at {size}")


@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_compiled(name: str, tmp_path: Path):
    drawn = next(drawn for drawn in map(draw, range(10000)) if drawn.steps == (name,))
    with api.compile(onnx_file(drawn.text, tmp_path, 17), target="c", dims={"N": (16, 24)}):
        pass
