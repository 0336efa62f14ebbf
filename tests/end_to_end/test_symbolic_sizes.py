"""Networks that are read once, with symbols for their sizes, and are right at every size, against onnxruntime."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.frontends import formats, onnx
from support.onnx_text import onnx_file
from support.varying_networks import inputs_of, session

NETWORKS = {
    "means over chunks": """(float[1,N,3] x) => (float[1,M,3] y)
        <int64[1] four = {4}, int64[1] one = {1}, int64[1] zero = {0}, int64[1] three = {3}>
        { s = Shape <start = 1, end = 2> (x) n = Div (s, four) e = Mul (n, four) c = Slice (x, zero, e, one)
        p = Concat <axis = 0> (one, n, four, three) r = Reshape (c, p)
        y = ReduceMean <axes = [2], keepdims = 0> (r) }""",
    "padded to a multiple": """(float[1,N] x) => (float[1,M] y)
        <int64[1] four = {4}, int64[3] zeros = {0, 0, 0}>
        { s = Shape <start = 1, end = 2> (x) r = Mod (s, four) d = Sub (four, r) m = Mod (d, four)
        p = Concat <axis = 0> (zeros, m) z = Pad (x, p) y = Neg (z) }""",
    "rows shifted by one": """(float[1,N,N] x) => (float[1,M,N] y)
        <int64[6] pads = {0, 0, 1, 0, 0, 0}, int64[1] one = {1}, int64[1] open = {-1}, int64[1] last = {1000000}>
        { z = Pad (x, pads) s = Shape <start = 1, end = 2> (x) p = Concat <axis = 0> (one, open, s) r = Reshape (z, p)
        y = Slice (r, one, last, one) }""",
}

_import_model: Any = onnx.import_model


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_read_once_and_right_at_every_size(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    readings: list[object] = []

    def noted(*given: Any, **options: Any) -> Any:
        readings.append(given)
        return _import_model(*given, **options)

    monkeypatch.setattr(formats.onnx, "import_model", noted)
    file = onnx_file(NETWORKS[name], tmp_path)
    engine = session(file)
    with api.compile(file, dims={"N": (4, 13)}, target="c") as artifact:
        assert len(readings) == 1
        for size in range(4, 14):
            given = inputs_of(engine, size)
            (found,), (expected,) = artifact.run(given).values(), engine.run(None, given)
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
