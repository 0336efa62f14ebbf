"""Sizes that go by steps: right at each of them, refused between them, and needed where blocks have to be whole."""

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.packagings.formats import export
from s2s.types.dtypes import Array
from s2s.types.sizes import shape_at
from support.c_compilers import run
from support.varying_networks import model

BLOCKS = "(float[1,2,N,6] x) => (float[1,8,M,L] y) { y = SpaceToDepth <blocksize = 2> (x) }"
PICTURE = "(float[1,2,N,K] x) => (float[1,8,M,L] y) { y = SpaceToDepth <blocksize = 2> (x) }"
BEHIND = """(float[1,2,N,K] x) => (float[1,16,M,L] y) <float[4,2,3,3] w = ?>
{ c = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w) r = Relu (c) y = SpaceToDepth <blocksize = 2> (r) }"""

NETWORKS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "blocks of a column": (BLOCKS, {"N": "2..12:+2"}),
    "blocks of a picture": (PICTURE, {"N": "2..10:+4", "K": "4..10:+2"}),
    "blocks of a picture, channels first": (
        PICTURE.replace("= 2", '= 2, mode = "CRD"'),
        {"N": "4..12:+4", "K": "2..8:+2"},
    ),
    "blocks behind windows": (BEHIND, {"N": "4..24:+4", "K": "8..24:+8"}),
    "rows of equal parts": (
        "(float[3,N] x) => (float[3,M,4] y) <int64[3] s = {3, -1, 4}> { y = Reshape (x, s) }",
        {"N": "8..24:+4"},
    ),
    "sizes that are no multiples": (
        "(float[1,2,N,5] x) => (float[1,2,M,L] y) { y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) }",
        {"N": "3..24:+7"},
    ),
    "equal parts": (
        "(float[1,2,N] x) => (float[1,2,M] y, float[1,2,M] z) { y, z = Split <axis = 2, num_outputs = 2> (x) }",
        {"N": "4..12:+4"},
    ),
    "three equal parts of two sizes": (
        """(float[1,2,N] x) => (float[1,2,M] y, float[1,2,M] z, float[1,2,M] u)
{ y, z, u = Split <axis = 2, num_outputs = 3> (x) }""",
        {"N": "6..9:+3"},
    ),
    "channels to blocks": (
        "(float[1,N,2,3] x) => (float[1,M,4,6] y) { y = DepthToSpace <blocksize = 2> (x) }",
        {"N": "8..24:+4"},
    ),
    "groups of channels": (
        """(float[2,N,3] x) => (float[2,N,3] y) <int64[3] p = {0, 4, -1}, int64[3] q = {0, -1, 3}>
{ g = Reshape (x, p) m = ReduceMean <keepdims = 1> (g) d = Sub (g, m) y = Reshape (d, q) }""",
        {"N": "8..24:+4"},
    ),
    "windows of even sizes": (
        """(float[1,2,N,8] x) => (float[1,2,M,L] y)
{ y = AveragePool <kernel_shape = [3, 3], auto_pad = "SAME_LOWER", strides = [2, 2]> (x) }""",
        {"N": "4..16:+2"},
    ),
}


def runs(artifact: api.Artifact) -> Iterator[dict[str, Array]]:
    """Random inputs of all sizes that a network allows."""
    bounds, rng = artifact.info.sizes, np.random.default_rng(0)
    for values in product(*(size.values for size in bounds.values())):
        sizes = dict(zip(bounds, values, strict=True))
        yield {
            port.name: rng.standard_normal(shape_at(port.shape, port.varies, sizes)).astype(np.float32)
            for port in artifact.info.inputs
        }


@pytest.mark.sample(3)
@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_are_right_at_each_step(kind: str, executor: Any, tmp_path: Path):
    text, dims = NETWORKS[kind]
    file = model(text, tmp_path, 28 if "mode" in text else 20)
    reference: Any = ReferenceEvaluator(str(file))
    with api.compile(file, dims=dims, target="c", executor=executor) as artifact:
        for given in runs(artifact):
            for found, expected in zip(artifact.run(given).values(), reference.run(None, given), strict=True):
                assert found.shape == expected.shape
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_windows_over_even_sizes_are_padded_as_over_constant_ones(tmp_path: Path):
    with api.compile(model(BEHIND, tmp_path), dims={"N": "4..24:+4", "K": "8..24:+8"}, target="c") as artifact:
        assert "same_pad" not in artifact.tree().text("src/model_kernels.c")


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.Artifact]:
    file = model(BLOCKS, tmp_path_factory.mktemp("blocks"), 20)
    with api.compile(file, dims={"N": "4..12:+4"}, target="c") as artifact:
        yield artifact


@pytest.mark.parametrize("size", [0, 2, 5, 11, 16])
def test_size_between_steps_is_a_status(size: int, blocks: api.Artifact):
    library = blocks.loaded()
    arena, ports = np.zeros(blocks.info.arena_size + 64, np.uint8), np.zeros((2, 256), np.float32)
    given = arena[-arena.ctypes.data % 64 :], np.array([size], np.int32), *ports
    pointers = [library.ffi.cast("void *", each.ctypes.data) for each in given]
    assert library.lib.model_run(*pointers) == -8


def test_arrays_between_steps_are_refused(blocks: api.Artifact):
    with pytest.raises(InputError, match=r"x: axis 2 has size 6, and N is within 4\.\.12:\+4"):
        blocks.run({"x": np.zeros((1, 2, 6, 6), np.float32)})


def test_header_and_metadata_state_the_step(blocks: api.Artifact):
    assert "#define MODEL_N_STEP 4  /* n is a multiple */" in blocks.tree().text("include/model.h")
    assert '"step": 4' in blocks.tree().text("metadata.json")


def test_levels_agree_at_steps(blocks: api.Artifact):
    assert blocks.verify(levels=True).passed


WAYS: Mapping[str, tuple[str, dict[str, Any], str]] = {
    "no steps": (BLOCKS, {"N": "2..12"}, r"SpaceToDepth_y: .* let it go by steps, as in --dim N=2\.\.12:\+2$"),
    "other steps": (BLOCKS, {"N": "3..12:+3"}, r"--dim N=6\.\.12:\+6$"),
    "steps of a size that follows": (BEHIND, {"N": "4..24:+2", "K": 8}, r"--dim N=4\.\.24:\+4$"),
    "an indivisible bound": (BLOCKS, {"N": "2..13"}, r"13 x 6 does not divide .*, --dim NAME=A\.\.B:\+2$"),
    "unequal parts": (
        """(float[1,2,N] x) => (float[1,2,M] y, float[1,2,M] z, float[1,2,L] u)
{ y, z, u = Split <axis = 2, num_outputs = 3> (x) }""",
        {"N": "5..12"},
        r"Split_y: .* let it go by steps, as in --dim N=6\.\.12:\+3$",
    ),
    "a constant axis": (BLOCKS.replace(",6]", ",7]"), {"N": "2..12:+2"}, "12 x 7 does not divide into blocks of 2 x 2"),
    "a bound between steps": (BLOCKS, {"N": "2..12:+4"}, r"12 is not 2 and whole steps of 4; .* --dim N=2\.\.10:\+4$"),
    "no step": (BLOCKS, {"N": "2..12:+0"}, r"--dim N=2\.\.12:\+0: "),
    "a kernel for a size between steps": (BLOCKS, {"N": "2..12:+2,5"}, "kernels for 5, which is none of these sizes"),
    "a computed size": (
        "(float[9] x) => (int64[1,n] y) { y = NonZero (x) }",
        {"NonZero_y": "0..8:+2"},
        "a run computes this size, any up to 8; leave the step out",
    ),
    "another form": (BLOCKS, {"N": "2..+12"}, r"dims: N: '2\.\.\+12' given; .* 'width': '32\.\.640:\+32'"),
}


@pytest.mark.parametrize("kind", WAYS)
def test_what_needs_other_steps_is_refused_with_the_way_out(kind: str, tmp_path: Path):
    text, dims, reason = WAYS[kind]
    with pytest.raises((InputError, UnsupportedError), match=reason):
        api.compile(model(text, tmp_path, 20), dims=dims, target="c")


USE = """
import numpy as np
import stepped
assert stepped.STEPS == {"N": 4} and stepped.SIZES == {"N": (4, 12)}
for size in (4, 8, 12):
    assert stepped.run({"x": np.zeros((1, 2, size, 6), np.float32)})["y"].shape == (1, 8, size // 2, 3)
try:
    stepped.run({"x": np.zeros((1, 2, 6, 6), np.float32)})
except ValueError as error:
    assert "N goes from 4 by steps of 4" in str(error)
else:
    raise SystemExit(1)
"""


def test_a_wheel_takes_sizes_by_steps(tmp_path: Path):
    artifact = api.compile(model(BLOCKS, tmp_path, 20), dims={"N": "4..12:+4,8"}, target="host", name="stepped")
    export(artifact.write(tmp_path / "tree"), ["wheel"], tmp_path / "project")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    run([*pip, "--no-build-isolation", "--target", tmp_path / "site", tmp_path / "project"], tmp_path)
    (tmp_path / "user.py").write_text(USE)
    run(["env", f"PYTHONPATH={tmp_path / 'site'}", sys.executable, "user.py"], tmp_path)
