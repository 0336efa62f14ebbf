"""Operators along dimensions of varying size, as exporters write them, against onnxruntime at several sizes."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from support.varying_networks import inputs_of, model, names_of_sizes, session

TEXTS = {
    "class token": """(float[1,N,4] x) => (float[1,M,4] y) <float[1,1,4] c = ?> { y = Concat <axis = 1> (c, x) }""",
    "cache and new row": "(float[1,2,N,4] x, float[1,2,1,4] t) => (float[1,2,M,4] y) { y = Concat <axis = 2> (x, t) }",
    "two sizes joined": """(float[1,N,4] x, float[1,K,4] z) => (float[1,M,4] y)
{ r = Relu (x) y = Concat <axis = 1> (r, z, x) }""",
    "feature pyramid": """(float[1,3,N,8] x) => (float[1,M,3] y) <int64[3] f = {1, 3, -1}>
{ a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) r = Reshape (x, f) s = Reshape (a, f)
  c = Concat <axis = 2> (r, s) y = Transpose <perm = [0, 2, 1]> (c) }""",
    "rows flattened": """(float[2,3,N,4] x) => (float[2,3,M] y) <int64[3] f = {2, 3, -1}> { y = Reshape (x, f) }""",
    "flatten": "(float[2,N,4] x) => (float[2,M] y) { y = Flatten (x) }",
    "depth to space": "(float[1,8,2,N] x) => (float[1,2,4,M] y) { y = DepthToSpace <blocksize = 2> (x) }",
    "last row": "(float[1,N,4] x) => (float[1,4] y) <int64 last = {-1}> { y = Gather <axis = 1> (x, last) }",
    "last rows": """(float[1,N,4] x) => (float[1,2,4] y)
<int64[1] s = {-2}, int64[1] e = {9223372036854775807}, int64[1] a = {1}> { y = Slice (x, s, e, a) }""",
    "differences": """(float[1,N,4] x) => (float[1,M,4] y)
<int64[1] zero = {0}, int64[1] one = {1}, int64[1] last = {-1}, int64[1] end = {9223372036854775807}>
{ p = Slice (x, zero, last, one) q = Slice (x, one, end, one) y = Sub (q, p) }""",
    "backwards": """(float[1,N,4] x) => (float[1,N,4] y)
<int64[1] s = {-1}, int64[1] e = {-9223372036854775807}, int64[1] a = {1}> { y = Slice (x, s, e, a, s) }""",
    "mask of tokens": """(int64[1,N] m) => (float[1,1,N,N] y)
<int64[2] a = {1, 2}, float one = {1}, float big = {-3.4e38}, int64 i1 = {1}, int64[1] zero = {0}, int64[1] o = {1}>
{ u = Unsqueeze (m, a) f = Cast <to = 1> (u) s = Shape (m) n = Gather (s, i1) nn = Unsqueeze (n, zero)
  sh = Concat <axis = 0> (o, o, nn, nn) e = Expand (f, sh) d = Sub (one, e) y = Mul (d, big) }""",
    "causal mask": """(float[1,N,4] x) => (float[N,N] y) <int64 o = {1}, int64[1] ax = {0}, float one = {1}>
{ s = Shape (x) n = Gather (s, o) nn = Unsqueeze (n, ax) sh = Concat <axis = 0> (nn, nn) e = Expand (one, sh)
  t = Trilu <upper = 1> (e) q = ReduceMax <keepdims = 0> (x) y = Mul (t, q) }""",
    "sum by length": """(float[1,N,4] x) => (float[1,4] y) <int64 o = {1}, int64[1] a = {1}>
{ s = Shape (x) n = Gather (s, o) f = Cast <to = 1> (n) r = ReduceSum <keepdims = 0> (x, a) y = Div (r, f) }""",
    "shape": "(float[1,N,3] x) => (int64[3] y) { y = Shape (x) }",
    "nearest neighbours": """(float[1,2,4,N] x) => (float[1,2,8,M] y) <float[4] s = {1, 1, 2, 2}>
{ y = Resize <mode = "nearest"> (x, , s) }""",
    "picture twice as large": """(float[1,2,N,K] x) => (float[1,2,M,L] y) <float[4] s = {1, 1, 2, 2}>
{ y = Resize <mode = "linear"> (x, , s) }""",
    "picture with aligned corners": """(float[1,2,4,N] x) => (float[1,2,M,L] y) <float[4] s = {1, 1, 2, 3}>
{ y = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (x, , s) }""",
    "size of another picture": """(float[1,2,4,N] x, float[1,2,8,K] z) => (float[1,2,8,K] y)
<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}>
{ sx = Shape (x) sz = Shape (z) a = Slice (sx, zero, two) b = Slice (sz, two, four) s = Concat <axis = 0> (a, b)
  r = Resize <mode = "nearest"> (x, , , s) y = Add (r, z) }""",
    "picture of constant size": """(float[1,2,N,K] x) => (float[1,2,8,6] y) <int64[4] s = {1, 2, 8, 6}>
{ y = Resize <mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel"> (x, , , s) }""",
    "pyramid": """(float[1,2,4,N] x) => (float[1,2,4,N] y)
<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, float[2,2,3,3] w = ?>
{ d = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w) sx = Shape (d) sz = Shape (x) a = Slice (sx, zero, two)
  b = Slice (sz, two, four) s = Concat <axis = 0> (a, b) r = Resize <mode = "linear"> (d, , , s) y = Add (r, x) }""",
    "sequences of a batch": """(float[N,K,5] x) => (float[N,1,K,4] y, float[1,K,4] h)
<float[1,16,5] w = ?, float[1,16,4] r = ?, float[1,32] b = ?> { y, h = LSTM <hidden_size = 4> (x, w, r, b) }""",
    "running sum": "(float[2,N] x) => (float[2,N] y) <int64 a = {1}> { y = CumSum <exclusive = 1> (x, a) }",
    "running sum of columns": "(float[N,3] x) => (float[N,3] y) <int64 a = {1}> { y = CumSum <reverse = 1> (x, a) }",
    "scan of rows": """(float[N] s, float[4,N] x) => (float[N] y, float[4,N] z)
{ y, z = Scan <num_scan_inputs = 1, body = step (float[N] a, float[N] b) => (float[N] c, float[N] d)
  { c = Add (a, b) d = Mul (a, b) }> (s, x) }""",
    "loop": """(float[N] x, float most) => (float[N] y) <bool yes = {1}, int64 n = {3}>
{ y = Loop (n, yes, x) <body = step (int64 i, bool go, float[N] a) => (bool on, float[N] b)
  { b = Add (a, a) m = ReduceMax <keepdims = 0> (b) on = Less (m, most) }> }""",
    "branch": """(bool[1] c, float[N] x) => (float[N] y)
{ y = If (c) <then_branch = a () => (float[N] r) { r = Relu (x) },
  else_branch = b () => (float[N] t) { t = Neg (x) }> }""",
    "updates of rows": """(float[N,3] x, int64[K,1] i, float[K,3] u) => (float[N,3] y)
{ y = ScatterND <reduction = "add"> (x, i, u) }""",
    "updates of elements": """(float[2,N] x, int64[2,N] i, float[2,N] u) => (float[2,N] y)
{ y = ScatterElements <axis = 1, reduction = "add"> (x, i, u) }""",
    "last elements": """(float[2,N] x, float[2,2] u) => (float[2,N] y)
<int64[2,2] i = {-1, -2, -2, -1}> { y = ScatterElements <axis = 1> (x, i, u) }""",
    "best of a row": """(float[2,N] x) => (float[2,3] y, int64[2,3] i) <int64[1] k = {3}> { y, i = TopK (x, k) }""",
    "least of each row": """(float[N,5] x) => (float[N,3] y, int64[N,3] i)
<int64[1] k = {3}> { y, i = TopK <largest = 0> (x, k) }""",
    "sorted": """(float[1,N] x) => (float[1,N] y, int64[1,N] i)
<int64[1] one = {1}> { s = Shape (x) k = Gather (s, one) y, i = TopK <largest = 0> (x, k) }""",
    "boxes": """(float[1,N,4] b, float[1,2,N] s) => (int64[k,3] y)
<int64 most = {3}, float iou = {0.3}, float least = {0.1}> { y = NonMaxSuppression (b, s, most, iou, least) }""",
    "places": "(float[2,N] x) => (int64[2,k] y) { p = Relu (x) y = NonZero (p) }",
    "norm of instances": """(float[1,2,4,N] x) => (float[1,2,4,N] y) <float[2] g = ?, float[2] b = ?>
{ y = InstanceNormalization (x, g, b) }""",
    "decomposed norm": """(float[1,4,N] x) => (float[1,4,N] y) <float two = {2}, float eps = {0.001}>
{ m = ReduceMean <axes = [2], keepdims = 1> (x) d = Sub (x, m) q = Pow (d, two)
  v = ReduceMean <axes = [2], keepdims = 1> (q) e = Add (v, eps) s = Sqrt (e) y = Div (d, s) }""",
    "pixels as tokens": """(float[1,4,N,K] x) => (float[1,4,N,K] y) <int64[3] f = {1, 4, -1}, float[4,4] w = ?>
{ s = Shape (x) r = Reshape (x, f) t = Transpose <perm = [0, 2, 1]> (r) q = MatMul (t, w) a = MatMul (q, r)
  p = Softmax (a) o = MatMul (p, t) u = Transpose <perm = [0, 2, 1]> (o) y = Reshape (u, s) }""",
    "tokens of a batch": """(float[N,K,4] x) => (float[N,K,3] y)
<int64[2] f = {-1, 4}, float[4,3] w = ?, float[3] b = ?, int64[1] zero = {0}, int64[1] two = {2}, int64[1] c = {3}>
{ s = Shape (x) n = Slice (s, zero, two) o = Concat <axis = 0> (n, c) r = Reshape (x, f) g = Gemm (r, w, b)
  y = Reshape (g, o) }""",
    "class token of a picture": """(float[1,3,N,K] x) => (float[1,M,4] y)
<float[4,3,2,2] w = ?, int64[3] f = {1, 4, -1}, float[1,1,4] c = ?>
{ p = Conv <strides = [2, 2]> (x, w) r = Reshape (p, f) t = Transpose <perm = [0, 2, 1]> (r)
  y = Concat <axis = 1> (c, t) }""",
    "rows of a third": "(float[N,6] x) => (float[3,M] y) <int64[2] f = {3, -1}> { y = Reshape (x, f) }",
    "rows of a batch": "(float[2,N,3] x) => (float[M] y) <int64[1] f = {-1}> { y = Reshape (x, f) }",
    "depth to space, both": "(float[1,8,N,K] x) => (float[1,2,M,L] y) { y = DepthToSpace <blocksize = 2> (x) }",
    "text line": """(float[1,3,8,N] x) => (float[T,2,1,4] y)
<float[4,3,8,3] c = ?, float[2,16,4] w = ?, float[2,16,4] r = ?, float[2,32] b = ?, int64[1] two = {2}>
{ a = Conv <pads = [0, 1, 0, 1], strides = [1, 2]> (x, c) s = Squeeze (a, two) t = Transpose <perm = [2, 0, 1]> (s)
  y = LSTM <hidden_size = 4, direction = "bidirectional"> (t, w, r, b) }""",
    "states behind the last step": """(float[N,2,5] x) => (float[N,1,2,4] y, float[1,2,4] h)
<float[1,12,5] w = ?, float[1,12,4] r = ?, float[1,24] b = ?>
{ y, h = GRU <hidden_size = 4, linear_before_reset = 1, direction = "reverse"> (x, w, r, b) }""",
    "scan": """(float[3] s, float[N,3] x) => (float[3] y, float[N,3] z)
{ y, z = Scan <num_scan_inputs = 1, body = step (float[3] a, float[3] b) => (float[3] c, float[3] d)
  { c = Add (a, b) d = Mul (a, b) }> (s, x) }""",
}
MIN_SIZE = {
    "feature pyramid": 2,
    "class token of a picture": 2,
    "best of a row": 3,
    "updates of rows": 2,
    "updates of elements": 2,
    "last elements": 2,
    "boxes": 3,
    "last rows": 2,
    "differences": 2,
}
MAX_SIZE = 9


@pytest.mark.sample(16)
@pytest.mark.parametrize("kind", TEXTS)
def test_several_sizes_give_the_results_of_onnxruntime(kind: str, tmp_path: Path):
    file, least = model(TEXTS[kind], tmp_path), MIN_SIZE.get(kind, 1)
    engine = session(file)
    with api.compile(file, dims=dict.fromkeys(names_of_sizes(engine), (least, MAX_SIZE)), target="host") as artifact:
        for size in (least, least + 1, 4, MAX_SIZE - 1, MAX_SIZE):
            given = inputs_of(engine, size, {"K": MAX_SIZE + least - size})
            for found, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_levels_agree_on_steps_from_both_ends(tmp_path: Path):
    with api.compile(model(TEXTS["text line"], tmp_path), dims={"N": (1, MAX_SIZE)}, target="c") as artifact:
        assert artifact.verify(levels=True).passed
        assert "(n_1_floordiv - 1 - t)" in artifact.tree().text("src/model.c")


def test_levels_agree_on_steps_over_tensors_of_varying_size(tmp_path: Path):
    sizes = {"N": (1, MAX_SIZE), "K": (1, 5, 2)}
    with api.compile(model(TEXTS["sequences of a batch"], tmp_path), dims=sizes, target="c") as artifact:
        assert artifact.verify(levels=True).passed


def test_levels_agree_on_products_of_sizes(tmp_path: Path):
    sizes = {"N": (1, MAX_SIZE), "K": (1, 5)}
    with api.compile(model(TEXTS["pixels as tokens"], tmp_path), dims=sizes, target="c") as artifact:
        assert artifact.verify(levels=True).passed
        assert "= k * n;" in artifact.tree().text("src/model.c").replace("n * k", "k * n")


def test_levels_agree_on_parts_of_varying_size(tmp_path: Path):
    file = model(TEXTS["two sizes joined"], tmp_path)
    with api.compile(file, dims={"N": (1, MAX_SIZE), "K": (1, 5)}, target="c") as artifact:
        assert artifact.verify(levels=True).passed
