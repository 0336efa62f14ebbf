"""Sizes that are given at run time: one tree, right at every size within its bounds, against onnxruntime."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx.parser
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.types.dtypes import Array
from support.boards import board_or_skip
from support.c_compilers import SANITIZERS, require_sanitizers
from support.onnx_text import onnx_file
from support.varying_networks import inputs_of, model, session

MAX_SIZE = 21
"""No multiple of any register tile, so that the greatest size has a rest, too."""

ENCODER = """(float[1,N,16] x) => (float[1,N,16] y)
<float[16,16] wq = ?, float[16,16] wk = ?, float[16,16] wv = ?, float[16] g = ?,
 float[16] b = ?, int64[4] heads = {0, -1, 2, 8}, int64[3] merged = {0, -1, 16}, float scale = {0.35}>
{ q0 = MatMul (x, wq) k0 = MatMul (x, wk) v0 = MatMul (x, wv)
   q1 = Reshape (q0, heads) k1 = Reshape (k0, heads) v1 = Reshape (v0, heads)
   q = Transpose <perm = [0, 2, 1, 3]> (q1) k = Transpose <perm = [0, 2, 3, 1]> (k1)
   v = Transpose <perm = [0, 2, 1, 3]> (v1)
   s0 = MatMul (q, k) s = Mul (s0, scale) p = Softmax <axis = -1> (s)
   o = MatMul (p, v) o1 = Transpose <perm = [0, 2, 1, 3]> (o) o2 = Reshape (o1, merged)
   r = Add (x, o2) y = LayerNormalization <axis = -1> (r, g, b) }"""

CLASSIFIER = """(float[N,3,9,9] x) => (float[N,5] y)
<float[8,3,3,3] w = ?, float[8,5] d = ?, float[5] b = ?>
{ c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) r = Relu (c) m = MaxPool <kernel_shape = [2, 2]> (r)
   a = GlobalAveragePool (m) f = Flatten (a) y = Gemm (f, d, b) }"""

TOKENS = """(int64[1,N] x) => (float[1,N,8] y, float[1,8] z)
<float[10,8] words = ?, float[30,8] places = ?, int64[1] one = {1}, int64[1] zero = {0}>
{ e = Gather (words, x) s = Shape (x) n = Gather (s, one) p = Slice (places, zero, n, zero) y = Add (e, p)
   z = ReduceMax <axes = [1], keepdims = 0> (y) }"""

RECOGNISER = """(float[1,3,16,N] x) => (float[1,T,7] y)
<float[8,3,3,3] w0 = ?, float[8] b0 = ?, float[16,8,3,3] w1 = ?, float[16] b1 = ?, float[16,1,5,5] wd = ?,
 float[16,16,1,1] wp = ?, float[16,16,2,1] wh = ?, int64[1] two = {2}, float[16,16] wq = ?, float[16,7] wl = ?>
{ c0 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w0, b0) r0 = Relu (c0)
  c1 = Conv <pads = [1, 1, 1, 1]> (r0, w1, b1) r1 = HardSwish (c1)
  m1 = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (r1)
  d = Conv <pads = [2, 2, 2, 2], group = 16, strides = [2, 1]> (m1, wd) p = Conv (d, wp) r2 = Relu (p)
  h = Conv (r2, wh) s = Squeeze (h, two) t = Transpose <perm = [0, 2, 1]> (s)
  q = MatMul (t, wq) k = MatMul (q, s) a = Softmax <axis = -1> (k) o = MatMul (a, t) r = Add (t, o)
  l = MatMul (r, wl) y = Softmax <axis = -1> (l) }"""
"""Along the width: strides, padding, and a maximum over padding of what a convolution pads with zeros."""

MAX_OF = {"encoder": MAX_SIZE, "classifier": 5, "tokens": MAX_SIZE, "recogniser": 45}
TEXTS = {"encoder": ENCODER, "classifier": CLASSIFIER, "tokens": TOKENS, "recogniser": RECOGNISER}


def inputs(kind: str, size: int) -> Array:
    rng = np.random.default_rng(size)
    if kind == "tokens":
        return rng.integers(0, 10, (1, size))
    shape = {"encoder": (1, size, 16), "classifier": (size, 3, 9, 9), "recogniser": (1, 3, 16, size)}[kind]
    return rng.standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: model(text, tmp_path_factory.mktemp(kind)) for kind, text in TEXTS.items()}


@pytest.fixture(scope="module")
def encoder(files: dict[str, Path]) -> Iterator[api.Artifact]:
    with api.compile(files["encoder"], dims={"N": (1, MAX_SIZE)}) as artifact:
        yield artifact


def check_every_size(kind: str, file: Path, artifact: api.Artifact) -> None:
    engine = session(file)
    for size in range(artifact.info.sizes["N"].least, MAX_OF[kind] + 1):
        given = inputs(kind, size)
        found = artifact.run({"x": given})
        for value, expected in zip(found.values(), engine.run(None, {"x": given}), strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=2e-5)


def test_encoder_is_right_at_every_size(encoder: api.Artifact, files: dict[str, Path]):
    check_every_size("encoder", files["encoder"], encoder)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "target"),
    [("encoder", "c"), ("classifier", "host"), ("tokens", "host"), ("recogniser", "c"), ("recogniser", "host")],
)
def test_every_size_gives_the_results_of_onnxruntime(kind: str, target: str, files: dict[str, Path]):
    with api.compile(files[kind], dims={"N": (1, MAX_OF[kind])}, target=target) as artifact:
        check_every_size(kind, files[kind], artifact)


def check_on_poisoned_memory(artifact: api.Artifact, file: Path, given: Array) -> None:
    """Run on an arena, inputs and outputs of which all that is not given is NaN."""
    library, info = artifact.loaded(), artifact.info
    (x,), (y,) = info.inputs, info.outputs
    poisoned, found = (np.full(port.shape, np.nan, np.float32) for port in (x, y))
    poisoned[tuple(map(slice, given.shape))] = given
    arena = np.full(info.arena_size + 64, 0xFF, np.uint8)
    size = np.array([given.shape[x.varies.index("N")]], np.int32)
    places = (arena[-arena.ctypes.data % 64 :], size, poisoned, found)
    assert library.lib.model_run(*(library.ffi.cast("void *", each.ctypes.data) for each in places)) == 0
    (expected,) = session(file).run(None, {"x": given})
    part = found[tuple(map(slice, expected.shape))]
    np.testing.assert_allclose(part, expected, rtol=1e-4, atol=1e-5 * max(2, np.abs(expected).max()))


def test_old_values_of_greater_runs_do_not_reach_smaller_ones(encoder: api.Artifact, files: dict[str, Path]):
    check_on_poisoned_memory(encoder, files["encoder"], inputs("encoder", 5))


WINOGRAD = """(float[1,32,24,N] x) => (float[1,32,24,N] y) <float[32,32,3,3] v = ?, float[32,32,3,3] w = ?>
{ a = Conv <pads = [1, 1, 1, 1]> (x, v) r = Relu (a) y = Conv <pads = [1, 1, 1, 1]> (r, w) }"""


def test_fast_convolutions_read_zeros_behind_the_end(tmp_path: Path):
    file = model(WINOGRAD, tmp_path)
    with api.compile(file, dims={"N": (3, 26)}, target="x86-64-v3") as artifact:
        assert "transformed" in artifact.tree().text("src/model.c")
        for size in (3, 4, 15, 25, 26):
            given = np.random.default_rng(size).standard_normal((1, 32, 24, size)).astype(np.float32)
            check_on_poisoned_memory(artifact, file, given)


@pytest.mark.parametrize("size", [0, -1, MAX_SIZE + 1])
def test_size_outside_of_the_bounds_is_a_status(size: int, encoder: api.Artifact):
    library = encoder.loaded()
    memory = np.zeros(encoder.info.arena_size + 64, np.uint8)
    ports = np.zeros((2, MAX_SIZE * 16), np.float32)
    aligned = memory[-memory.ctypes.data % 64 :]
    given = np.array([size], np.int32)
    pointers = [library.ffi.cast("void *", each.ctypes.data) for each in (aligned, given, ports[0], ports[1])]
    assert library.lib.model_run(*pointers) == -8


def test_arrays_outside_of_the_bounds_are_refused(encoder: api.Artifact):
    with pytest.raises(InputError, match=r"x: axis 1 has size 22, and N is within 1\.\.21"):
        encoder.run({"x": inputs("encoder", MAX_SIZE + 1)})


def test_all_levels_agree_at_several_sizes(encoder: api.Artifact):
    verification = encoder.verify(levels=True)
    assert verification.passed
    assert verification.vectors == 3
    assert verification.levels is not None
    assert [level.level for level in verification.levels.levels if level.compared] == ["tensor", "loop", "c"]


MEANS = """(float[1,2,4,N] x) => (float[1,3] y, float[1,2,4,N] z) <float[2,3] d = ?>
{ a = GlobalAveragePool (x) f = Flatten (a) y = MatMul (f, d)
  m = ReduceMean <axes = [3], keepdims = 1> (x) z = Sub (x, m) }"""


def test_means_divide_by_the_size_of_the_run(tmp_path: Path):
    file = model(MEANS, tmp_path)
    with api.compile(file, dims={"N": (1, 11)}, target="c") as artifact:
        verification = artifact.verify(levels=True)
        assert verification.passed
        assert verification.vectors == 3


def test_plain_loops_take_sizes_as_well(files: dict[str, Path]):
    with api.compile(files["encoder"], dims={"N": (1, 6)}, schedule="reference", target="c") as artifact:
        assert artifact.verify(against="interpreter").passed


def test_size_is_in_header_and_record(encoder: api.Artifact):
    tree = encoder.tree()
    header = tree.text("include/model.h")
    assert "typedef struct {\n    int32_t n;\n} model_dims;" in header
    assert "#define MODEL_N_MAX 21" in header
    record = json.loads(tree.text("metadata.json"))
    assert record["sizes"] == [{"name": "N", "field": "n", "least": 1, "most": 21}]
    assert record["outputs"][0]["varies"] == ["", "N", ""]


def test_self_test_passes_under_sanitizers(encoder: api.Artifact, tmp_path: Path):
    require_sanitizers("gcc", tmp_path)
    root = encoder.write(tmp_path / "tree")
    flags = " ".join(["-O1", *SANITIZERS])
    command = ["make", "-C", str(root), "test", "CC=gcc", f"CFLAGS={flags} -std=c99 -ffp-contract=off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_board_runs_the_greatest_size(files: dict[str, Path], capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    assert run(["verify", str(files["encoder"]), "--dim", "N=1..8", "--on", "qemu:m4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"]


PACKED = """<ir_version: 10, opset_import: ["" : 21]> g (int4SHAPE x) => (floatSHAPE y) <float s = {0.5}>
{ y = DequantizeLinear (x, s) }"""


@pytest.mark.parametrize("shape", ["[N,4]", "[N]"])
def test_axes_of_packed_inputs_are_refused(shape: str, tmp_path: Path):
    file = tmp_path / "packed.onnx"
    file.write_bytes(onnx.parser.parse_model(PACKED.replace("SHAPE", shape)).SerializeToString())
    with pytest.raises(UnsupportedError, match="input x: its elements are packed into bytes"):
        api.compile(file, dims={"N": (1, 4)})


BYTES = """<ir_version: 10, opset_import: ["" : 21]> g (float8e4m3fn[3,N] x) => (float8e5m2[N,3] y)
{ t = Transpose (x) f = Cast <to = 1> (t) y = Cast <to = 19> (f) }"""


def test_floats_of_eight_bits_vary_along_their_axes(tmp_path: Path):
    file = tmp_path / "bytes.onnx"
    file.write_bytes(onnx.parser.parse_model(BYTES).SerializeToString())
    codes = np.arange(24, dtype=np.uint8).reshape(3, 8)
    with api.compile(file, dims={"N": (1, 8)}, target="c") as artifact:
        for size in (1, 5, 8):
            x = codes[:, :size].view(ml_dtypes.float8_e4m3fn)
            [y] = artifact.run({"x": x}).values()
            wanted = x.T.astype(np.float32).astype(ml_dtypes.float8_e5m2)
            assert y.dtype == wanted.dtype
            np.testing.assert_array_equal(y.astype(np.float32), wanted.astype(np.float32))


COMPUTED = {
    "a root": """(float[N,8] x) => (float[N,8] y) <int64 first = {0}>
        { s = Shape (x) n = Gather (s, first) f = Cast <to = 1> (n) r = Sqrt (f) y = Div (x, r) }""",
    "a root in a branch": """(bool[1] c, float[N] x, float[3] z) => (float[3] y)
        { n = Size (x) f = Cast <to = 1> (n) r = Sqrt (f)
        y = If (c) <then_branch = a () => (float[3] s) { s = Mul (z, r) }, else_branch = b () => (float[3] t)
        { t = Neg (z) }> }""",
    "a sum of positions": """(float[2,N] x) => (float[2,N] y) <int64[1] one = {1}, int64 zero = {0}, int64 step = {1}>
        { s = Shape (x) n0 = Gather (s, one) n = Squeeze (n0) r = Range (zero, n, step) f = Cast <to = 1> (r)
        t = ReduceSum (f) y = Add (x, t) }""",
    "a triangle": """(float[1,N] x) => (float[1,N] y) <int64[1] one = {1}, float[1] zero = {1}>
        { s = Shape (x) n = Gather (s, one) m = Concat <axis = 0> (n, n)
        o = ConstantOfShape <value = float[1] {1}> (m) t = Trilu <upper = 0> (o) y = MatMul (x, t) }""",
    "a unit matrix": "(float[5,N] x) => (int64[5,1] y) { e = EyeLike (x) y = ArgMax <axis = 1> (e) }",
    "a shifted unit matrix": """(float[32,N] x) => (int64[32,1] y)
        { e = EyeLike <k = -3> (x) y = ArgMax <axis = 1> (e) }""",
}
"""What follows from a size and is no number that shapes have: computed in each run."""


@pytest.mark.parametrize("name", COMPUTED)
def test_what_follows_from_a_size_is_computed_in_the_run(name: str, tmp_path: Path):
    file = onnx_file(COMPUTED[name], tmp_path)
    engine = session(file)
    with api.compile(file, dims={"N": (1, 12)}, target="c") as artifact:
        for size in range(1, 13):
            given = inputs_of(engine, size)
            (found,), (expected,) = artifact.run(given).values(), engine.run(None, given)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


REFUSED = {
    "a step that reads behind the end": (
        """(float[1,2,N] s, float[3,1,2,N] x) => (float[1,2,N] y) <float[2,2,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}>
        { y = Scan <num_scan_inputs = 1, body = step (float[1,2,N] a, float[1,2,N] b) => (float[1,2,N] c)
          { f = Conv <pads = [1, 1]> (b, w) c = Add (f, a) }> (s, x) }""",
        "windows reach behind the end of what a step reads",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_size_otherwise_is_refused(name: str, tmp_path: Path):
    text, reason = REFUSED[name]
    with pytest.raises(UnsupportedError, match=reason):
        api.compile(onnx_file(text, tmp_path), dims={"N": (1, 12)})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"dims": {"N": (5, 5)}}, "--dim N=5..5: the first bound is 1 or more, the second is larger"),
        ({"dims": {"M": (1, 5)}}, "no dimension of an input has this name"),
    ],
)
def test_sizes_that_no_input_has_are_refused(options: dict[str, Any], reason: str, files: dict[str, Path]):
    asked: dict[str, Any] = {"dims": {"N": (1, MAX_SIZE)}, **options}
    with pytest.raises(S2SError, match=reason):
        api.compile(files["encoder"], **asked)


def test_sizes_of_inputs_without_elements_are_refused(tmp_path: Path):
    file = onnx_file(
        "(float[2,N] x, float[0,N] z) => (float[2,N] y, float[0,N] w) { y = Neg (x) w = Neg (z) }", tmp_path
    )
    with pytest.raises(InputError, match="input z: has no element and is not passed; give N a constant size"):
        api.compile(file, dims={"N": (1, 4)})


def test_sizes_of_outputs_without_elements_are_refused(tmp_path: Path):
    text = """(float[2,N] x) => (float[2,N] y, float[0,N] w) <int64[1] zero = {0}>
    { y = Neg (x) w = Slice (x, zero, zero, zero) }"""
    with pytest.raises(UnsupportedError, match="output w: has no element, and its shape depends on the size"):
        api.compile(onnx_file(text, tmp_path), dims={"N": (1, 4)})


def test_named_sizes_have_kernels_of_their_own(files: dict[str, Path]):
    with api.compile(files["encoder"], dims={"N": (1, MAX_SIZE, 8, 21)}, target="c") as artifact:
        tree = artifact.tree()
        assert "if (n == 8)" in tree.text("src/model.c")
        assert json.loads(tree.text("metadata.json"))["sizes"][0]["special"] == [8, 21]
        for size in (1, 7, 8, 9, 21):
            check_on_poisoned_memory(artifact, files["encoder"], inputs("encoder", size))


def test_networks_begin_where_the_error_says(tmp_path: Path):
    file = onnx_file("(float[5,N] x) => (int64[5,1] y) { e = EyeLike (x) y = ArgMax <axis = 1> (e) }", tmp_path)
    with api.compile(file, dims={"N": (5, 65)}, target="c") as artifact:
        for size in (5, 6, 65):
            given = np.zeros((5, size), np.float32)
            np.testing.assert_array_equal(artifact.run({"x": given})["y"], session(file).run(None, {"x": given})[0])
