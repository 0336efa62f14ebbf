"""Operators along dimensions of varying size, as exporters write them, against onnxruntime at several sizes."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from support.varying_networks import inputs_of, model, names_of_sizes, session

TEXTS = {
    "class token": """(float[1,N,4] x) => (float[1,M,4] y) <float[1,1,4] c = ?> { y = Concat <axis = 1> (c, x) }""",
    "cache and new row": "(float[1,2,N,4] x, float[1,2,1,4] t) => (float[1,2,M,4] y) { y = Concat <axis = 2> (x, t) }",
    "two sizes joined": """(float[1,N,4] x, float[1,K,4] z) => (float[1,M,4] y)
{ r = Relu (x) y = Concat <axis = 1> (r, z, x) }""",
    "feature pyramid": """(float[1,3,N,8] x) => (float[1,M,3] y) <int64[3] f = {1, 3, -1}>
{ a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) r = Reshape (x, f) s = Reshape (a, f)
  c = Concat <axis = 2> (r, s) y = Transpose <perm = [0, 2, 1]> (c) }""",
    "rows flattened": """(float[2,3,N,4] x) => (float[2,3,M] y) <int64[3] f = {2, 3, -1}> { y = Reshape (x, f) }""",
    "flatten": "(float[2,N,4] x) => (float[2,M] y) { y = Flatten (x) }",
    "depth to space": "(float[1,8,2,N] x) => (float[1,2,4,M] y) { y = DepthToSpace <blocksize = 2> (x) }",
}
LEAST = {"feature pyramid": 2}
MOST = 9


@pytest.mark.parametrize("kind", TEXTS)
def test_several_sizes_give_the_results_of_onnxruntime(kind: str, tmp_path: Path):
    file, least = model(TEXTS[kind], tmp_path), LEAST.get(kind, 1)
    engine = session(file)
    with api.compile(file, dims=dict.fromkeys(names_of_sizes(engine), (least, MOST)), target="host") as artifact:
        for size in (least, least + 1, 4, MOST - 1, MOST):
            given = inputs_of(engine, size)
            for found, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_levels_agree_on_parts_of_varying_size(tmp_path: Path):
    file = model(TEXTS["two sizes joined"], tmp_path)
    with api.compile(file, dims={"N": (1, MOST), "K": (1, 5)}, target="c") as artifact:
        assert artifact.verify(levels=True).passed
