"""Weights of four bits that stay two in a byte: TFLite's INT4 layers, against its reference kernels."""

import json
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s import api
from s2s.decisions.constant_bits import BYTES, PACKED
from s2s.errors import InputError
from s2s.frontends.tflite.writer import SAME, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.engines import run_litert
from s2s.types.dtypes import Array
from support.c_compilers import require_target


def network(*, low: int = -7, kind: str = "INT4") -> bytes:
    """A convolution, a depthwise convolution, a pointwise one, and a fully connected layer."""
    rng = np.random.default_rng(4)
    shapes = {"a": (12, 3, 3, 4), "d": (1, 3, 3, 12), "p": (8, 1, 1, 12), "f": (6, 288)}
    channels = {"a": 12, "d": 12, "p": 8, "f": 6}
    tensors = [TensorSpec("x", (1, 6, 6, 4), "INT8", scale=0.05, zero_point=3)]
    for name, shape in shapes.items():
        axis, count = (3 if name == "d" else 0), channels[name]
        scale = np.linspace(0.01, 0.03, count).astype(np.float32)
        values = rng.integers(low, 8, shape).astype(np.int8)
        tensors.append(TensorSpec(name, shape, kind, values, scale, np.zeros(count, np.int64), axis=axis))
        bias = rng.integers(-300, 300, count).astype(np.int32)
        tensors.append(TensorSpec(f"{name}b", (count,), data=bias, scale=scale * np.float32(0.05), axis=0))
    results = {"ya": (1, 6, 6, 12), "yd": (1, 6, 6, 12), "yp": (1, 6, 6, 8), "y": (1, 6)}
    tensors += [TensorSpec(name, shape, "INT8", scale=0.05, zero_point=-4) for name, shape in results.items()]
    window = {"padding": SAME, "stride_h": 1, "stride_w": 1}
    taps = {**window, "depth_multiplier": 1}
    operators = [
        OperatorSpec("CONV_2D", ["x", "a", "ab"], ["ya"], "Conv2DOptions", window),
        OperatorSpec("DEPTHWISE_CONV_2D", ["ya", "d", "db"], ["yd"], "DepthwiseConv2DOptions", taps),
        OperatorSpec("CONV_2D", ["yd", "p", "pb"], ["yp"], "Conv2DOptions", window),
        OperatorSpec("FULLY_CONNECTED", ["yp", "f", "fb"], ["y"], "FullyConnectedOptions"),
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["y"])])


def chosen(artifact: api.Artifact) -> list[str]:
    """The forms of small constants, in the order of the kernels."""
    return [each.chosen for each in artifact.decisions if each.kind == "constant bits"]


def all_as(data: bytes, form: str, target: str = "cortex-m4") -> dict[str, Any]:
    """Decisions that give every small constant one form."""
    with api.compile(data, target=target, tflite_rounding="reference") as artifact:
        found = artifact.decisions.as_dict()
    kept = [each for each in found["decisions"] if each["kind"] == "constant bits"]
    return {**found, "decisions": [{**each, "chosen": form} for each in kept]}


def run(artifact: api.Artifact, images: Sequence[Array]) -> list[Array]:
    return [next(iter(artifact.run({"x": image}).values())) for image in images]


@pytest.mark.parametrize("kind", ["INT4", "INT8"])
def test_packed_weights_give_the_results_of_the_reference(kind: str):
    data = network(kind=kind)
    images = [np.random.default_rng(seed).integers(-128, 128, (1, 6, 6, 4)).astype(np.int8) for seed in range(4)]
    decisions = all_as(data, PACKED)
    with api.compile(data, target="cortex-m4", tflite_rounding="reference", decisions=decisions) as artifact:
        assert chosen(artifact).count(PACKED) >= 3
        assert "load_nibbles" in artifact.tree().text("src/model_kernels.c")
        assert artifact.verify(levels=True).passed
        for found, image in zip(run(artifact, images), images, strict=True):
            np.testing.assert_array_equal(found, run_litert(data, [image])[0])


@pytest.mark.parametrize(("target", "wide"), [("cortex-m3", ["conv_3x3"]), ("cortex-m4", [])])
def test_small_cores_take_the_smaller_form_where_it_costs_little(target: str, wide: list[str]):
    """A dense layer reads each weight once; a convolution of 3 x 3 unpacks each 36 times."""
    with api.compile(network(), target=target) as artifact:
        every = [each for each in artifact.decisions if each.kind == "constant bits"]
        assert len(every) == 4
        assert [each.about.removeprefix("model_") for each in every if each.chosen == BYTES] == wide


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("target", "function", "kernels"),
    [
        ("c", "s2s_nibble(w,", 4),
        ("cortex-m3", "s2s_nibble(w,", 4),
        ("cortex-m55", "s2s_i32x4_dot_i4_by_16(", 3),
        ("x86-64-v3", "_load_pair_nibbles(", 4),
        ("x86-64-v4", "_load_group_nibbles(", 4),
    ],
)
def test_packed_weights_give_the_results_of_the_reference_on_other_targets(target: str, function: str, kernels: int):
    if target.startswith("x86") and platform.machine() != "x86_64":
        pytest.skip("runs on x86-64 alone")
    require_target(target)
    data = network()
    images = [np.random.default_rng(seed).integers(-128, 128, (1, 6, 6, 4)).astype(np.int8) for seed in range(4)]
    decisions = all_as(data, PACKED, target)
    with api.compile(data, target=target, tflite_rounding="reference", decisions=decisions) as artifact:
        assert chosen(artifact) == [PACKED] * kernels
        assert function in artifact.tree().text("src/model_kernels.c")
        assert artifact.verify(levels=True).passed
        for found, image in zip(run(artifact, images), images, strict=True):
            np.testing.assert_array_equal(found, run_litert(data, [image])[0])


@pytest.mark.parametrize("target", ["cortex-m55", "x86-64-v3", "x86-64-v4"])
def test_kernels_take_bytes_where_packed_weights_cost_many_instructions(target: str):
    """Those of a core with caches, and convolutions of 3 x 3 on Cortex-M55 (91 % more instructions)."""
    with api.compile(network(), target=target) as artifact:
        every = [each for each in artifact.decisions if each.kind == "constant bits"]
        assert {each.chosen for each in every if "x86" in target or "3x3" in each.about} == {BYTES}


def test_flash_halves():
    data = network()
    sizes: list[int] = []
    for form in (BYTES, PACKED):
        with api.compile(
            data, target="cortex-m4", tflite_rounding="reference", decisions=all_as(data, form)
        ) as artifact:
            record = json.loads(artifact.tree().text("metadata.json"))
            sizes.append(sum(each["size"] for each in record["weights"]["arrays"]))
    weights = 12 * 36 + 12 * 9 + 8 * 12 + 6 * 288
    assert sizes[0] - sizes[1] >= 0.45 * weights


def test_numbers_of_five_bits_are_not_packed():
    with api.compile(network(low=-9, kind="INT8"), target="cortex-m4") as artifact:
        assert PACKED not in chosen(artifact)


def test_form_that_there_is_not_is_refused():
    data = network()
    decisions = all_as(data, "three in a byte")
    with pytest.raises(InputError, match=r"constant bits .*: three in a byte is not legal: it is none of two"):
        api.compile(data, target="cortex-m4", tflite_rounding="reference", decisions=decisions)
