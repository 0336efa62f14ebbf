"""Numbers and decisions that follow from the size of an axis, which a run computes or is given, against onnxruntime."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.errors import UnsupportedError
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.varying_networks import session

MOST = 8
CONSTANTS = """<int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64[1] twos = {2}, int64[1] axis = {0},
int64[1] ones = {1}, float[4] other = {5, 6, 7, 8}, float[1,4] row = {1, 2, 3, 4}>"""
NUMBER = "s = Shape <start = 0, end = 1> (y) n = Squeeze (s)"
SUM = "t = ReduceSum <keepdims = 0> (y, axis)"

BODIES = {
    "shape": ("int64[2] r", "r = Shape (y)"),
    "count": ("int64 r", "r = Size (y)"),
    "a divisor": ("float[4] r", f"{NUMBER} {SUM} k = Max (n, one) f = Cast <to = 1> (k) r = Div (t, f)"),
    "a range": ("int64[i] r", f"{NUMBER} r = Range (zero, n, one)"),
    "expanded": ("float[i,4] r", "s = Shape (y) r = Expand (row, s)"),
    "a sum of what is repeated": (
        "float[4] r",
        "s = Shape (y) e = Expand (row, s) r = ReduceSum <keepdims = 0> (e, axis)",
    ),
    "a sum of what is filled": (
        "float[4] r",
        "s = Shape (y) e = ConstantOfShape <value = float[1] {2}> (s) r = ReduceSum <keepdims = 0> (e, axis)",
    ),
    "filled": ("float[i,4] r", "s = Shape (y) z = ConstantOfShape (s) r = Sub (y, z)"),
    "reshaped": (
        "float[i,2] r",
        f"{NUMBER} d = Mul (s, twos) p = Concat <axis = 0> (d, twos) r = Reshape (y, p)",
    ),
    "the first half": ("float[i,4] r", f"{NUMBER} h = Div (s, twos) o = Sub (h, h) r = Slice (y, o, h, axis)"),
    "none": ("float[4] r", f"{NUMBER} {SUM} c = Equal (n, zero) r = Where (c, other, t)"),
    "more than two": ("float[4] r", f"{NUMBER} {SUM} c = Greater (n, two) r = Where (c, other, t)"),
    "a loop": (
        "float[4] r",
        f"""{NUMBER} r = Loop (n, "", other) <
        body = step (int64 i, bool c, float[4] a) => (bool d, float[4] e) {{ d = Identity (c) e = Add (a, other) }}>""",
    ),
    "a branch": (
        "float[4] r",
        f"""{NUMBER} c = Greater (n, two) r = If (c) <
        then_branch = yes () => (float[4] a) {{ a = ReduceSum <keepdims = 0> (y, axis) }},
        else_branch = no () => (float[4] b) {{ b = Identity (other) }}>""",
    ),
    "a branch without rows": (
        "float[i,4] r",
        f"""{NUMBER} c = Equal (n, zero) r = If (c) <
        then_branch = yes () => (float[k,4] a) <int64[2] none = {{0, 4}}> {{ a = ConstantOfShape (none) }},
        else_branch = no () => (float[l,4] b) {{ b = Exp (y) }}>""",
    ),
    "a unit matrix": ("float[i,j] r", "u = Transpose (y) p = MatMul (y, u) r = EyeLike (p)"),
}

REFUSED = {
    "the last row": (
        "float[1,4] r",
        f"{NUMBER} l = Sub (n, one) r = Gather (y, l)",
        r"Gather_r: is read for .* <= Compress_y - 1, which does not hold where a run computes Compress_y=0; "
        r"bound it, as in --dim Compress_y=1\.\.8, or let the model",
    ),
    "the three greatest": (
        "float[i,4] r",
        f"{NUMBER} k = Add (one, two) h = Min (n, k) g = Reshape (h, ones) r, p = TopK <axis = 0> (y, g)",
        r"TopK_r \(TopK\): K follows from a size; choose a constant number, or all elements",
    ),
    "no rows of two": (
        "float[i,4] r",
        f"""{NUMBER} c = LessOrEqual (n, two) r = If (c) <
        then_branch = yes () => (float[k,4] a) <int64[2] none = {{0, 4}}> {{ a = ConstantOfShape (none) }},
        else_branch = no () => (float[l,4] b) {{ b = Exp (y) }}>""",
        r"If_r: takes a size inside of a loop or a branch; compute it outside, or give it a constant size",
    ),
    "one row": (
        "float[4] r",
        f"""{NUMBER} c = Equal (n, one) q = If (c) <
        then_branch = yes () => (float[4] a) {{ a = Squeeze (y, axis) }},
        else_branch = no () => (float[k,4] b) {{ b = Neg (y) }}>
        r = ReduceSum <keepdims = 0> (q, axis)""",
        r"Squeeze_a \(Squeeze\): axes \[0\] of shape \[8, 4\] are not all of size 1",
    ),
}


def found(result: str, body: str, folder: Path) -> Path:
    """A model that does something with the rows that a mask finds."""
    return onnx_file(
        f"(float[8,4] x, bool[8] m) => ({result}) {CONSTANTS} {{ y = Compress <axis = 0> (x, m) {body} }}", folder
    )


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", BODIES)
def test_numbers_of_a_size_that_a_run_computes_are_those_of_the_run(name: str, tmp_path: Path):
    file = found(*BODIES[name], tmp_path)
    with api.compile(file, target="c") as artifact:
        for count in range(MOST + 1):
            given: dict[str, Array] = {
                "x": np.random.default_rng(count).standard_normal((MOST, 4)).astype(np.float32),
                "m": np.arange(MOST) < count,
            }
            _check(artifact, given, file)


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", BODIES)
def test_numbers_of_a_given_size_are_those_of_the_run(name: str, tmp_path: Path):
    result, body = BODIES[name]
    file = onnx_file(f"(float[N,4] x) => ({result}) {CONSTANTS} {{ y = Neg (x) {body} }}", tmp_path)
    least = 2 if name == "the first half" else 1
    with api.compile(file, target="c", dims={"N": (least, MOST)}) as artifact:
        for count in range(least, MOST + 1):
            given: dict[str, Array] = {"x": np.random.default_rng(count).standard_normal((count, 4)).astype(np.float32)}
            _check(artifact, given, file)


def _check(artifact: api.Artifact, given: dict[str, Array], file: Path) -> None:
    (expected,) = session(file).run(None, given)
    (value,) = artifact.run(given).values()
    assert value.shape == expected.shape
    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_what_differs_at_the_least_sizes_is_refused(name: str, tmp_path: Path):
    result, body, reason = REFUSED[name]
    with pytest.raises(UnsupportedError, match=reason):
        api.compile(found(result, body, tmp_path), target="c")


def test_a_least_size_makes_of_the_last_row_one_that_there_is(tmp_path: Path):
    result, body, _ = REFUSED["the last row"]
    file = found(result.replace("1,4", "4"), body, tmp_path)
    with api.compile(file, target="c", dims={"Compress_y": (1, MOST)}) as artifact:
        x = np.arange(32, dtype=np.float32).reshape(MOST, 4)
        given = {"x": x, "m": np.arange(MOST) % 3 == 1}
        np.testing.assert_array_equal(artifact.run(given)["r"], x[7])
        with pytest.raises(api.InputError, match=r"is not in its bounds, --dim Compress_y=1\.\.8; give other inputs"):
            artifact.run({"x": x, "m": np.zeros(MOST, np.bool_)})


def test_a_size_may_have_few_values(tmp_path: Path):
    file = found(*BODIES["reshaped"], tmp_path)
    with api.compile(file, target="c", dims={"Compress_y": (0, 2)}) as artifact:
        for count in range(3):
            _check(artifact, {"x": np.ones((MOST, 4), np.float32), "m": np.arange(MOST) < count}, file)


@pytest.mark.parametrize("inverse", [0, 1])
def test_a_fourier_transform_whose_length_varies_is_refused_with_the_size(tmp_path: Path, inverse: int):
    body = f"(float[2,N,2] x) => (float[2,N,2] y) {{ y = DFT <axis = 1, inverse = {inverse}> (x) }}"
    with pytest.raises(UnsupportedError, match=r"is read for (not N < 8|N == 12), which does not hold at all sizes"):
        api.compile(onnx_file(body, tmp_path), dims={"N": "2..12"})
