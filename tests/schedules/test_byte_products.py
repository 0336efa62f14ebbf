"""Schedules of quantised layers in groups of bytes: every level, and C in each of its forms, give the same numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from s2s.dialects import loop
from s2s.targets import Target, get_target
from s2s.targets.intrinsics import VNNI, X86_PAIRS
from support.quantised_layers import Layer, levels, run_as_c

WIDE = get_target("x86-64-v4")
NARROW = replace(get_target("x86-64-v3"), intrinsics=(X86_PAIRS,))
TARGETS = {
    "16 lanes, unsigned": replace(WIDE, intrinsics=(VNNI,)),
    "16 lanes, signed": WIDE,
    "16 lanes, small cache": replace(WIDE, intrinsics=(VNNI,), l1_bytes=512),
    "8 lanes": NARROW,
    "8 lanes, in pairs of 16 bits": get_target("x86-64-v3"),
    "4 lanes": get_target("aarch64"),
}
LAYERS = {
    "pointwise": Layer((5, 5, 16), 32),
    "pointwise of odd depth": Layer((3, 4, 7), 8),
    "pointwise, channels that fill no vector": Layer((3, 4, 8), 12),
    "pointwise, strided": Layer((6, 7, 16), 16, strides=(2, 2)),
    "3x3": Layer((6, 6, 8), 16, (3, 3), pads=(1, 1, 1, 1)),
    "3x3, strided": Layer((7, 6, 8), 8, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
    "3x3, valid": Layer((9, 9, 4), 48, (3, 3)),
    "first layer, one channel": Layer((9, 10, 1), 16, (4, 3), strides=(2, 2), pads=(1, 1, 2, 1)),
    "first layer, three channels": Layer((9, 8, 3), 8, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1), input_zp=-128),
    "dilated": Layer((9, 8, 4), 16, (3, 3), pads=(2, 2, 2, 2), dilations=(2, 2)),
    "one pixel": Layer((1, 1, 48), 24),
    "one pixel of odd depth": Layer((1, 1, 47), 24),
    "depthwise": Layer((7, 6, 16), 16, (3, 3), pads=(1, 1, 1, 1), groups=16),
    "depthwise, strided": Layer((8, 8, 8), 8, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1), groups=8),
    "depthwise, tall": Layer((11, 6, 12), 12, (5, 2), groups=12, input_zp=0),
    "pointwise, weights with a zero point": Layer((3, 4, 7), 40, weight_zp=3),
    "3x3, weights with a zero point": Layer((6, 6, 8), 16, (3, 3), pads=(1, 1, 1, 1), weight_zp=-128),
    "depthwise, weights with a zero point": Layer((7, 6, 12), 12, (3, 3), pads=(1, 1, 1, 1), groups=12, weight_zp=9),
    "one pixel, weights with a zero point": Layer((1, 1, 47), 24, weight_zp=5),
}


@pytest.mark.sample(5, each="target")
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_levels_agree(layer: Layer, target: Target) -> None:
    _, module, (expected, *found) = levels(layer, target)
    assert len(np.unique(expected)) > 3
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)
    assert any(isinstance(op, loop.IntrinsicOp) for op in module.walk())


def stages(layer: Layer, target: Target) -> list[loop.CacheReadOp]:
    _, module, _ = levels(layer, target)
    return [op for op in module.walk() if isinstance(op, loop.CacheReadOp)]


def test_signed_bytes_without_padding_are_read_in_place() -> None:
    assert not stages(LAYERS["pointwise"], TARGETS["16 lanes, signed"])


def test_unsigned_bytes_are_copied_with_128_added() -> None:
    (copy,) = stages(LAYERS["pointwise"], TARGETS["16 lanes, unsigned"])
    assert copy.flip is not None
    assert copy.count.value.data == 5 * 5 * 16


def test_a_single_pixel_is_read_in_place() -> None:
    assert not stages(LAYERS["one pixel"], TARGETS["16 lanes, unsigned"])


def test_padding_is_copied_as_the_zero_point() -> None:
    assert {op.outside for op in stages(LAYERS["3x3"], TARGETS["8 lanes"])} == {-7}


def test_pairs_of_16_bits_come_from_a_widened_copy_without_its_zero_point() -> None:
    (copy, *_) = stages(LAYERS["3x3"], TARGETS["8 lanes, in pairs of 16 bits"])
    assert (copy.outside, copy.offset.value.data) == (0, 7)


def test_targets_without_such_products_go_other_ways() -> None:
    _, module, (expected, *found) = levels(LAYERS["3x3"], replace(WIDE, intrinsics=()))
    assert not any(isinstance(op, loop.IntrinsicOp) for op in module.walk())
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)


FORMS = {
    "native": ("-O2", "-march=native", "-fsanitize=undefined", "-fno-sanitize-recover=all"),
    "halves": ("-O2",),
    "portable": ("-O2", "-DS2S_SIMD_PORTABLE"),
}


@pytest.mark.sample(2, each="form")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", ["16 lanes, unsigned", "8 lanes", "4 lanes"])
@pytest.mark.parametrize(
    "name",
    [
        "pointwise, channels that fill no vector",
        "3x3",
        "one pixel",
        "depthwise, strided",
        "pointwise, weights with a zero point",
        "depthwise, weights with a zero point",
    ],
)
def test_c_agrees(name: str, target: str, form: str, tmp_path: Path) -> None:
    ctx, module, (expected, *_) = levels(LAYERS[name], TARGETS[target])
    _, _, x = LAYERS[name].build()
    found = run_as_c(ctx, module, x, expected.size, tmp_path, *FORMS[form])
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)
