"""Sizes that are given at run time, together with external code generators: these compute what has a constant shape."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from support.c_compilers import require_header
from support.varying_networks import inputs_of, session
from support.varying_networks import model as onnx_model

TEXT = """(float[1,N,16] x) => (float[1,N,16] y, float[1,24] z)
<float[16,16] w = ?, float[16,24] u = ?, float[24,24] v = ?>
{ q = MatMul (x, w) y = Relu (q) m = ReduceMax <axes = [1], keepdims = 0> (y)
  a = MatMul (m, u) b = Relu (a) z = MatMul (b, v) }"""
"""One product of as many rows as the run has, and two of one row."""
IMAGE = """(float[1,3,12,W] x) => (float[1,8,12,W] y, float[1,4,4,4] z)
<float[8,3,3,3] w = ?, float[8,8,3,3] v = ?, float[4,8,1,1] u = ?, int64[8] pads = {0, 0, 1, 2, 0, 0, 2, 1}>
{ c = Conv <pads = [1, 1, 1, 1]> (x, w) y = Relu (c) s = ReduceMax <axes = [2, 3], keepdims = 1> (y)
  p = Pad (s, pads) r = Conv <pads = [1, 1, 1, 1]> (p, v) t = Relu (r) z = Conv (t, u) }"""
"""One convolution of a picture of any width, and two of a picture of 4 by 4."""


@pytest.mark.parametrize("options", [{}, {"executor": "graph"}, {"threads": 2}], ids=str)
def test_products_of_constant_shape_are_those_of_blas(options: Any, tmp_path: Path):
    require_header("cblas.h", "libopenblas-dev")
    file = onnx_model(TEXT, tmp_path)
    engine = session(file)
    with api.compile(file, target="host", external="blas=always", dims={"N": (1, 13)}, **options) as artifact:
        assert artifact.tree().text("src/model_blas.c").count("cblas_sgemm(CblasRowMajor") == 2
        decided = [each for each in artifact.decisions if each.kind == "external"]
        assert sum("its size N varies from run to run" in str(each.as_dict()) for each in decided) == 1
        for size in (1, 2, 7, 12, 13):
            given = inputs_of(engine, size)
            for value, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(value, expected, rtol=1e-4, atol=2e-5)


def test_convolutions_of_constant_shape_are_those_of_onednn(tmp_path: Path):
    require_header("dnnl.h", "libdnnl-dev")
    file = onnx_model(IMAGE, tmp_path)
    engine = session(file)
    with api.compile(file, target="host", external="onednn=always", dims={"W": (1, 19)}) as artifact:
        decided = [each.chosen for each in artifact.decisions if each.kind == "external"]
        assert decided.count("onednn") == 2
        for size in (1, 2, 10, 18, 19):
            given = inputs_of(engine, size)
            for value, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(value, expected, rtol=1e-4, atol=2e-5)
