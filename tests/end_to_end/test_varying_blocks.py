"""Blocks of pixels, grids and centres along dimensions of varying size, at every size, against ONNX's reference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.errors import InputError
from support.varying_networks import model

LEAST, MOST = 2, 14

BLOCKS = {
    "blocks to channels": "(float[1,2,N,K] x) => (float[1,8,M,L] y) { y = SpaceToDepth <blocksize = 2> (x) }",
    "blocks to channels behind a kernel": """(float[1,2,N,6] x) => (float[1,8,M,L] y)
{ r = Relu (x) s = SpaceToDepth <blocksize = 2> (r) y = Relu (s) }""",
    "blocks to channels of a batch": """(float[N,2,6,4] x) => (float[N,8,3,2] y)
{ y = SpaceToDepth <blocksize = 2> (x) }""",
    "channels to blocks": """(float[1,8,N,K] x) => (float[1,2,M,L] y)
{ y = DepthToSpace <blocksize = 2, mode = "CRD"> (x) }""",
}


def sizes_of_runs(text: str) -> dict[str, Any]:
    steps = ":+2" if "SpaceToDepth" in text else ""
    return {name: f"{LEAST}..{MOST}{steps}" for name in ("N", "K") if f"{name}," in text or f",{name}]" in text}


def compared(text: str, folder: Path, step: int = 1, opset: int = 20, **options: Any) -> None:
    """Compile for sizes that vary, and compare at each `step`-th one."""
    file = model(text, folder, opset)
    reference: Any = ReferenceEvaluator(str(file))
    dims = sizes_of_runs(text)
    with api.compile(file, dims=dims, target="host", **options) as artifact:
        for size in range(LEAST, MOST, step):
            rng = np.random.default_rng(size)
            sizes = {"N": size, "K": LEAST + size * 3 % 10}
            given: dict[str, Any] = {}
            for port in reference.proto_.graph.input:
                dims_of = port.type.tensor_type.shape.dim
                shape = [sizes[dim.dim_param] if dim.dim_param else dim.dim_value for dim in dims_of]
                given[port.name] = rng.standard_normal(shape).astype(np.float32)
            for found, expected in zip(artifact.run(given).values(), reference.run(None, given), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", BLOCKS)
def test_blocks_of_pixels_are_those_of_the_reference(kind: str, tmp_path: Path):
    compared(BLOCKS[kind], tmp_path, step=2 if "to channels" in kind else 1)


def test_blocks_that_divide_no_constant_picture_are_refused(tmp_path: Path):
    text = "(float[1,2,7,6] x) => (float[1,8,3,3] y) { y = SpaceToDepth <blocksize = 2> (x) }"
    with pytest.raises(InputError, match="7 x 6 does not divide into blocks of 2 x 2"):
        api.compile(model(text, tmp_path), target="c")


@pytest.mark.parametrize("corners", [0, 1])
def test_grids_have_the_size_of_the_run(corners: int, tmp_path: Path):
    compared(
        f"""(float[2,2,N,K] x, float[2,2,3] t) => (float[2,N,K,2] y)
{{ s = Shape (x) y = AffineGrid <align_corners = {corners}> (t, s) }}""",
        tmp_path,
    )


def test_grids_of_volumes_have_the_size_of_the_run(tmp_path: Path):
    compared(
        """(float[1,2,N,3,K] x, float[1,3,4] t) => (float[1,N,3,K,3] y) { s = Shape (x) y = AffineGrid (t, s) }""",
        tmp_path,
    )


CENTRES = {
    "cropped and padded": "(float[3,N,K] x) => (float[3,5,6] y) <int64[3] s = {3, 5, 6}> { y = CenterCropPad (x, s) }",
    "along one axis": """(float[N,7,K] x) => (float[M,4,L] y) <int64[1] s = {4}>
{ y = CenterCropPad <axes = [1]> (x, s) }""",
    "to the size of another": """(float[2,N,9] x, float[K] z) => (float[2,K,9] y)
{ s = Shape (z) y = CenterCropPad <axes = [1]> (x, s) }""",
}


@pytest.mark.parametrize("kind", CENTRES)
def test_centres_are_those_of_the_reference(kind: str, tmp_path: Path):
    compared(CENTRES[kind], tmp_path)


def test_a_window_may_be_as_large_as_the_least_picture(tmp_path: Path):
    text = """(float[1,2,N,4] x) => (float[1,2,M,2] y)
{ y = MaxPool <kernel_shape = [3, 3]> (x) }"""
    file = model(text, tmp_path)
    reference: Any = ReferenceEvaluator(str(file))
    with api.compile(file, dims={"N": (3, 4)}, target="c") as artifact:
        for size in (3, 4):
            x = np.random.default_rng(size).standard_normal((1, 2, size, 4), np.float32)
            np.testing.assert_array_equal(artifact.run({"x": x})["y"], reference.run(None, {"x": x})[0])
