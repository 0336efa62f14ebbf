"""Quantised networks with a batch of varying size: bit for bit what single runs give, and nearest where floats round.

onnxruntime fuses a softmax between quantisers to QLinearSoftmax, which adds up integers from a table and so misses the
nearest byte by up to a step more: of MLPerf Tiny's networks 2.6 % of the largest output. Without its optimisations it
agrees with us.
"""

from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.project import ROOT

NETWORKS = ROOT.parent / "shared" / "models" / "onnx"
MAX_SIZE = 5


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["tiny_kws_dscnn_int8", "tiny_ic_resnet8_int8", "tiny_ad_autoencoder_int8"])
def test_runs_of_a_batch_equal_single_runs(name: str, tmp_path: Path):
    file = NETWORKS / f"{name}.onnx"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    model = onnx.ModelProto.FromString(file.read_bytes())
    (port,) = model.graph.input
    shape = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.value_info[:]
    opened = tmp_path / "batch.onnx"
    opened.write_bytes(model.SerializeToString())
    with api.compile(opened, dims={"batch": (1, MAX_SIZE)}) as any_batch, api.compile(file) as single:
        for size in (1, 2, MAX_SIZE):
            given = np.random.default_rng(size).standard_normal((size, *shape[1:])).astype(np.float32)
            rows = [single.run({port.name: row[None]}) for row in given]
            (found,) = any_batch.run({port.name: given}).values()
            np.testing.assert_array_equal(found, np.concatenate([next(iter(row.values())) for row in rows]))


SOFTMAX = """(int8[N,12] x) => (uint8[N,12] y)
<float s = {0.1}, int8 z = {-3}, float t = {0.00392157}, uint8 zero = {0}>
{ r = DequantizeLinear (x, s, z) p = Softmax <axis = -1> (r) y = QuantizeLinear (p, t, zero) }"""


def nearest_steps(x: Array) -> Array:
    """The softmax in float64, in steps of its quantiser."""
    real = (x.astype(np.float64) + 3) * np.float32(0.1)
    powers = np.exp(real - real.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) / np.float32(0.00392157)


def test_softmax_between_quantisers_gives_the_nearest_byte(tmp_path: Path):
    given = np.random.default_rng(0).integers(-60, 60, (400, 12)).astype(np.int8)
    with api.compile(onnx_file(SOFTMAX, tmp_path), dims={"N": (1, 400)}) as artifact:
        (found,) = artifact.run({"x": given}).values()
    assert np.abs(found - nearest_steps(given)).max() < 0.5 + 1e-4
