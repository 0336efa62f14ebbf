"""Sizes that are given at run time, together with several devices: the results of onnxruntime at every size."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest

from s2s import api
from support.c_compilers import SANITIZERS, require_sanitizers
from support.varying_networks import inputs_of, model, session

IMAGE = """(float[1,3,16,W] x) => (float[1,T,7] y)
<float[8,3,3,3] w0 = ?, float[16,8,3,3] w1 = ?, float[16,16,4,1] w2 = ?, int64[1] two = {2}, float[16,7] l = ?>
{ c0 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w0) r0 = Relu (c0)
  c1 = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (r0, w1) r1 = HardSwish (c1) h = Conv (r1, w2)
  s = Squeeze (h, two) t = Transpose <perm = [0, 2, 1]> (s) m = MatMul (t, l) y = Softmax <axis = -1> (m) }"""
TWO = """(float[1,N,16] x, float[1,M,16] k) => (float[1,N,16] y, float[1,1,16] z)
<float[16,16] w = ?, float[16,16] u = ?>
{ q = MatMul (x, w) t = Transpose <perm = [0, 2, 1]> (k) s = MatMul (q, t) p = Softmax <axis = -1> (s)
  a = MatMul (p, k) b = Add (a, x) z = ReduceMax <axes = [1], keepdims = 1> (b) c = MatMul (z, u) y = Add (b, c) }"""
POOLS = """(float[1,8,H,W] x) => (float[1,8,H,W] y, float[1,8,G,V] z)
<float[8,8,3,3] w = ?>
{ m = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x) c = Conv <pads = [1, 1, 1, 1]> (m, w)
  y = Relu (c) z = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (y) }"""
TEXTS = {"image": IMAGE, "two": TWO, "pools": POOLS}
DIMS = {"image": {"W": (2, 45)}, "two": {"N": (1, 17), "M": (2, 9)}, "pools": {"H": (3, 9), "W": (3, 13)}}
RTOL, ATOL = 1e-4, 2e-5

CASES: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "a layer": ("image", {"layers": ["Conv_c0", "Relu_r0"]}, {"threads": 2}),
    "convolutions": ("image", {"operators": ["conv"]}, {"executor": "graph"}),
    "calls of vectors in hooks": (
        "image",
        {"operators": ["conv", "matmul"], "target": "x86-64-v3", "calls": "hooks"},
        {},
    ),
    "convolutions in one memory": ("image", {"operators": ["conv", "softmax"], "memory": "shared"}, {}),
    "products": ("two", {"operators": ["matmul"]}, {"threads": 2}),
    "products by copies that are started": ("two", {"operators": ["matmul"], "copy": "start-wait"}, {}),
    "products by calls that are started": (
        "two",
        {"operators": ["matmul"], "target": "x86-64-v3", "calls": "start-wait", "copy": "start-wait"},
        {},
    ),
    "tables of products": ("two", {"operators": ["softmax"]}, {"executor": "graph"}),
    "windows of convolutions": ("pools", {"operators": ["conv"]}, {}),
    "windows of pools": ("pools", {"operators": ["max_pool"], "copy": "start-wait"}, {}),
    "windows in one memory": ("pools", {"operators": ["max_pool"], "memory": "shared"}, {"executor": "graph"}),
}
"""A network, its second device and further options."""


def check(artifact: api.Artifact, file: Path) -> None:
    """Compare at the bounds of all sizes, and at ten others."""
    engine, rng = session(file), np.random.default_rng(5)
    bounds = {name: (size.least, size.most) for name, size in artifact.info.sizes.items()}
    runs = [{name: pair[end] for name, pair in bounds.items()} for end in (0, 1)]
    runs += [{name: int(rng.integers(least, most + 1)) for name, (least, most) in bounds.items()} for _ in range(10)]
    for sizes in runs:
        given = inputs_of(engine, 1, sizes)
        for value, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
            assert value.shape == expected.shape
            np.testing.assert_allclose(value, expected, rtol=RTOL, atol=ATOL)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("kind", "device", "options"), CASES.values(), ids=CASES)
def test_two_devices_take_any_size(kind: str, device: Any, options: Mapping[str, Any], tmp_path: Path):
    file = model(TEXTS[kind], tmp_path)
    with api.compile(file, target="c", dims=DIMS[kind], devices={"dsp": device}, **options) as artifact:
        assert any(path.startswith("src/dsp/") for path in artifact.tree())
        check(artifact, file)


def test_three_devices_take_any_size(tmp_path: Path):
    file = model(IMAGE, tmp_path)
    devices = {"npu": {"layers": ["Conv_c1"]}, "dsp": {"layers": ["Conv_c0", "Conv_h"]}}
    with api.compile(file, target="x86-64-v3", dims=DIMS["image"], devices=devices) as artifact:
        check(artifact, file)
        assert artifact.verify(levels=True).passed


def test_a_device_computes_sizes(tmp_path: Path):
    text = """(float[40] x) => (float[F] y)
    { i = NonZero (x) t = Transpose (i) g = GatherND (x, t) y = Mul (g, g) }"""
    file = model(text, tmp_path)
    rng, engine = np.random.default_rng(0), session(file)
    with api.compile(file, target="c", devices={"dsp": {"operators": ["mul", "gather_nd"]}}) as artifact:
        assert any(path.startswith("src/dsp/") for path in artifact.tree())
        for count in (0, 1, 17, 40):
            x = np.zeros(40, np.float32)
            x[rng.permutation(40)[:count]] = rng.standard_normal(count) + 3
            np.testing.assert_array_equal(artifact.run({"x": x})["y"], engine.run(None, {"x": x})[0])


@pytest.mark.sample(1)
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_devices_with_sizes_are_clean_under_sanitizers(executor: Any, tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    devices = {"dsp": {"operators": ["conv"]}}
    file = model(IMAGE, tmp_path)
    artifact = api.compile(file, target="c", dims=DIMS["image"], devices=devices, executor=executor)
    root = artifact.write(tmp_path / "tree")
    flags = " ".join(["-O1", *SANITIZERS, "-std=c99", "-ffp-contract=off"])
    command = ["make", "-C", str(root), "test", "CC=gcc", f"CFLAGS={flags}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("clock", [0.001, 1000.0], ids=["it computes nothing", "it computes all"])
@pytest.mark.parametrize("memory", ["shared", "own"])
def test_a_size_that_is_computed_is_that_of_the_output_whatever_a_device_computes(memory: str, clock: float):
    proto = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 13]> found (float[5,8] x) => (int64[2,K] y) { y = NonZero (x) }'
    )
    device = {"target": "cortex-m4", "memory": memory, "placement": "cost", "clock": clock, "latency": 0}
    x = np.zeros((5, 8), np.float32)
    x[[0, 3, 4], [1, 7, 2]] = 1
    with api.compile(proto, target="c", devices={"dsp": device}) as artifact:
        np.testing.assert_array_equal(artifact.run({"x": x})["y"], np.array(np.nonzero(x)))
