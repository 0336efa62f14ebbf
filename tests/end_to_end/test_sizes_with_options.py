"""Sizes that are given at run time, together with threads, memory pools, budgets, state and the profile for MISRA C."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.networks.varying import NETWORKS
from benchmarks.static_analysis import misra
from s2s import api
from s2s.errors import InputError, S2SError
from s2s.options import Executor
from s2s.targets import get_target
from s2s.tvm.contrib.export import export_library
from s2s.types.dtypes import Array
from support.c_compilers import SANITIZERS, WARNINGS, require, require_sanitizers, run
from support.varying_networks import inputs_of, model, names_of_sizes, session

LINE = """(float[1,N,8] x) => (float[1,N,8] y, float[1,N,12] z)
<float[8,24] w = ?, float[24,12] v = ?, float[12,8] u = ?>
{ a = MatMul (x, w) b = Relu (a) z = MatMul (b, v) c = Softmax <axis = -1> (z) d = MatMul (c, u) y = Add (x, d) }"""
IMAGE = """(float[1,3,16,W] x) => (float[1,T,7] y)
<float[8,3,3,3] w0 = ?, float[16,8,3,3] w1 = ?, float[16,16,4,1] w2 = ?, int64[1] two = {2}, float[16,7] l = ?>
{ c0 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w0) r0 = Relu (c0)
  c1 = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (r0, w1) r1 = HardSwish (c1) h = Conv (r1, w2)
  s = Squeeze (h, two) t = Transpose <perm = [0, 2, 1]> (s) m = MatMul (t, l) y = Softmax <axis = -1> (m) }"""
FOUND = """(float[40] x) => (float[F] y)
{ i = NonZero (x) t = Transpose (i) g = GatherND (x, t) y = Mul (g, g) }"""
TEXTS = {"line": LINE, "image": IMAGE}
BOUNDS = {"N": (1, 33), "W": (2, 45)}
"""No multiples of register tiles, so that the greatest size has a rest, too."""
RTOL, ATOL = 1e-4, 2e-5


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return {kind: model(text, tmp_path_factory.mktemp(kind)) for kind, text in TEXTS.items()}


def compiled(file: Path, **options: Any) -> api.Artifact:
    given: dict[str, Any] = {"target": "c", **options}
    names = names_of_sizes(session(file))
    return api.compile(file, dims={name: BOUNDS[name] for name in names}, **given)


def sizes_of(artifact: api.Artifact) -> range:
    ((least, most, *_),) = artifact.info.sizes.values()
    return range(least, most + 1)


def check_every_size(artifact: api.Artifact, file: Path) -> None:
    engine = session(file)
    for size in sizes_of(artifact):
        given = inputs_of(engine, size)
        for value, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
            np.testing.assert_allclose(value, expected, rtol=RTOL, atol=ATOL)


def sources(artifact: api.Artifact) -> str:
    tree = artifact.tree()
    return "\n".join(tree.text(path) for path in tree if path.startswith("src/") and path.endswith(".c"))


def divided(target: str) -> Any:
    """A target on which a fork and a join cost nothing, so that every kernel is divided."""
    return replace(get_target(target), fork_join=1)


@pytest.mark.sample(1, each="target")
@pytest.mark.parametrize("target", ["c", "x86-64-v3"])
@pytest.mark.parametrize("kind", TEXTS)
def test_any_number_of_threads_gives_the_same_bits_at_every_size(kind: str, target: str, files: Mapping[str, Path]):
    engine = session(files[kind])
    with compiled(files[kind], target=divided(target)) as alone:
        expected = [alone.run(inputs_of(engine, size)) for size in sizes_of(alone)]
        check_every_size(alone, files[kind])
    for threads in (2, 3):
        with compiled(files[kind], target=divided(target), threads=threads) as artifact:
            if (kind, threads) == ("line", 2):
                counts = re.findall(r"s2s_pool_run\(pool, \w+, &task, (.*), 2\)", sources(artifact))
                assert [count for count in counts if re.search("[a-z]", count)], "no division follows the size"
            for size, values in zip(sizes_of(artifact), expected, strict=True):
                found = artifact.run(inputs_of(engine, size))
                assert {name: value.tobytes() for name, value in found.items()} == {
                    name: value.tobytes() for name, value in values.items()
                }


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["encoder", "recogniser"])
def test_the_kernels_of_a_tree_of_constant_size_are_divided(name: str, tmp_path: Path):
    network = NETWORKS[name]()
    path = tmp_path / f"{name}.onnx"
    path.write_bytes(network.model.SerializeToString())
    divided_kernels: list[set[str]] = []
    for size in ((network.bounds.least, network.bounds.most), network.bounds.most):
        with api.compile(path, dims={network.name: size}, target="x86-64-v3", threads=2) as artifact:
            called = re.findall(rf"s2s_pool_run\(pool, {name}_(?:\d+_)?(\w+)_thread,", sources(artifact))
            divided_kernels.append({re.sub(r"_step1$", "", kernel) for kernel in called})
    varying, constant = divided_kernels
    assert varying == constant
    assert len(constant) > 1


def test_named_sizes_and_threads_go_together(files: Mapping[str, Path]):
    with api.compile(files["line"], dims={"N": (1, 33, 8, 16)}, target=divided("c"), threads=2) as artifact:
        assert "if (n == 8)" in sources(artifact)
        check_every_size(artifact, files["line"])


def test_kernels_that_compute_sizes_are_divided(tmp_path: Path):
    file = model(FOUND, tmp_path)
    rng, engine = np.random.default_rng(0), session(file)
    with api.compile(file, target=divided("c"), threads=2) as artifact:
        for count in (1, 2, 17, 40):
            x = np.zeros(40, np.float32)
            x[rng.permutation(40)[:count]] = rng.standard_normal(count) + 3
            (expected,) = engine.run(None, {"x": x})
            np.testing.assert_array_equal(artifact.run({"x": x})["y"], expected)


@pytest.mark.parametrize("sanitizers", [SANITIZERS, ("-fsanitize=thread",)], ids=["memory", "threads"])
def test_divided_kernels_are_clean_under_sanitizers(
    sanitizers: Sequence[str], files: Mapping[str, Path], tmp_path: Path
):
    require_sanitizers("gcc", tmp_path)
    root = compiled(files["image"], target=divided("c"), threads=3).write(tmp_path / "tree")
    flags = " ".join(["-O1", *sanitizers, "-std=c99", "-ffp-contract=off"])
    command = ["make", "-C", str(root), "test", "CC=gcc", f"CFLAGS={flags}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "pools": {"pools": {"tcm": 2048, "sram": 262144}},
    "pools and threads": {"pools": {"tcm": 2048, "sram": 262144}, "threads": 2, "target": divided("c")},
    "constants loaded": {"pools": ["tcm=8KiB:loaded", "sram=256KiB"]},
    "least memory": {"ram_budget": "min"},
    "poisoned memory": {"poison": True},
    "graph executor": {"executor": "graph"},
    "graph executor for vectors": {"executor": "graph", "target": "x86-64-v3"},
    "graph executor and least memory": {"executor": "graph", "ram_budget": "min"},
    "misra": {"profile": "misra"},
    "misra and pools": {"profile": "misra", "pools": ["tcm=2KiB", "sram=256KiB"]},
}


@pytest.mark.sample(1, each="options")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("kind", TEXTS)
def test_options_keep_the_results_of_every_size(
    kind: str, options: Mapping[str, Any], files: Mapping[str, Path], tmp_path: Path
):
    with compiled(files[kind], **options) as artifact:
        check_every_size(artifact, files[kind])
        root = artifact.write(tmp_path / "tree")
    assert "passed" in run([require("make"), "-s", "test"], root)


def test_pools_hold_parts_of_the_arena(files: Mapping[str, Path]):
    artifact = compiled(files["image"], pools={"tcm": 2048, "sram": 262144})
    assert {pool.name: pool.size > 0 for pool in artifact.info.pools} == {"tcm": True, "sram": True}
    header = artifact.tree().text("include/model.h")
    assert re.search(r"model_run\(void \*arena_tcm, void \*arena_sram, const model_dims \*dims,", header)


def test_least_memory_is_less(files: Mapping[str, Path]):
    plain, least = (compiled(files["image"], **options).info.arena_size for options in ({}, {"ram_budget": "min"}))
    assert least < plain


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", TEXTS)
def test_analysers_find_nothing_that_is_not_written_down(kind: str, files: Mapping[str, Path], tmp_path: Path):
    require("cppcheck")
    tree = compiled(files[kind], profile="misra").write(tmp_path / "tree")
    assert [finding for finding in misra(tree) if not finding.is_listed] == []


TWO = """(float[M,N] x, float[N,K] w) => (float[M,K] y, float[1,K] z)
{ p = MatMul (x, w) y = Relu (p) z = ReduceMax <axes = [0], keepdims = 1> (p) }"""


def test_both_executors_give_the_same_bits_at_random_sizes(tmp_path: Path):
    file = model(TWO, tmp_path)
    rng, engine = np.random.default_rng(11), session(file)
    dims = {"M": (1, 19), "N": (2, 17), "K": (1, 23, 8)}
    with api.compile(file, dims=dims, executor="graph") as tables, api.compile(file, dims=dims) as function:
        assert "if (" in tables.tree().text("src/model_graph.c")
        for m, n, k in [*rng.integers([1, 2, 1], [20, 18, 24], (30, 3)).tolist(), [19, 17, 23], [1, 2, 8]]:
            given = {"x": rng.standard_normal((m, n)), "w": rng.standard_normal((n, k))}
            given = {name: value.astype(np.float32) for name, value in given.items()}
            found, other = tables.run(given), function.run(given)
            for name, expected in zip(("y", "z"), engine.run(None, given), strict=True):
                assert found[name].tobytes() == other[name].tobytes()
                np.testing.assert_allclose(found[name], expected, rtol=RTOL, atol=ATOL)


def test_the_graph_executor_says_which_sizes_a_run_has_computed(tmp_path: Path):
    file = model(FOUND, tmp_path)
    rng, engine = np.random.default_rng(0), session(file)
    with api.compile(file, dims={"NonZero_i": (0, 20)}, executor="graph") as artifact:
        for count in (1, 2, 17, 20, 0):
            x = np.zeros(40, np.float32)
            x[rng.permutation(40)[:count]] = rng.standard_normal(count) + 3
            (expected,) = engine.run(None, {"x": x})
            np.testing.assert_array_equal(artifact.run({"x": x})["y"], expected)
        with pytest.raises(
            InputError, match=r"a size is outside of its bounds in this run: NonZero_i is 40 of 0\.\.20"
        ):
            artifact.run({"x": np.ones(40, np.float32)})


def test_tvm_modules_of_tables_with_sizes_are_refused(files: Mapping[str, Path], tmp_path: Path):
    artifact = compiled(files["line"], executor="graph")
    with pytest.raises(InputError, match="has no sizes that vary and no state; give every dimension a constant size"):
        export_library(artifact, "model", tmp_path / "module.so")


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", [*TEXTS, "found"])
def test_tables_with_sizes_are_clean_under_sanitizers(kind: str, tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    file = model({**TEXTS, "found": FOUND}[kind], tmp_path)
    artifact = compiled(file, executor="graph") if kind in TEXTS else api.compile(file, executor="graph", target="c")
    root = artifact.write(tmp_path / "tree")
    assert "model_GRAPH_SIZES".upper() in (root / "include/model.h").read_text()
    assert not (root / "model.graph.json").exists(), "TVM's format has no sizes that vary"
    flags = " ".join(["-O1", *SANITIZERS, *WARNINGS, "-Werror", "-std=c99", "-ffp-contract=off"])
    command = ["make", "-C", str(root), "test", "CC=gcc", f"CFLAGS={flags}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


STREAM = """(float[1,N,8] x, float[1,2,8] past) => (float[1,N,8] y, float[1,2,8] next)
<float[8,8,3] w = ?, int64[1] last = {-2}, int64[1] end = {100000}, int64[1] one = {1}>
{ c = Concat <axis = 1> (past, x) t = Transpose <perm = [0, 2, 1]> (c) k = Conv (t, w) r = Relu (k)
  y = Transpose <perm = [0, 2, 1]> (r) next = Slice (c, last, end, one) }"""


@pytest.mark.parametrize(
    "options",
    [{}, {"threads": 2, "target": divided("c")}, {"profile": "misra"}, {"executor": "graph"}],
    ids=str,
)
def test_frames_of_a_stream_vary_from_run_to_run(options: Mapping[str, Any], tmp_path: Path):
    file = model(STREAM, tmp_path)
    engine, rng = session(file), np.random.default_rng(5)
    with compiled(file, states={"past": "next"}, **options) as artifact:
        past = np.zeros((1, 2, 8), np.float32)
        for size in (3, 1, 33, 2, 2, 7, 1, 1, 32):
            x = rng.standard_normal((1, size, 8)).astype(np.float32)
            expected, past = engine.run(None, {"x": x, "past": past})
            np.testing.assert_allclose(artifact.run({"x": x})["y"], expected, rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_streams_of_varying_frames_have_states_of_their_own(executor: Executor, tmp_path: Path):
    file = model(STREAM, tmp_path)
    x: Array = np.random.default_rng(2).standard_normal((1, 12, 8)).astype(np.float32)
    with compiled(file, states={"past": "next"}, executor=executor) as artifact:
        whole, parts = artifact.stream(), artifact.stream()
        expected = whole.run({"x": x})["y"]
        found = [parts.run({"x": part})["y"] for part in np.split(x, [1, 4, 9], axis=1)]
    np.testing.assert_allclose(np.concatenate(found, axis=1), expected, rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("(float[1,N,8] x, float[1,N,8] past) => (float[1,N,8] y, float[1,N,8] next)", "N"),
        ("(float[1,N,8] x, float[1,33,8] past) => (float[1,N,8] y, float[1,N,8] next)", "N"),
    ],
    ids=["input and output vary", "the output varies"],
)
def test_state_of_varying_shape_is_refused(text: str, size: str, tmp_path: Path):
    file = model(f"{text} {{ s = ReduceMax <keepdims = 1> (past) next = Add (x, s) y = Neg (next) }}", tmp_path)
    with pytest.raises(S2SError, match=f"past: is state, which lasts from run to run, and its size {size} varies"):
        compiled(file, states={"past": "next"})
