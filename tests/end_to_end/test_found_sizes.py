"""Models of sizes that vary which strangers found: right at every size that is tried, or refused with a reason."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError, UnsupportedError
from support.project import SHARED
from support.varying_networks import inputs_of, session

FOUND = SHARED / "models" / "found"
DIMS: dict[str, dict[str, tuple[int, int]]] = {
    "chunked_mean": {"T": (9, 24)},
    "conformer_block": {"T": (9, 24)},
    "len_range": {"Range_t4": (0, 64)},
    "len_slice": {},
    "matmul_tri": {"N": (9, 24)},
    "pad_to_least_12": {"N": (8, 40)},
    "range_product": {"H": (9, 24), "W": (9, 24)},
    "unet_pad_to_16": {"H": (9, 24), "W": (9, 24)},
    "wav2vec_front": {"T": (400, 1600)},
}

pytestmark = pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")


@pytest.mark.parametrize("name", DIMS)
def test_a_model_is_right_at_every_size_that_is_tried(name: str):
    file, random = FOUND / f"sizes_{name}.onnx", np.random.default_rng(0)
    engine = session(file)
    ends = [{dim: bound[end] for dim, bound in DIMS[name].items()} for end in (0, 1)]
    drawn = [{dim: int(random.integers(*bound)) for dim, bound in DIMS[name].items()} for _ in range(4)]
    with api.compile(file, target="c", dims=DIMS[name]) as artifact:
        for sizes in (*ends, *drawn):
            inputs = inputs_of(engine, 0, sizes)
            (found,), (expected,) = artifact.run(inputs).values(), engine.run(None, inputs)
            assert found.shape == np.shape(expected), sizes
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4, err_msg=str(sizes))


def test_a_length_of_the_run_is_bounded_by_the_user():
    with pytest.raises(UnsupportedError, match=r"Range_t4 .*; bound how many .* as in --dim Range_t4=0\.\.64"):
        api.compile(FOUND / "sizes_len_range.onnx", target="c")
    bounded = api.compile(FOUND / "sizes_len_range.onnx", target="c", dims={"Range_t4": (0, 9)})
    with bounded, pytest.raises(InputError, match="is not in its bounds"):
        bounded.run({"x": np.full(5, 3, np.float32)})
