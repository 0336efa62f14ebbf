"""Weights of few values that stay codes into tables: compressed networks of TFLite-Micro, against its kernels."""

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.compressed import compressed
from s2s import api
from s2s.artifact import compile_artifact
from s2s.decisions.constant_codes import BYTES, DECODED, LOOKED_UP
from s2s.decisions.decision import Decision
from s2s.frontends.tflite.writer import SAME, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert, run_micro
from s2s.options import CompileOptions
from s2s.types.dtypes import Array


def network() -> bytes:
    """Two convolutions, one of them depthwise, and a fully connected layer with one scale."""
    rng = np.random.default_rng(7)
    shapes = {"a": (8, 3, 3, 16), "d": (1, 3, 3, 8), "f": (6, 288)}
    channels = {"a": 8, "d": 8, "f": 6}
    tensors = [TensorSpec("x", (1, 6, 6, 16), "INT8", scale=0.05, zero_point=3)]
    for name, shape in shapes.items():
        count = 1 if name == "f" else channels[name]
        scale = np.linspace(0.01, 0.03, count).astype(np.float32)
        values = rng.integers(-127, 128, shape).astype(np.int8)
        axis = 3 if name == "d" else 0
        tensors.append(TensorSpec(name, shape, "INT8", values, scale, np.zeros(count, np.int64), axis=axis))
        bias = rng.integers(-300, 300, channels[name]).astype(np.int32)
        tensors.append(TensorSpec(f"{name}b", bias.shape, data=bias, scale=scale * np.float32(0.05), axis=0))
    results = {"ya": (1, 6, 6, 8), "yd": (1, 6, 6, 8), "y": (1, 6)}
    tensors += [TensorSpec(name, shape, "INT8", scale=0.05, zero_point=-4) for name, shape in results.items()]
    window = {"padding": SAME, "stride_h": 1, "stride_w": 1}
    taps = {**window, "depth_multiplier": 1}
    operators = [
        OperatorSpec("CONV_2D", ["x", "a", "ab"], ["ya"], "Conv2DOptions", window),
        OperatorSpec("DEPTHWISE_CONV_2D", ["ya", "d", "db"], ["yd"], "DepthwiseConv2DOptions", taps),
        OperatorSpec("FULLY_CONNECTED", ["yd", "f", "fb"], ["y"], "FullyConnectedOptions"),
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["y"])])


def images() -> list[Array]:
    return [np.random.default_rng(seed).integers(-128, 128, (1, 6, 6, 16)).astype(np.int8) for seed in range(3)]


def codes(artifact: api.Artifact) -> list[Decision]:
    """The decisions about constants of few values, in the order of the kernels."""
    return [each for each in artifact.decisions if each.kind == "constant codes"]


def refused(decision: Decision) -> list[str]:
    return [each.note for each in decision.candidates if each.refused is not None]


def as_form(data: bytes, form: str, target: str) -> api.Artifact:
    """A compilation in which all constants that may have a form have it."""
    with api.compile(data, target=target, tflite_rounding="reference") as artifact:
        found = artifact.decisions.as_dict()
        wanted = [{**each.entry(), "chosen": form} for each in codes(artifact) if form not in refused(each)]
    return api.compile(
        data, target=target, tflite_rounding="reference", decisions={**found, "decisions": wanted} if wanted else None
    )


def run(artifact: api.Artifact, inputs: Sequence[Array]) -> list[Array]:
    return [artifact.run({"x": image})["y"] for image in inputs]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("target", "form"),
    [("c", LOOKED_UP), ("c", DECODED), ("cortex-m4", LOOKED_UP), ("cortex-m4", DECODED), ("cortex-m55", DECODED)],
)
def test_every_form_gives_the_results_of_plain_weights(target: str, form: str):
    small, plain = compressed(network())
    with as_form(small, form, target) as artifact:
        made = codes(artifact)
        assert made
        assert all(each.chosen == form or form in refused(each) for each in made)
        assert artifact.verify(levels=True).passed
        for found, image in zip(run(artifact, images()), images(), strict=True):
            np.testing.assert_array_equal(found, run_litert(plain, [image])[0])


def test_tables_of_fewer_values_are_shorter():
    small, plain = compressed(network(), 7)
    with as_form(small, LOOKED_UP, "cortex-m4") as artifact:
        text = " ".join(artifact.tree().text("src/model_kernels.c").replace("\n * ", " ").split())
        assert "s2s_i16x4_look_up" in text
        assert "behind them 1 table of 7 values" in text
        for found, image in zip(run(artifact, images()), images(), strict=True):
            np.testing.assert_array_equal(found, run_litert(plain, [image])[0])


def test_results_are_those_of_tflite_micro_on_the_compressed_file():
    small, _ = compressed(network())
    with api.compile(small, target="cortex-m4") as artifact:
        for found, image in zip(run(artifact, images()), images(), strict=True):
            np.testing.assert_array_equal(found, run_micro(small, [image])[0])


def test_small_cores_keep_bytes_whose_codes_add_more_than_half_of_a_kernel():
    """The product has one row; the convolution reads its weights for each two places of the image."""
    small, _ = compressed(network())
    with compile_artifact(small, CompileOptions(target="cortex-m4", explain=True)) as artifact:
        found = {each.about.partition("_")[0]: each for each in codes(artifact)}
    assert set(found) == {"conv", "matmul"}
    for each in found.values():
        costs = {form.note: form.cost for form in each.candidates if form.cost is not None}
        plain, looked_up, decoded = (costs[form].cycles or 0 for form in (BYTES, LOOKED_UP, DECODED))
        assert looked_up > 1.5 * plain
        assert decoded > 1.5 * plain or costs[DECODED].ram
        assert each.chosen == BYTES


def test_estimates_say_what_tables_take():
    """Half of 1152 weights, 8 tables of 16 values, and the instructions that decode."""
    small, _ = compressed(network())
    with compile_artifact(small, CompileOptions(target="cortex-m4", explain=True)) as artifact:
        conv = next(each for each in codes(artifact) if each.about.startswith("conv"))
    flash = {each.note: each.cost.flash for each in conv.candidates if each.cost is not None}
    assert flash[BYTES] == 1152
    assert flash[DECODED] == 576 + 8 * 16 + 200


def test_weights_of_many_values_are_not_asked_about():
    with api.compile(network(), target="cortex-m4") as artifact:
        assert codes(artifact) == []
