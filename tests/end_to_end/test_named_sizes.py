"""Sizes with kernels of their own, together with other options: right at the bounds, at these sizes and at others."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.packagings.formats import export
from s2s.targets import get_target
from support.c_compilers import run
from support.varying_networks import inputs_of, model, session

LINE = """(float[1,N,8] x) => (float[1,N,8] y, float[1,N,12] z)
<float[8,24] w = ?, float[24,12] v = ?, float[12,8] u = ?>
{ a = MatMul (x, w) b = Relu (a) z = MatMul (b, v) c = Softmax <axis = -1> (z) d = MatMul (c, u) y = Add (x, d) }"""
IMAGE = """(float[1,3,8,W] x) => (float[1,8,4,V] y)
<float[8,3,3,3] w = ?, float[8,8,3,3] v = ?>
{ c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) r = Relu (c) y = Conv <pads = [1, 1, 1, 1]> (r, v) }"""
STREAM = """(float[1,N,8] x, float[1,2,8] past) => (float[1,N,8] y, float[1,2,8] next)
<float[8,8,3] w = ?, int64[1] last = {-2}, int64[1] end = {100000}, int64[1] one = {1}>
{ c = Concat <axis = 1> (past, x) t = Transpose <perm = [0, 2, 1]> (c) k = Conv (t, w) r = Relu (k)
  y = Transpose <perm = [0, 2, 1]> (r) next = Slice (c, last, end, one) }"""
FOUND = """(float[1,2,8,W] x, float[20] k) => (float[1,4,4,V] y, float[F] z)
<float[4,2,3,3] w = ?>
{ y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) i = NonZero (k) t = Transpose (i) z = GatherND (k, t) }"""
DIMS: Mapping[str, Any] = {"line": {"N": (1, 33, 8, 17)}, "image": {"W": (2, 19, 8, 19)}}
RUNS = {"line": (1, 2, 7, 8, 9, 16, 17, 18, 32, 33), "image": (2, 3, 7, 8, 9, 18, 19)}
TEXTS = {"line": LINE, "image": IMAGE}
DIVIDED = replace(get_target("c"), fork_join=1)
"""A target on which a fork and a join cost nothing, so that every kernel is divided."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "run function": {},
    "tables": {"executor": "graph"},
    "threads": {"threads": 2, "target": DIVIDED},
    "tables of vectors": {"executor": "graph", "target": "x86-64-v3"},
    "two devices": {"devices": {"dsp": {"operators": ["clamp"]}}},
}


def check(loaded: Any, file: Path, sizes: Sequence[int]) -> None:
    engine = session(file)
    for size in sizes:
        given = inputs_of(engine, size)
        for value, expected in zip(loaded.run(given).values(), engine.run(None, given), strict=True):
            assert value.shape == expected.shape
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("kind", TEXTS)
def test_networks_are_right_at_named_sizes_and_at_others(kind: str, name: str, tmp_path: Path):
    file = model(TEXTS[kind], tmp_path)
    options: dict[str, Any] = {"target": "c", **OPTIONS[name]}
    with api.compile(file, dims=DIMS[kind], **options) as artifact:
        assert any("== 8)" in text for text in sources(artifact))
        check(artifact, file, RUNS[kind])


def sources(artifact: api.Artifact) -> list[str]:
    tree = artifact.tree()
    return [tree.text(path) for path in tree if path.startswith("src/") and path.endswith(".c")]


@pytest.mark.sample(1)
@pytest.mark.parametrize("share", ["equal", "alike"])
def test_networks_in_one_tree_have_named_sizes_of_their_own(share: Any, tmp_path: Path):
    files = {kind: tmp_path / kind for kind in TEXTS}
    for kind, folder in files.items():
        folder.mkdir()
        files[kind] = model(TEXTS[kind], folder)
    artifacts = [api.compile(file, name=kind, dims=DIMS[kind], target="c") for kind, file in files.items()]
    with api.together(artifacts, name="both", share=share) as joint:
        for kind, file in files.items():
            check(joint.loaded(kind), file, RUNS[kind])


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["run function", "tables", "threads"])
def test_streams_go_on_from_named_sizes_to_others(name: str, tmp_path: Path):
    file = model(STREAM, tmp_path)
    engine, rng = session(file), np.random.default_rng(5)
    options: dict[str, Any] = {"target": "c", **OPTIONS[name], "states": {"past": "next"}}
    with api.compile(file, dims={"N": (1, 33, 3, 16)}, **options) as artifact:
        assert any("== 16)" in text for text in sources(artifact))
        past = np.zeros((1, 2, 8), np.float32)
        for size in (3, 1, 33, 16, 2, 3, 16, 17, 1):
            x = rng.standard_normal((1, size, 8)).astype(np.float32)
            expected, past = engine.run(None, {"x": x, "past": past})
            np.testing.assert_allclose(artifact.run({"x": x})["y"], expected, rtol=1e-4, atol=2e-5)


USE = """
import numpy as np
import sized
network = sized.Network()
given = dict(np.load("given.npz"))
np.savez("found.npz", **{f"{name}{width}": value for width in (2, 7, 8, 9, 19)
                         for name, value in network.run({"x": given["x"][..., :width], "k": given["k"]}).items()})
"""


def test_a_wheel_takes_named_sizes_and_others(tmp_path: Path):
    file = model(FOUND, tmp_path)
    artifact = api.compile(file, dims={"W": (2, 19, 8)}, target="host", name="sized")
    export(artifact.write(tmp_path / "tree"), ["wheel"], tmp_path / "project")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    run([*pip, "--no-build-isolation", "--target", tmp_path / "site", tmp_path / "project"], tmp_path)
    (tmp_path / "user.py").write_text(USE)
    rng, engine = np.random.default_rng(1), session(file)
    x, k = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, 2, 8, 19), 20))
    k[:5] = 0
    np.savez(tmp_path / "given.npz", x=x, k=k)
    run(["env", f"PYTHONPATH={tmp_path / 'site'}", sys.executable, "user.py"], tmp_path)
    found = np.load(tmp_path / "found.npz")
    for width in (2, 7, 8, 9, 19):
        for name, expected in zip(("y", "z"), engine.run(None, {"x": x[..., :width], "k": k}), strict=True):
            np.testing.assert_allclose(found[f"{name}{width}"], expected, rtol=1e-4, atol=1e-5)
