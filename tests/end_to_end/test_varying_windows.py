"""Windows, padding and resampling along dimensions of varying size, against onnxruntime at several sizes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api
from support.varying_networks import inputs_of, model, names_of_sizes, session

LEAST, MOST = 3, 14

TEXTS = {
    "centred windows": """(float[1,3,N,K] x) => (float[1,4,M,L] y) <float[4,3,3,3] w = ?>
{ y = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w) }""",
    "centred windows, more in front": """(float[1,3,N,K] x) => (float[1,4,M,L] y) <float[4,3,3,4] w = ?>
{ y = Conv <auto_pad = "SAME_LOWER", strides = [2, 3]> (x, w) }""",
    "centred windows along one axis": """(float[1,3,N,8] x) => (float[1,6,M,L] y) <float[6,1,5,3] w = ?>
{ y = Conv <auto_pad = "SAME_UPPER", strides = [3, 2], group = 3> (x, w) }""",
    "padding behind the end": """(float[1,3,N,K] x) => (float[1,4,M,L] y) <float[4,3,3,3] w = ?>
{ y = Conv <pads = [0, 0, 1, 1], strides = [2, 3]> (x, w) }""",
    "maxima with padding behind the end": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ y = MaxPool <kernel_shape = [3, 3], pads = [0, 0, 1, 1], strides = [2, 3]> (x) }""",
    "windows with long steps": """(float[1,3,N,K] x) => (float[1,4,M,L] y) <float[4,3,2,1] w = ?>
{ y = Conv <auto_pad = "SAME_UPPER", strides = [4, 3]> (x, w) }""",
    "network with centred windows": """(float[1,3,N,K] x) => (float[1,5,M,L] y)
<float[8,3,3,3] w = ?, float[8,1,3,3] v = ?, float[5,8,1,1] u = ?, float[8] b = ?>
{ a = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w, b) r = Relu (a)
  d = Conv <auto_pad = "SAME_UPPER", strides = [2, 2], group = 8> (r, v) s = Relu (d) y = Conv (s, u) }""",
    "centred windows along a constant axis": """(float[N,3,9,10] x) => (float[N,4,5,5] y) <float[4,3,3,3] w = ?>
{ y = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w) }""",
    "maxima of centred windows": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ r = Relu (x) y = MaxPool <auto_pad = "SAME_LOWER", strides = [2, 2], kernel_shape = [3, 3]> (r) }""",
    "means of centred windows": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ y = AveragePool <auto_pad = "SAME_UPPER", strides = [2, 3], kernel_shape = [3, 4]> (x) }""",
    "means of centred windows along a constant axis": """(float[N,3,9,8] x) => (float[N,3,5,4] y)
{ y = AveragePool <auto_pad = "SAME_UPPER", strides = [2, 2], kernel_shape = [3, 3]> (x) }""",
    "norms of centred windows": """(float[1,3,N,8] x) => (float[1,3,M,4] y)
{ y = LpPool <auto_pad = "SAME_UPPER", strides = [2, 2], kernel_shape = [3, 3]> (x) }""",
    "means that do not count padding": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ r = Relu (x) y = AveragePool <pads = [1, 0, 2, 1], kernel_shape = [3, 3], strides = [1, 2]> (r) }""",
    "means with a last window that is cut": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ y = AveragePool <pads = [1, 0, 1, 1], kernel_shape = [3, 3], strides = [2, 3], ceil_mode = 1> (x) }""",
    "means that count padding, with a last window that is cut": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ y = AveragePool <pads = [1, 0, 1, 1], kernel_shape = [3, 3], strides = [2, 3], ceil_mode = 1,
  count_include_pad = 1> (x) }""",
    "maxima with a last window that is cut": """(float[1,3,N,K] x) => (float[1,3,M,L] y)
{ y = MaxPool <pads = [1, 0, 1, 1], kernel_shape = [3, 3], strides = [2, 3], ceil_mode = 1> (x) }""",
    "maxima and places": """(float[2,3,N,K] x) => (float[2,3,M,L] y, int64[2,3,M,L] i)
{ y, i = MaxPool <pads = [1, 0, 1, 1], kernel_shape = [3, 3], strides = [2, 3]> (x) }""",
    "maxima and places in columns": """(float[2,3,N,K] x) => (float[2,3,M,L] y, int64[2,3,M,L] i)
{ y, i = MaxPool <pads = [1, 0, 1, 1], kernel_shape = [3, 3], strides = [2, 3], storage_order = 1,
  ceil_mode = 1> (x) }""",
    "maxima and places of centred windows": """(float[2,3,N,K] x) => (float[2,3,M,L] y, int64[2,3,M,L] i)
{ y, i = MaxPool <auto_pad = "SAME_UPPER", kernel_shape = [3, 4], strides = [2, 3]> (x) }""",
    "maxima and places of centred windows in columns": """(float[2,3,N,K] x) => (float[2,3,M,L] y, int64[2,3,M,L] i)
{ r = Relu (x) y, i = MaxPool <auto_pad = "SAME_LOWER", kernel_shape = [3, 3], strides = [3, 2],
  storage_order = 1> (r) }""",
    "maxima and places along a constant axis": """(float[N,3,9,8] x) => (float[N,3,5,4] y, int64[N,3,5,4] i)
{ y, i = MaxPool <auto_pad = "SAME_UPPER", strides = [2, 2], kernel_shape = [3, 3]> (x) }""",
    "mirrored padding": """(float[1,3,N,K] x) => (float[1,3,M,L] y) <int64[8] p = {0, 0, 2, 1, 0, 0, 1, 2}>
{ y = Pad <mode = "reflect"> (x, p) }""",
    "repeated border": """(float[1,3,N,K] x) => (float[1,4,M,L] y) <int64[8] p = {0, 1, 2, 7, 0, 0, 9, 2}>
{ y = Pad <mode = "edge"> (x, p) }""",
    "cubic": """(float[1,2,N,K] x) => (float[1,2,M,L] y) <float[4] s = {1, 1, 2, 1.5}>
{ y = Resize <mode = "cubic"> (x, , s) }""",
    "cubic without what is outside": """(float[1,2,N,K] x) => (float[1,2,M,L] y) <float[4] s = {1, 1, 2, 1.5}>
{ y = Resize <mode = "cubic", exclude_outside = 1, coordinate_transformation_mode = "asymmetric"> (x, , s) }""",
    "cubic to a constant size": """(float[1,2,N,K] x) => (float[1,2,8,6] y) <int64[4] s = {1, 2, 8, 6}>
{ y = Resize <mode = "cubic"> (x, , , s) }""",
    "grid": """(float[1,2,N,K] x, float[1,3,4,2] z) => (float[1,2,3,4] y) { y = GridSample (x, z) }""",
    "mirrored grid": """(float[1,2,N,K] x, float[1,3,4,2] z) => (float[1,2,3,4] y)
{ y = GridSample <padding_mode = "reflection", mode = "bicubic"> (x, z) }""",
    "mirrored grid of corners": """(float[1,2,N,K] x, float[1,3,4,2] z) => (float[1,2,3,4] y)
{ y = GridSample <padding_mode = "reflection", align_corners = 1> (x, z) }""",
    "grid of the nearest": """(float[1,2,N,K] x, float[1,3,4,2] z) => (float[1,2,3,4] y)
{ y = GridSample <padding_mode = "border", align_corners = 1, mode = "nearest"> (x, z) }""",
    "regions": """(float[1,2,N,K] x, float[2,4] r) => (float[2,2,3,4] y) <int64[2] b = {0, 0}>
{ y = RoiAlign <output_height = 3, output_width = 4, sampling_ratio = 2, spatial_scale = 2.0> (x, r, b) }""",
    "regions of many sizes": """(float[1,2,N,K] x, float[K,4] r, int64[K] b) => (float[K,2,3,4] y)
{ z = Sub (b, b)
  y = RoiAlign <output_height = 3, output_width = 4, coordinate_transformation_mode = "output_half_pixel"> (x, r, z)
}""",
    "bins of regions": """(float[1,2,N,K] x, float[K,4] r) => (float[K,2,3,2] y) <int64[4] p = {0, 1, 0, 0}>
{ z = Pad (r, p) y = MaxRoiPool <pooled_shape = [3, 2], spatial_scale = 2.0> (x, z) }""",
    "determinants": "(float[N,5,5] x) => (float[N] y) { y = Det (x) }",
    "more boxes than there may be": """(float[1,N,4] b, float[1,2,N] s) => (int64[k,3] y)
<int64 most = {6}, float iou = {0.3}, float least = {0.1}> { y = NonMaxSuppression (b, s, most, iou, least) }""",
    "a step for each row": """(float[N,4] x) => (float[4] y) <int64 zero = {0}, bool yes = {1}, float[4] c = ?>
{ s = Shape (x) n = Gather (s, zero) y = Loop (n, yes, c) <body = step (int64 i, bool go, float[4] a)
  => (bool on, float[4] b) { r = Gather <axis = 0> (x, i) b = Add (a, r) on = Identity (go) }> }""",
    "rows that steps collect": """(float[N,4] x) => (float[M,4] y) <int64 zero = {0}, bool yes = {1}, float[4] c = ?>
{ s = Shape (x) n = Gather (s, zero) z, y = Loop (n, yes, c) <body = step (int64 i, bool go, float[4] a)
  => (bool on, float[4] b, float[4] q) { r = Gather <axis = 0> (x, i) b = Add (a, r) q = Relu (b)
  on = Identity (go) }> }""",
    "tiles": """(float[1,3,N,K] x) => (float[1,6,M,L] y) <int64[4] p = {1, 2, 3, 2}> { y = Tile (x, p) }""",
    "tiles of rows": "(float[N,3] x) => (float[N,6] y) <int64[2] p = {1, 2}> { y = Tile (x, p) }",
}


def check(text: str, folder: Path, opset: int = 17, **options: Any) -> None:
    """Compile for two sizes that vary, and compare at all of the first and some of the second."""
    file = model(text, folder, opset)
    engine = session(file)
    sizes = dict.fromkeys(names_of_sizes(engine), (LEAST, MOST))
    with api.compile(file, dims=sizes, target="host", **options) as artifact:
        for size in range(LEAST, MOST + 1):
            given = inputs_of(engine, size, {"K": MOST + LEAST - size if size % 3 else size})
            for found, expected in zip(artifact.run(given).values(), engine.run(None, given), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.sample(9)
@pytest.mark.parametrize("kind", TEXTS)
def test_several_sizes_give_the_results_of_onnxruntime(kind: str, tmp_path: Path):
    check(TEXTS[kind], tmp_path)


def test_periodic_padding_gives_the_results_of_onnxruntime(tmp_path: Path):
    text = """(float[1,3,N,K] x) => (float[1,4,M,L] y) <int64[8] p = {0, 1, 2, 1, 0, 0, 1, 3}>
{ y = Pad <mode = "wrap"> (x, p) }"""
    check(text, tmp_path, opset=19)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_smoothed_pictures_give_the_results_of_onnxruntime(mode: str, tmp_path: Path):
    text = f"""(float[1,2,N,K] x) => (float[1,2,M,L] y) <float[4] s = {{1, 1, 0.6, 0.5}}>
{{ y = Resize <mode = "{mode}", antialias = 1> (x, , s) }}"""
    check(text, tmp_path, opset=18)


@pytest.mark.parametrize("kind", ["network with centred windows", "means of centred windows", "maxima and places"])
def test_levels_agree(kind: str, tmp_path: Path):
    with api.compile(model(TEXTS[kind], tmp_path), dims={"N": (LEAST, MOST), "K": (LEAST, 8)}, target="c") as artifact:
        assert artifact.verify(levels=True).passed


@pytest.mark.parametrize("options", [{"threads": 2}, {"executor": "graph"}, {"poison": True}], ids=str)
def test_windows_that_begin_at_an_offset_go_with(options: dict[str, Any], tmp_path: Path):
    check(TEXTS["network with centred windows"], tmp_path, **options)


def test_comments_show_the_offset_at_which_windows_begin(tmp_path: Path):
    with api.compile(model(TEXTS["network with centred windows"], tmp_path), dims={"N": (3, 14), "K": 9}) as artifact:
        kernels = artifact.tree().text("src/model_kernels.c")
    comments = " ".join(" ".join(re.findall(r"/\*.*?\*/", kernels, re.DOTALL)).replace("\n * ", " ").split())
    assert "((N + 1) / 2 - 1) % 2]" in comments


def test_padding_behind_a_kernel_computes_no_positions(tmp_path: Path):
    with api.compile(model(TEXTS["network with centred windows"], tmp_path), dims={"N": (3, 14), "K": 9}) as artifact:
        kernels = artifact.tree().text("src/model_kernels.c")
    assert "_shifted = &x[" in kernels
    last = re.sub(r"/\*.*?\*/", "", kernels[kernels.index("model_same_pad_2(") :], flags=re.DOTALL)
    assert "model_same_pad_2(" in last
    assert "% 2" not in last


def test_size_that_is_halved_five_times_is_known_from_few_smaller_ones(tmp_path: Path):
    halves = " ".join(
        f'x{n + 1} = MaxPool <auto_pad = "SAME_UPPER", strides = [2], kernel_shape = [3]> (x{n})' for n in range(5)
    )
    file = model(f"(float[1,1,N] x0) => (float[1,1,M] x5) {{ {halves} }}", tmp_path)
    with api.compile(file, dims={"N": (64, 192)}, target="c") as artifact:
        for size in (64, 69, 128, 191, 192):
            x = np.random.default_rng(size).standard_normal((1, 1, size), np.float32)
            (found,) = artifact.run({"x0": x}).values()
            np.testing.assert_array_equal(found, session(file).run(None, {"x0": x})[0])


def test_windows_along_constant_axes_are_those_of_constant_sizes(tmp_path: Path):
    """No tensor is padded in a kernel of its own where its size does not vary."""
    file = model(TEXTS["centred windows along a constant axis"], tmp_path)
    with api.compile(file, dims={"N": (1, 4)}, target="c") as artifact:
        assert "same_pad" not in artifact.tree().text("src/model_kernels.c")


def test_windows_over_what_a_run_finds_have_the_padding_of_its_size(tmp_path: Path):
    """No input has a name for a size here: the only size that varies is one that the network computes."""
    text = """(float[9] x) => (float[1,1,m] y) <int64[1] o = {0}>
{ i = NonZero (x) c = Cast <to = 1> (i) u = Unsqueeze (c, o)
  y = AveragePool <auto_pad = "SAME_UPPER", strides = [2], kernel_shape = [3]> (u) }"""
    file = model(text, tmp_path)
    with api.compile(file, target="c") as artifact:
        for count in (9, 8, 7, 4, 3):
            x = np.array([0] * (9 - count) + [1] * count, np.float32)
            (found,) = artifact.run({"x": x}).values()
            np.testing.assert_array_equal(found, session(file).run(None, {"x": x})[0])
