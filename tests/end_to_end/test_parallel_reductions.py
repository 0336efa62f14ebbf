"""Networks that reduce one tensor in several ways, which then share a kernel: every target computes the same."""

from typing import Any

import numpy as np
import pytest

from s2s import api
from support.onnx_text import onnx_model

AXES = {"rows": (1,), "columns": (0,), "all": (0, 1)}
WAYS: tuple[dict[str, Any], ...] = (
    {"target": "c"},
    {"target": "host"},
    {"target": "host", "threads": 2},
    {"target": "x86-64-v3"},
    {"target": "c", "executor": "graph"},
    {"target": "c", "poison": True},
    {"target": "c", "profile": "misra"},
)
PARTS = ("low", "total", "squares", "range")


def _reductions(name: str, axes: tuple[int, ...]) -> str:
    """The least, the greatest, the sum and the sum of squares, and the range between the first two."""
    along = ",".join(map(str, axes))
    return f"""
        {name}_axes = Constant <value_ints = [{along}]> ()
        {name}_low = ReduceMin <keepdims = 0> (x, {name}_axes)
        {name}_high = ReduceMax <keepdims = 0> (x, {name}_axes)
        {name}_total = ReduceSum <keepdims = 0> (x, {name}_axes)
        {name}_square = Mul (x, x)
        {name}_squares = ReduceSum <keepdims = 0> ({name}_square, {name}_axes)
        {name}_range = Sub ({name}_high, {name}_low)
    """


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_reductions_of_one_tensor_are_right_together(way: dict[str, Any]):
    x = np.random.default_rng(7).standard_normal((37, 129)).astype(np.float32)
    results = ", ".join(f"float[] {name}_{part}" for name in AXES for part in PARTS)
    body = "".join(_reductions(name, axes) for name, axes in AXES.items())
    with api.compile(onnx_model(f"(float[37,129] x) => ({results}) {{ {body} }}", 18), **way) as artifact:
        found = artifact.run({"x": x})
    wide = x.astype(np.float64)
    for name, axes in AXES.items():
        low, high = x.min(axes), x.max(axes)
        np.testing.assert_array_equal(found[f"{name}_low"], low)
        np.testing.assert_array_equal(found[f"{name}_range"], high - low)
        np.testing.assert_allclose(found[f"{name}_total"], wide.sum(axes), rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(found[f"{name}_squares"], np.square(wide).sum(axes), rtol=1e-5)


def test_a_dynamic_quantisation_finds_its_range_in_one_kernel():
    body = "(float[512,512] x) => (uint8[512,512] y, float scale, uint8 zero)"
    with api.compile(
        onnx_model(f"{body} {{ y, scale, zero = DynamicQuantizeLinear (x) }}", 18), name="net"
    ) as artifact:
        kernels = artifact.tree().text("src/net_kernels.c")
    assert "net_reduce_min_reduce_max(" in kernels
