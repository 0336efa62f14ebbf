"""Schedules in strips: every level, and plain C99 with strips of any length, give the numbers of the graph."""

from pathlib import Path

import numpy as np
import pytest

from s2s.dialects import loop
from s2s.dialects.loop.control import SCALABLE
from support.quantised_layers import Layer, levels, run_as_c

TARGET, DOTS = "rv32imcv", "aarch64-sve2"
LAYERS = {
    "pointwise": Layer((5, 5, 16), 8, input_zp=0),
    "pointwise with a zero point": Layer((3, 4, 7), 21),
    "3x3": Layer((6, 6, 8), 20, (3, 3), pads=(1, 1, 1, 1)),
    "3x3, strided": Layer((7, 6, 8), 8, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
    "first layer, one channel": Layer((9, 10, 1), 4, (4, 3), strides=(2, 2), pads=(1, 1, 2, 1)),
    "dilated": Layer((9, 8, 4), 4, (3, 3), pads=(2, 2, 2, 2), dilations=(2, 2)),
    "one pixel": Layer((1, 1, 48), 12),
    "depthwise": Layer((7, 6, 40), 40, (3, 3), pads=(1, 1, 1, 1), groups=40),
    "depthwise, strided": Layer((8, 8, 5), 5, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1), groups=5),
    "depthwise, valid": Layer((6, 6, 12), 12, (3, 2), groups=12, input_zp=0),
    "depthwise, in loops": Layer((8, 9, 6), 6, (7, 7), pads=(3, 3, 3, 3), groups=6, input_zp=127),
}
FEW = Layer((5, 5, 8), 3, (3, 3), pads=(1, 1, 1, 1))


@pytest.mark.parametrize("target", [TARGET, DOTS])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_levels_agree_and_channels_run_in_strips(layer: Layer, target: str) -> None:
    _, module, (expected, *found) = levels(layer, target)
    assert len(np.unique(expected)) > 3
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)
    assert any(isinstance(op, loop.ForOp) and op.kind.data == SCALABLE for op in module.walk())


@pytest.mark.parametrize("name", ["pointwise with a zero point", "3x3", "first layer, one channel", "one pixel"])
def test_sums_over_channels_are_dot_products(name: str) -> None:
    _, module, _ = levels(LAYERS[name], DOTS)
    forms = {op.intrinsic.form.data for op in module.walk() if isinstance(op, loop.IntrinsicOp)}
    assert forms == {"dot_strips"}


def test_few_channels_are_left_to_scalars() -> None:
    _, module, _ = levels(FEW, TARGET)
    assert not any(isinstance(op, loop.ForOp) and op.kind.data == SCALABLE for op in module.walk())


@pytest.mark.parametrize("target", ["rv32imc", "cortex-m4", "c"])
def test_other_targets_have_no_strips(target: str) -> None:
    _, module, _ = levels(LAYERS["pointwise"], target)
    assert not any(isinstance(op, loop.ForOp) and op.kind.data == SCALABLE for op in module.walk())


@pytest.mark.sample(4)
@pytest.mark.parametrize("lanes", [1, 5, 16])
@pytest.mark.parametrize("target", [TARGET, DOTS])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_plain_c_agrees(layer: Layer, target: str, lanes: int, tmp_path: Path) -> None:
    ctx, module, (expected, *_) = levels(layer, target)
    _, _, x = layer.build()
    found = run_as_c(ctx, module, x, expected.size, tmp_path, "-O2", "-ffp-contract=off", f"-DS2S_STRIP={lanes}")
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)
