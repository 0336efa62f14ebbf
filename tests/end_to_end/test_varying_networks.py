"""Parts of networks as exporters write them, along several dimensions of varying size, against onnxruntime."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from s2s import api
from support.varying_networks import inputs_of, model, session

NETWORKS: dict[str, tuple[str, dict[str, Sequence[int]]]] = {
    "decoder with windows of two": (
        """(float[1,3,N,K] x) => (float[1,2,M,L] y) <float[3,2,2,2] w = ?, float[2] b = ?>
{ y = ConvTranspose <strides = [2, 2]> (x, w, b) }""",
        {"N": (2, 3, 13), "K": (1, 8, 15)},
    ),
    "decoder with windows of three": (
        """(float[1,3,N,K] x) => (float[1,2,M,L] y) <float[3,2,3,3] w = ?>
{ y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 0]> (x, w) }""",
        {"N": (2, 3, 13), "K": (2, 8, 15)},
    ),
    "decoder with windows of four": (
        """(float[1,3,N,K] x) => (float[1,2,M,L] y) <float[3,2,4,4] w = ?>
{ r = Relu (x) y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1]> (r, w) }""",
        {"N": (1, 3, 13), "K": (2, 8, 15)},
    ),
    "recurrent layer over halved lines of a batch": (
        """(float[K,4,N] x) => (float[M,2,K,3] y) <float[2,12,4] w = ?, float[2,12,3] r = ?, float[2,24] b = ?>
{ p = AveragePool <kernel_shape = [2], strides = [2]> (x) t = Transpose <perm = [2, 0, 1]> (p)
  y = LSTM <hidden_size = 3, direction = "bidirectional"> (t, w, r, b) }""",
        {"N": (4, 5, 19, 20), "K": (1, 3, 5)},
    ),
    "relative positions": (
        """(float[2,N,N] x) => (float[2,N,N] y) <int64 zero = {0}, int64 one = {1}, int64 far = {9}, int64 near = {-9},
  int64[1] first = {0}, int64[1] second = {1}, float[19,2] w = ?>
{ s = Shape (x) n = Gather (s, one) r = Range (zero, n, one) a = Unsqueeze (r, first) b = Unsqueeze (r, second)
  d = Sub (a, b) c = Clip (d, near, far) i = Add (c, far) g = Gather (w, i) t = Transpose <perm = [2, 0, 1]> (g)
  y = Add (x, t) }""",
        {"N": (2, 7, 12, 39, 40)},
    ),
    "first step of a decoder": (
        """(float[K,12] x) => (float[K,36] y) <int64 one = {1}, int64[1] axis = {0}, int64[1] eight = {8},
  float[8,36] w = ?, float[36] b = ?, float[8] e = ?>
{ s = Shape <end = 1> (x) q = Concat <axis = 0> (s, eight) h = Expand (e, q) g = Gemm (h, w, b)
  z = ReduceSum <keepdims = 1> (x) y = Mul (g, z) }""",
        {"K": (1, 2, 3, 6)},
    ),
    "padding of a batch of sentences": (
        """(float[K,N] x, int64[K] n) => (float[K,N] y, int64[N,N] d) <int64 zero = {0}, int64 one = {1},
  int64[1] first = {0}, int64[1] second = {1}, float none = {-9}>
{ s = Shape (x) l = Gather (s, one) r = Range (zero, l, one) a = Unsqueeze (r, first) b = Unsqueeze (r, second)
  e = Unsqueeze (n, second) m = Less (a, e) y = Where (m, x, none) d = Sub (a, b) }""",
        {"N": (1, 2, 17, 24), "K": (1, 2, 6)},
    ),
}


@pytest.mark.sample(1, each="kind")
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("target", ["c", "host"])
def test_sizes_give_the_results_of_onnxruntime(kind: str, target: str, tmp_path: Path):
    text, sizes = NETWORKS[kind]
    file = model(text, tmp_path)
    engine = session(file)
    bounds = {name: (values[0], values[-1]) for name, values in sizes.items()}
    with api.compile(file, dims=bounds, target=target) as artifact:
        for values in product(*sizes.values()):
            given = inputs_of(engine, 1, dict(zip(sizes, values, strict=True)))
            for found, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
