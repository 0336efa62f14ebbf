"""The networks of MLPerf Tiny through every level and through C: integers equal their golden outputs to the bit."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from s2s import api
from s2s.artifact import Artifact
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.node import Rounding
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.project import SHARED

FOLDER = SHARED / "models" / "mlperf_tiny"
ROUNDS_TWICE = "ad01_int8"
"""Its fully connected layers are where TFLite-Micro and TFLite's reference differ."""
INT8: Sequence[tuple[str, Rounding, str]] = (
    ("kws_ref_model_int8", "micro", "y"),
    ("vww_96_int8", "micro", "y"),
    ("pretrainedResnet_quant", "micro", "y"),
    (ROUNDS_TWICE, "micro", "y_double_rounding"),
    (ROUNDS_TWICE, "reference", "y"),
)
FLOAT = ("kws_ref_model_float32", "kws_true_float32", "vww_96_float", "pretrainedResnet", "ad01_fp32")
"""The first has weights of 8 bits, and quantises activations while it runs."""
SAMPLES = {"y": "y_sample", "y_double_rounding": "y_sample_double_rounding"}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the models are not there")


@cache
def golden(name: str, outputs: str) -> tuple[Array, Array]:
    """Inputs and outputs, one after the other: random ones and what the repository has of real ones."""
    stored = np.load(FOLDER / f"{name}_golden.npz")
    x, y = [stored["x"]], [stored[outputs]]
    if "x_sample" in stored and SAMPLES[outputs] in stored:
        x.append(stored["x_sample"])
        y.append(stored[SAMPLES[outputs]])
    return np.concatenate(x), np.concatenate([part.reshape(len(part), -1) for part in y])


def run_compiled(artifact: Artifact, images: Array) -> Array:
    """The outputs of the C for each image."""
    return np.stack([run_c(artifact, [image])[0].reshape(-1) for image in images])


@pytest.mark.parametrize(("name", "rounding", "outputs"), INT8)
def test_import_means_the_golden_integers(name: str, rounding: Rounding, outputs: str):
    imported = import_model(FOLDER / f"{name}.tflite", rounding=rounding)
    images, expected = golden(name, outputs)
    for image, wanted in zip(images, expected, strict=True):
        (found,) = run_graph(imported.module, [image], imported.weights)
        np.testing.assert_array_equal(found.reshape(-1), wanted)


@pytest.mark.sample(5)
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize(("name", "rounding", "outputs"), INT8)
def test_c_gives_the_golden_integers(name: str, rounding: Rounding, outputs: str, target: str):
    images, expected = golden(name, outputs)
    with api.compile(FOLDER / f"{name}.tflite", target=target, tflite_rounding=rounding) as artifact:
        np.testing.assert_array_equal(run_compiled(artifact, images), expected)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["kws_ref_model_int8", ROUNDS_TWICE])
def test_levels_agree(name: str):
    with api.compile(FOLDER / f"{name}.tflite", target="c") as artifact:
        verification = artifact.verify(levels=True)
    assert verification.passed
    assert verification.levels is not None
    assert verification.levels.passed


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FLOAT)
def test_float_model_is_close_to_its_golden_outputs(name: str):
    images, expected = golden(name, "y")
    with api.compile(FOLDER / f"{name}.tflite") as artifact:
        found = run_compiled(artifact, images)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * float(np.abs(expected).max()))
