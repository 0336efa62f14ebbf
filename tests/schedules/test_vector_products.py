"""Schedules of quantised layers in vectors of integers: every level, and plain C99, give the numbers of the graph."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType

from s2s.dialects import loop
from support.quantised_layers import Layer, levels, run_as_c

TARGET = "cortex-m55"
ROWS = {
    "pointwise": Layer((5, 5, 32), 8, input_zp=0),
    "pointwise of odd depth": Layer((3, 4, 7), 8),
    "3x3": Layer((6, 6, 8), 4, (3, 3), pads=(1, 1, 1, 1)),
    "3x3, strided": Layer((7, 6, 8), 8, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
    "first layer, one channel": Layer((9, 10, 1), 4, (4, 3), strides=(2, 2), pads=(1, 1, 2, 1)),
    "dilated": Layer((9, 8, 4), 4, (3, 3), pads=(2, 2, 2, 2), dilations=(2, 2)),
    "one pixel": Layer((1, 1, 48), 12),
}
GROUPS = {
    "pointwise of one group": Layer((4, 4, 16), 8, input_zp=0),
    "pointwise of one group, two pixels": Layer((2, 3, 8), 8, input_zp=0),
    "pointwise of half a vector": Layer((3, 4, 8), 4, input_zp=0),
}
LANES = {
    "depthwise": Layer((7, 6, 8), 8, (3, 3), pads=(1, 1, 1, 1), groups=8),
    "depthwise, strided": Layer((8, 8, 4), 4, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1), groups=4),
    "depthwise, valid": Layer((6, 6, 12), 12, (3, 2), groups=12, input_zp=0),
    "depthwise, rows far apart": Layer((5, 9, 20), 20, (3, 3), pads=(1, 1, 1, 1), groups=20, input_zp=11),
    "depthwise, dilated": Layer((9, 8, 4), 4, (3, 3), pads=(2, 2, 2, 2), dilations=(2, 2), groups=4),
    "depthwise, in loops": Layer((8, 9, 4), 4, (7, 7), pads=(6, 6, 6, 6), dilations=(2, 2), groups=4, input_zp=127),
}
WINDOWS = {
    "7x7": Layer((9, 9, 3), 3, (7, 7), pads=(3, 3, 3, 3), groups=3, input_zp=127),
    "7x7, strided": Layer((17, 14, 4), 4, (7, 7), strides=(2, 2), pads=(2, 2, 3, 3), groups=4),
    "6x5, valid": Layer((14, 13, 2), 2, (6, 5), groups=2, input_zp=0),
    "9 in a row": Layer((1, 30, 4), 4, (1, 9), pads=(0, 4, 0, 4), groups=4),
    "9 in a column": Layer((30, 1, 4), 4, (9, 1), pads=(4, 0, 4, 0), groups=4),
    "21 in a row, two groups": Layer((1, 40, 4), 4, (1, 21), pads=(0, 10, 0, 10), groups=4),
}
LAYERS = {
    **ROWS,
    **GROUPS,
    **LANES,
    **WINDOWS,
    "three channels, by other means": Layer((5, 5, 8), 3, (3, 3), pads=(1, 1, 1, 1)),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_levels_agree(layer: Layer) -> None:
    _, _, (expected, *found) = levels(layer, TARGET)
    assert len(np.unique(expected)) > 3
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize("layer", ROWS.values(), ids=ROWS.keys())
def test_rows_meet_four_rows_of_constants(layer: Layer) -> None:
    _, module, _ = levels(layer, TARGET)
    assert any(isinstance(op, loop.IntrinsicRowsOp) for op in module.walk())


def test_padded_rows_stay_bytes() -> None:
    _, module, _ = levels(ROWS["3x3"], TARGET)
    rows = [op for op in module.walk() if isinstance(op, loop.IntrinsicRowsOp)]
    assert {op.intrinsic.steps for op in rows} == {16}
    stages = [op for op in module.walk() if isinstance(op, loop.CacheReadOp)]
    assert stages
    assert all(op.outside == ROWS["3x3"].input_zp for op in stages)


@pytest.mark.parametrize("layer", LANES.values(), ids=LANES.keys())
def test_depthwise_layers_run_along_their_channels(layer: Layer) -> None:
    _, module, _ = levels(layer, TARGET)
    assert any(isinstance(op, loop.RescaleLanesOp) for op in module.walk())
    assert not any(isinstance(op, loop.CacheReadOp) for op in module.walk())


@pytest.mark.parametrize(
    ("name", "pixels"), [("of one group", 4), ("of one group, two pixels", 2), ("of half a vector", 4)]
)
def test_pixels_share_the_constants_of_one_group(name: str, pixels: int) -> None:
    _, module, _ = levels(GROUPS[f"pointwise {name}"], TARGET)
    products = [op for op in module.walk() if isinstance(op, loop.IntrinsicOp)]
    assert len(products) == pixels
    assert len({op.w for op in products}) == 1


@pytest.mark.parametrize("layer", WINDOWS.values(), ids=WINDOWS.keys())
def test_large_windows_are_multiplied_row_by_row(layer: Layer) -> None:
    """Padding is stored once, before the loop over channels; each channel copies what is inside of the operand."""
    _, module, _ = levels(layer, TARGET)
    assert any(isinstance(op, loop.IntrinsicOp) and op.intrinsic.form.data == "dot_window" for op in module.walk())
    copies = [op for op in module.walk() if isinstance(op, loop.CacheReadOp)]
    assert [len(op.map.data.results) for op in copies] == ([4, 2] if any(layer.pads) else [2])


@pytest.mark.parametrize("name", [name for name, layer in LANES.items() if layer.input_zp])
def test_depthwise_layers_multiply_bytes_as_they_are(name: str) -> None:
    """Nothing is taken off a vector; the bias holds what the zero point adds."""
    _, module, _ = levels(LANES[name], TARGET)
    assert not any(isinstance(op, arith.SubiOp) for op in module.walk())
    sums = [op for op in module.walk() if isinstance(op, arith.MuliOp)]
    assert sums
    assert all(isinstance(op.result.type, VectorType) for op in sums)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "name",
    [
        "3x3",
        "first layer, one channel",
        "pointwise",
        "pointwise of half a vector",
        "depthwise",
        "depthwise, rows far apart",
        "depthwise, in loops",
    ],
)
def test_plain_c_agrees(name: str, tmp_path: Path) -> None:
    ctx, module, (expected, *_) = levels(LAYERS[name], TARGET)
    _, _, x = LAYERS[name].build()
    found = run_as_c(ctx, module, x, expected.size, tmp_path)
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)
