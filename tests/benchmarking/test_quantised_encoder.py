"""The benchmark of a quantised encoder measures noise on the C of this machine."""

import pytest

from s2s import api
from support.c_compilers import require

pytest.importorskip("torch")
pytest.importorskip("onnxruntime")

from benchmarks.quantised_encoder import SAMPLES, encoder, exported, inputs, noise_ratio


def test_a_program_of_floats_has_hardly_any_noise():
    require("gcc")
    module, x = encoder(1), inputs(4, 1)
    assert noise_ratio(module, exported(module, x[:1]), x[SAMPLES:]) > 100


def test_a_quantised_encoder_has_little_noise():
    require("gcc")
    module, x = encoder(1), inputs(4, 1)
    quantised = api.quantize(module, {"src": x[:SAMPLES]})
    assert quantised.weights_after < 0.35 * quantised.weights_before
    assert 25 < noise_ratio(module, quantised.model, x[SAMPLES:]) < 60
