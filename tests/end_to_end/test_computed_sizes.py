"""Results whose size depends on the data: buffers with room for all, and how much of them counts, against
onnxruntime."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from support.c_compilers import SANITIZERS, require_sanitizers
from support.onnx_text import onnx_file
from support.threads import one_thread

PLACES = "(float[5,7] x) => (int64[2,k] y) { y = NonZero (x) }"

ROWS = """(float[33,8] x) => (float[k,4] y, float[1,4] m)
<float[4] d = {0.5, -1, 0.25, 2}, float limit = {0.7}>
{ s = ReduceMax <keepdims = 0, axes = [1]> (x) c = Greater (s, limit) r = Compress <axis = 0> (x, c)
  h, t = Split <axis = 1> (r) y = Mul (h, d) e = Relu (t) m = ReduceMean <axes = [0]> (e) }"""

DISTINCT = """(int64[40] x) => (int64[k] y, int64[k] first, int64[40] inverse, int64[k] counts)
{ y, first, inverse, counts = Unique (x) }"""

IN_PLACE_ORDER = """(float[40] x) => (float[k] y, int64[k] first, int64[40] inverse, int64[k] counts)
{ y, first, inverse, counts = Unique <sorted = 0> (x) }"""

DISTINCT_ROWS = """(float[20,2] x) => (float[k,2] y, int64[20] inverse)
{ y, first, inverse = Unique <axis = 0> (x) }"""

DISTINCT_COLUMNS = """(float[9,20,70] x) => (float[9,k,70] y, int64[k] first, int64[20] inverse, int64[k] counts)
{ y, first, inverse, counts = Unique <axis = 1> (x) }"""

BOXES = """(float[2,60,4] boxes, float[2,3,60] scores) => (int64[k,3] chosen, float[k,4] picked)
<int64 most = {5}, float overlap = {0.3}, float least = {0.4}, int64[2] columns = {0, 2}>
{ chosen = NonMaxSuppression (boxes, scores, most, overlap, least)
  place = Gather <axis = 1> (chosen, columns) picked = GatherND (boxes, place) }"""

ONE_BOX = """(float[1,1,4] boxes, float[1,1,1] scores) => (int64[k,3] chosen)
<int64 most = {3}, float overlap = {0.5}, float least = {0.4}>
{ chosen = NonMaxSuppression (boxes, scores, most, overlap, least) }"""

TWO_ROWS = """(float[2,3] x) => (float[k,3] y)
<float half = {0.5}>
{ s = ReduceMax <keepdims = 0, axes = [1]> (x) c = Greater (s, half) r = Compress <axis = 0> (x, c) y = Relu (r) }"""

COLLECTED = """(float[3] x, float limit) => (float[3] last, float[k,3] rows)
<int64 most = {9}, bool yes = {1}>
{ last, rows = Loop (most, yes, x) <body = step (int64 i, bool go, float[3] a) => (bool on, float[3] b, float[3] row)
  { b = Add (a, a) row = Add (a, a) s = ReduceMax <keepdims = 0> (b) on = Less (s, limit) }> }"""

AT_MOST = """(float[3] x, int64 n) => (float[3] last, float[k,3] rows)
<int64 six = {6}, bool yes = {1}>
{ most = Min (n, six) last, rows = Loop (most, yes, x) <body = step (int64 i, bool go, float[3] a) =>
  (bool on, float[3] b, float[3] row) { on = Identity (go) b = Add (a, a) row = Neg (a) }> }"""

BRANCHES = """(float[5,4] x, bool c) => (float[k,4] y, float[m,4] z, float[n,1] s)
<int64[1] from = {1}, int64[1] to = {3}, int64[1] zero = {0}>
{ y, z = If (c) <then_branch = yes () => (float[5,4] a, float[1,4] b)
    { a = Relu (x) b = ReduceSum <keepdims = 1> (x, zero) },
  else_branch = no () => (float[2,4] d, float[2,4] e) { d = Slice (x, from, to, zero) e = Neg (d) }>
  s = ReduceMax <keepdims = 1, axes = [1]> (y) }"""

FOUND_IN_BRANCHES = """(float[9,4] x, float limit, bool c) => (float[k,4] y, float[n,1] s, float[4] t)
<float zero = {0}, int64[1] axis = {0}, int64[2] parts = {2, 7}>
{ best = ReduceMax <keepdims = 0, axes = [1]> (x)
  y, t = If (c) <then_branch = yes () => (float[i,4] a, float[4] b)
    { m = Greater (best, limit) a = Compress <axis = 0> (x, m) b = ReduceSum <keepdims = 0> (a, axis) },
  else_branch = no () => (float[j,4] d, float[4] e)
    { h = Greater (limit, zero)
      d = If (h) <then_branch = t () => (float[j1,4] p)
        { n = Less (best, limit) f = Compress <axis = 0> (x, n) p = Exp (f) },
      else_branch = u () => (float[2,4] q) { g, r = Split <axis = 0> (x, parts) q = Neg (g) }>
      e = ReduceMax <keepdims = 0, axes = [0]> (x) }>
  s = ReduceMax <keepdims = 1, axes = [1]> (y) }"""

LOOP_IN_A_BRANCH = """(float[3] x, bool c) => (float[3] y, float[k] z) <bool yes = {1}, float most = {9}>
{ y, z = If (c) <then_branch = t () => (float[3] a, float[k1] d)
    { a = Loop ( , yes, x) <body = step (int64 i, bool go, float[3] p) => (bool on, float[3] q)
        { q = Add (p, p) s = ReduceMax <keepdims = 0> (q) on = Less (s, most) }>
      m = Greater (a, most) d = Compress (a, m) },
  else_branch = e () => (float[3] b, float[3] f) { b = Neg (x) f = Exp (x) }> }"""

OF_ANY_SIZE = """(float[N,4] x) => (int64[2,k] y, float[k] z)
<float half = {0.5}> { c = Greater (x, half) y = NonZero (c)
  s = ReduceMax <keepdims = 0, axes = [1]> (x) b = Greater (s, half) z = Compress <axis = 0> (s, b) }"""

TEXTS = {
    "places": PLACES,
    "rows": ROWS,
    "distinct": DISTINCT,
    "in their order": IN_PLACE_ORDER,
    "distinct rows": DISTINCT_ROWS,
    "distinct columns": DISTINCT_COLUMNS,
    "boxes": BOXES,
    "one box": ONE_BOX,
    "two rows": TWO_ROWS,
    "collected": COLLECTED,
    "at most": AT_MOST,
    "branches": BRANCHES,
    "found in branches": FOUND_IN_BRANCHES,
    "loop in a branch": LOOP_IN_A_BRANCH,
    "of any size": OF_ANY_SIZE,
}


def inputs(kind: str, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    match kind:
        case "places":
            return {"x": rng.integers(0, 2, (5, 7)).astype(np.float32)}
        case "rows":
            return {"x": rng.standard_normal((33, 8)).astype(np.float32) - 0.3 * np.float32(seed)}
        case "distinct":
            return {"x": rng.integers(-4 * seed, 2 * seed + 1, 40).astype(np.int64)}
        case "in their order":
            return {"x": rng.integers(-4 * seed, 2 * seed + 1, 40).astype(np.float32)}
        case "distinct rows":
            return {"x": rng.integers(0, seed + 1, (20, 2)).astype(np.float32)}
        case "distinct columns":
            x = rng.standard_normal((9, 20, 70)).astype(np.float32)
            x[:8, :, :69] = 0
            return {"x": x[:, rng.integers(0, 2 + 4 * seed, 20)]}
        case "boxes":
            low = rng.random((2, 60, 2), np.float32)
            boxes = np.concatenate([low, low + rng.random((2, 60, 2), np.float32) * 0.5], -1)
            return {"boxes": boxes, "scores": rng.random((2, 3, 60), np.float32) - 0.1 * seed}
        case "one box":
            return {"boxes": rng.random((1, 1, 4), np.float32), "scores": np.full((1, 1, 1), 0.2 * seed, np.float32)}
        case "two rows":
            return {"x": rng.random((2, 3), np.float32) - 0.2 * np.float32(seed)}
        case "collected":
            return {"x": rng.random(3, np.float32), "limit": np.array(2.0**seed, np.float32)}
        case "at most":
            return {"x": rng.random(3, np.float32), "n": np.array(3 * seed - 1)}
        case "branches":
            return {"x": rng.standard_normal((5, 4)).astype(np.float32), "c": np.array(seed % 2 == 0)}
        case "found in branches":
            x = rng.standard_normal((9, 4)).astype(np.float32)
            return {"x": x, "limit": np.array(0.4 * seed - 0.5, np.float32), "c": np.array(seed % 2 == 0)}
        case "loop in a branch":  # of numbers below zero it has no end
            taken = seed % 2 == 0
            return {"x": rng.random(3, np.float32) * np.float32(1 if taken else -1), "c": np.array(taken)}
        case _:
            return {"x": rng.random((seed + 1, 4), np.float32)}


def expected(file: Path, given: dict[str, Array]) -> list[Array]:
    runtime: Any = onnxruntime
    options = one_thread()
    options.log_severity_level = 3
    return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]).run(None, given)


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", TEXTS)
def test_results_have_the_size_and_the_values_of_onnxruntime(kind: str, tmp_path: Path):
    file = onnx_file(TEXTS[kind], tmp_path)
    dims = {"N": (1, 9)} if kind == "of any size" else {}
    with api.compile(file, dims=dims, target="host" if kind in ("rows", "boxes") else "c") as artifact:
        for seed in range(5):
            given = inputs(kind, seed)
            found = list(artifact.run(given).values())
            for value, wanted in zip(found, expected(file, given), strict=True):
                np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> api.Artifact:
    return api.compile(onnx_file(ROWS, tmp_path_factory.mktemp("rows")), target="c")


def test_header_says_what_the_run_writes(rows: api.Artifact):
    header = rows.tree().text("include/model.h")
    assert "/* written by the run */" in header
    assert "const model_dims *" not in header
    record = json.loads(rows.tree().text("metadata.json"))
    (size,) = record["sizes"]
    assert (size["least"], size["most"], size["computed"]) == (0, 33, True)
    assert record["outputs"][0]["varies"] == [size["name"], ""]


def test_readme_says_where_the_size_is(rows: api.Artifact):
    record = json.loads(rows.tree().text("metadata.json"))
    assert f"/* model_sizes.{record['sizes'][0]['field']} says how much of the outputs counts */" in rows.tree().text(
        "README.md"
    )


def test_all_levels_agree(rows: api.Artifact):
    verification = rows.verify(levels=True)
    assert verification.passed
    assert verification.levels is not None
    assert [level.level for level in verification.levels.levels if level.compared] == ["tensor", "loop", "c"]


def test_self_test_passes_under_sanitizers(rows: api.Artifact, tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    root = rows.write(tmp_path / "tree")
    flags = " ".join(["-O1", *SANITIZERS])
    command = ["make", "-C", str(root), "test", "CC=gcc", f"CFLAGS={flags} -std=c99 -Wall -Wextra -Werror -pedantic"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "r: " in done.stdout


def test_a_bound_of_the_user_limits_the_memory_and_the_run(tmp_path: Path):
    file = onnx_file(ROWS, tmp_path)
    with api.compile(file, dims={"Compress_r": (0, 4)}, target="c") as artifact:
        assert artifact.info.outputs[0].shape == (4, 4)
        few = {"x": np.full((33, 8), -1, np.float32)}
        few["x"][7:10, 3] = 1
        assert artifact.run(few)[artifact.info.outputs[0].name].shape == (3, 4)
        with pytest.raises(InputError, match="Compress_r"):
            artifact.run({"x": np.ones((33, 8), np.float32)})


def test_a_size_that_is_computed_cannot_be_given(tmp_path: Path):
    with pytest.raises(InputError, match=r"--dim Compress_r=4: .* in every run"):
        api.compile(onnx_file(ROWS, tmp_path), dims={"Compress_r": 4})


def test_verify_compares_with_the_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(onnx_file(PLACES, tmp_path)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"]


@pytest.mark.parametrize(
    ("branch", "reason"),
    [
        ("a = Concat <axis = 0> (r, x)", "a part is found in the data"),
        ("p = NonZero (x) a = Cast <to = 1> (p)", "differ along one axis only"),
    ],
)
def test_what_is_found_in_a_branch_is_all_of_one_axis(branch: str, reason: str, tmp_path: Path):
    text = f"""(float[4,6] x, bool[4] m, bool c) => (float[i,j] y)
    {{ y = If (c) <then_branch = t () => (float[k,l] a) {{ r = Compress <axis = 0> (x, m) {branch} }},
                   else_branch = e () => (float[4,6] b) {{ b = Neg (x) }}> }}"""
    with pytest.raises(UnsupportedError, match=rf"If_y \(If\): .*{reason}"):
        api.compile(onnx_file(text, tmp_path))


def test_what_is_found_in_the_branch_of_a_loop_is_refused(tmp_path: Path):
    text = """(float[3] x, bool c) => (float[3] y) <int64 most = {4}, bool yes = {1}>
    { y = Loop (most, yes, x) <body = step (int64 i, bool go, float[3] p) => (bool on, float[3] q)
      { on = Identity (go) q = If (c) <
        then_branch = t () => (float[3] a) { m = Cast <to = 9> (p) r = Compress (p, m) s = ReduceSum (r) a = Add (p, s)
        },
        else_branch = e () => (float[3] d) { d = Neg (p) }> }> }"""
    with pytest.raises(UnsupportedError, match=r"Compress_r: .* inside of a loop"):
        api.compile(onnx_file(text, tmp_path))
