"""Tensors with more elements in another run than in the one of the greatest size: as in a remainder, `N mod 4`."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.varying_networks import model, session

LEAST, MOST = 4, 17
BODIES = {
    "remainder": "y = Neg (part)",
    "remainder twice": "t = Concat <axis = 1> (part, part) y = Neg (t)",
    "remainder and whole": "t = Concat <axis = 1> (part, x) y = Neg (t)",
    "twice remainder and whole": "t = Concat <axis = 1> (part, x) u = Concat <axis = 1> (t, t) y = Neg (u)",
    "fewer the longer": "c = Sub (many, n) p = Concat <axis = 0> (zeros, zero, c) y = Pad (x, p)",
    "edge": 'p = Concat <axis = 0> (zeros, zero, r) y = Pad <mode = "edge"> (x, p)',
    "sum": "y = ReduceSum <keepdims = 0> (part, one)",
}


def network(body: str, folder: Path) -> Path:
    return model(
        f"""(float[1,N] x) => (float[1,M] y)
<int64[1] four = {{4}}, int64[1] many = {{30}}, int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[2] zeros = {{0, 0}}>
{{ s = Shape (x) n = Gather (s, one) m = Mod (n, four) r = Add (m, one) part = Slice (x, zero, r, one) {body} }}""",
        folder,
        17,
    )


@pytest.mark.parametrize("body", BODIES)
def test_results_are_right_at_all_sizes(body: str, tmp_path: Path):
    file = network(BODIES[body], tmp_path)
    engine = session(file)
    with api.compile(file, target="c", dims={"N": (LEAST, MOST)}) as artifact:
        for size in range(LEAST, MOST + 1):
            x: Array = np.random.default_rng(size).standard_normal((1, size)).astype(np.float32)
            (expected,) = engine.run(None, {"x": x})
            (actual,) = artifact.run({"x": x}).values()
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_levels_agree_and_the_self_test_has_a_vector_of_a_run(tmp_path: Path):
    options = CompileOptions(target="c", dims={"N": (LEAST, MOST)})
    with compile_artifact(network(BODIES["remainder"], tmp_path), options) as artifact:
        assert artifact.verify(levels=True).passed
        (vector,) = artifact.info.golden
        assert [array.shape for array in (*vector.inputs, *vector.outputs)] == [(1, MOST), (1, MOST % 4 + 1)]


@pytest.mark.parametrize(
    "body",
    [
        "t = Concat <axis=1> (part, x) u = Unsqueeze (t, one) p = MaxPool <kernel_shape=[2]> (u) y = Squeeze (p, one)",
        "rest = Slice (x, m, n, one) head = Slice (x, zero, m, one) y = Concat <axis = 1> (head, rest)",
    ],
)
def test_a_tensor_with_less_room_than_its_parts_is_refused(body: str, tmp_path: Path):
    with pytest.raises(UnsupportedError, match="give"):
        api.compile(network(body, tmp_path), target="c", dims={"N": (LEAST, MOST)})
