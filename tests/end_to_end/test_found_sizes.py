"""Models of sizes that vary which strangers found: right at every size that is tried, or refused with a reason."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import S2SError
from support.project import SHARED
from support.varying_networks import inputs_of, session

FOUND = SHARED / "models" / "found"
DIMS = {
    "chunked_mean": {"T": (9, 24)},
    "conformer_block": {"T": (9, 24)},
    "matmul_tri": {"N": (9, 24)},
    "range_product": {"H": (9, 24), "W": (9, 24)},
    "unet_pad_to_16": {"H": (9, 24), "W": (9, 24)},
    "wav2vec_front": {"T": (400, 1600)},
}
REFUSED: dict[str, dict[str, tuple[int, int]]] = {"pad_to_least_12": {"N": (8, 40)}, "len_range": {}, "len_slice": {}}
"""Those that need the least of two sizes as a size, or a length that the run computes."""

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


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_cannot_be_read_yet_is_refused(name: str):
    with pytest.raises(S2SError, match=r".+; .+"):
        api.compile(FOUND / f"sizes_{name}.onnx", target="c", dims=REFUSED[name])
