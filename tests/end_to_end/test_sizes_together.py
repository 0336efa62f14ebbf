"""Sizes that are given at run time, in trees of several networks: each computes as it does alone."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.cli.main import run as command
from s2s.joint.artifact import JointArtifact
from support.c_compilers import SANITIZERS, require, require_sanitizers, run
from support.varying_networks import inputs_of, model, session

LINE = """(float[1,N,8] x) => (float[1,N,8] y)
<float[8,24] w = ?, float[24,8] v = ?>
{ a = MatMul (x, w) b = Relu (a) c = Softmax <axis = -1> (b) y = MatMul (c, v) }"""
HEAD = LINE.replace("c = Softmax <axis = -1> (b)", "c = Sigmoid (b)")
IMAGE = """(float[1,3,8,W] x) => (float[1,8,4,V] y)
<float[8,3,3,3] w = ?, float[8,8,3,3] v = ?>
{ c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) r = Relu (c) y = Conv <pads = [1, 1, 1, 1]> (r, v) }"""
FOUND = """(float[40] x) => (float[F] y)
{ i = NonZero (x) t = Transpose (i) g = GatherND (x, t) y = Mul (g, g) }"""
CONSTANT = "(float[4,8] x) => (float[4,8] y) <float[8,8] w = ?> { a = MatMul (x, w) y = Relu (a) }"
TEXTS = {"line": LINE, "head": HEAD, "image": IMAGE, "found": FOUND, "constant": CONSTANT}
DIMS: Mapping[str, Any] = {"line": {"N": (1, 13)}, "head": {"N": (2, 9)}, "image": {"W": (2, 19)}}
RUNS = {"line": [1, 2, 6, 12, 13], "head": [2, 3, 8, 9], "image": [2, 3, 7, 18, 19], "constant": [1]}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return {name: model(text, tmp_path_factory.mktemp(name)) for name, text in TEXTS.items()}


def check(joint: JointArtifact, files: Mapping[str, Path]) -> None:
    for name in joint.networks.keys() & RUNS.keys():
        engine = session(files[name])
        for size in RUNS[name]:
            given = inputs_of(engine, size)
            for value, expected in zip(joint.loaded(name).run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(value, expected, rtol=1e-4, atol=2e-5)


OPTIONS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "one after the other": ({}, {}),
    "at the same time, on vectors": ({"target": "x86-64-v3"}, {"concurrent": True}),
    "alike kernels": ({}, {"share": "alike"}),
    "threads": ({"threads": 2}, {}),
    "pools": ({"pools": {"tcm": 8192, "sram": 262144}}, {}),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("options", "kept"), OPTIONS.values(), ids=OPTIONS)
def test_networks_of_any_size_share_a_tree(
    options: Mapping[str, Any], kept: Mapping[str, Any], files: Mapping[str, Path]
):
    given: dict[str, Any] = {"target": "c", **options}
    artifacts = [api.compile(file, name=name, dims=DIMS.get(name, {}), **given) for name, file in files.items()]
    with api.together(artifacts, name="all", **kept) as joint:
        check(joint, files)
        found: Any = np.zeros(40, np.float32)
        found[[3, 7, 39]] = [1.5, -2.0, 3.0]
        np.testing.assert_array_equal(
            joint.loaded("found").run({"x": found})["y"], np.array([2.25, 4.0, 9.0], np.float32)
        )
        if options == {}:
            assert all(result.passed for result in joint.verify().values())


def test_equal_kernels_of_equal_sizes_are_there_once(files: Mapping[str, Path]):
    artifacts = [api.compile(files["line"], target="c", name=name, dims={"N": (1, 13)}) for name in ("one", "other")]
    with api.together(artifacts, name="both") as joint:
        assert joint.report().shared_kernels > 0
        engine = session(files["line"])
        for size in (1, 5, 13):
            given = inputs_of(engine, size)
            for name in ("one", "other"):
                np.testing.assert_allclose(
                    joint.loaded(name).run(given)["y"], engine.run(None, given)[0], rtol=1e-4, atol=2e-5
                )


def test_the_tree_passes_its_tests_under_sanitizers(files: Mapping[str, Path], tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    artifacts = [api.compile(file, target="c", name=name, dims=DIMS.get(name, {})) for name, file in files.items()]
    root = api.together(artifacts, name="all").write(tmp_path / "tree")
    flags = " ".join(["-O1", *SANITIZERS, "-std=c99", "-ffp-contract=off"])
    assert run([require("make"), "-s", "test", "CC=gcc", f"CFLAGS={flags}"], root).count("passed") == len(TEXTS)
    readme = (root / "README.md").read_text()
    assert "static const line_dims line_sizes = {LINE_N_MAX};" in readme
    assert re.search(r"line_run\(all_arena \+ ALL_LINE_ARENA, &line_sizes, x, y\)", readme)


def test_the_command_line_gives_each_network_its_own_sizes(files: Mapping[str, Path], tmp_path: Path):
    named = {name: tmp_path / f"{name}.onnx" for name in ("line", "image", "constant")}
    for name, path in named.items():
        path.write_bytes(files[name].read_bytes())
    arguments = ["compile", *map(str, named.values()), "--together", "--target", "c", "-o", str(tmp_path / "tree")]
    assert command([*arguments, "--dim", "N=1..13", "--dim", "W=2..19"]) == 0
    assert "LINE_N_MAX 13" in (tmp_path / "tree/include/line.h").read_text()
    assert "IMAGE_W_MAX 19" in (tmp_path / "tree/include/image.h").read_text()
    assert "_dims" not in (tmp_path / "tree/include/constant.h").read_text()


def test_a_size_that_no_network_has_is_refused(
    files: Mapping[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    named = {name: tmp_path / f"{name}.onnx" for name in ("line", "image")}
    for name, path in named.items():
        path.write_bytes(files[name].read_bytes())
    arguments = ["compile", *map(str, named.values()), "--together", "-o", str(tmp_path / "tree"), "--dim", "K=1..13"]
    assert command(arguments) == 2
    assert "--dim K=1..13: no dimension of an input has this name" in capsys.readouterr().err
    assert not (tmp_path / "tree").exists()
