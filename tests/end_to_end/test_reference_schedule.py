"""The readable form of a network, `--schedule reference`, gives what the optimised one gives."""

import numpy as np
import pytest

from s2s import api
from s2s.data.samples import sample
from s2s.options import Schedule
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.compare import compare
from support.compiled import run_c
from support.project import SHARED

FOLDER = SHARED / "models"
FLOATS = ("gru_kws", "tiny_kws_dscnn", "tiny_ic_resnet8", "op_layernorm_128x256")
INTEGERS = ("kws_ref_model_int8", "ad01_int8")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the models are not there")


def results(path: str, schedule: Schedule) -> list[Array]:
    """What the C for this machine makes of inputs that depend on their names and types alone."""
    with api.compile(FOLDER / path, target="host", schedule=schedule) as artifact:
        ports = artifact.info.inputs
        inputs = [
            sample(port.name, tensor_type(port.element, port.shape), full_range=port.quantisation is not None)
            for port in ports
        ]
        return run_c(artifact, inputs)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_agree_within_the_stated_tolerance(name: str):
    path = f"onnx/{name}.onnx"
    for plain, tuned in zip(results(path, "reference"), results(path, "default"), strict=True):
        agreement = compare(plain, tuned)
        assert agreement.passed, agreement.describe()


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_agree_bit_for_bit(name: str):
    path = f"mlperf_tiny/{name}.tflite"
    for plain, tuned in zip(results(path, "reference"), results(path, "default"), strict=True):
        np.testing.assert_array_equal(tuned, plain)


def test_quantised_floats_agree_within_a_step():
    """Without its passes a QDQ network computes in floats between quantised values: a tie may round the other way."""
    path = "onnx/tiny_kws_dscnn_int8.onnx"
    plain, tuned = results(path, "reference")[0], results(path, "default")[0]
    steps = np.unique(np.abs(np.diff(np.unique(plain))))
    assert float(np.abs(tuned - plain).max()) <= 1.01 * float(steps[0])
