"""Schedules of sums of 8-bit products: the loops and their C give the numbers of the graph."""

from pathlib import Path

import numpy as np
import pytest

from s2s.decisions.decision import Prefer
from s2s.dialects import loop, tensor
from s2s.options import CompileOptions
from s2s.pipeline import pipeline
from s2s.registry import get_pass
from s2s.schedules.default import default
from s2s.targets import get_target
from s2s.targets.flags import BY_LOOPS, compile_flags, target_for
from support.quantised_layers import Layer, levels, run_as_c

LAYERS = {
    "pointwise": Layer((5, 5, 16), 8),
    "pointwise, long sums": Layer((5, 5, 64), 4),
    "longer sums, three pixels by two channels": Layer((2, 6, 132), 4),
    "longer sums, two pixels by two channels": Layer((2, 5, 260), 4),
    "longer sums, odd channels": Layer((2, 5, 130), 3),
    "pointwise of odd depth": Layer((3, 4, 7), 5),
    "3x3": Layer((6, 6, 8), 4, (3, 3), pads=(1, 1, 1, 1)),
    "3x3, odd width": Layer((7, 5, 6), 3, (3, 3), pads=(1, 1, 1, 1)),
    "first layer, one channel": Layer((9, 10, 1), 4, (4, 3), strides=(2, 2), pads=(1, 1, 2, 1)),
    "first layer, three channels": Layer((10, 10, 3), 8, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
    "dilated": Layer((9, 8, 4), 4, (3, 3), pads=(2, 2, 2, 2), dilations=(2, 2)),
    "strided pointwise": Layer((8, 8, 12), 6, strides=(2, 2)),
    "valid": Layer((5, 6, 4), 4, (2, 3)),
    "one pixel": Layer((1, 1, 40), 10),
    "one pixel, eight channels": Layer((1, 1, 72), 64),
    "one pixel, many steps": Layer((1, 1, 1100), 16),
    "depthwise": Layer((7, 6, 5), 5, (3, 3), pads=(1, 1, 1, 1), groups=5),
    "depthwise, wide": Layer((4, 9, 3), 3, (3, 3), pads=(1, 1, 1, 1), groups=3),
    "depthwise, strided": Layer((8, 8, 3), 3, (3, 3), strides=(2, 2), pads=(0, 0, 1, 1), groups=3),
    "depthwise, four taps": Layer((7, 8, 3), 3, (2, 4), pads=(1, 1, 0, 2), groups=3),
    "depthwise, five taps": Layer((8, 8, 3), 3, (5, 5), pads=(2, 2, 2, 2), groups=3, input_zp=11),
    "depthwise, five taps, strided": Layer((9, 9, 3), 3, (5, 5), strides=(2, 2), pads=(2, 2, 2, 2), groups=3),
    "depthwise, six taps": Layer((8, 12, 3), 3, (3, 6), pads=(1, 2, 1, 3), groups=3),
    "depthwise, seven taps": Layer((9, 9, 8), 8, (7, 7), pads=(3, 3, 3, 3), groups=8),
    "depthwise, seven taps, strided": Layer((17, 14, 8), 8, (7, 7), strides=(2, 2), pads=(2, 2, 3, 3), groups=8),
    "depthwise, nine in a row": Layer((1, 30, 4), 4, (1, 9), pads=(0, 4, 0, 4), groups=4),
    "depthwise, nine in a column": Layer((30, 1, 4), 4, (9, 1), pads=(4, 0, 4, 0), groups=4),
    "depthwise, valid": Layer((6, 6, 2), 2, (3, 2), groups=2, input_zp=0),
    "depthwise, multiplied": Layer((5, 5, 2), 4, (3, 3), pads=(1, 1, 1, 1), groups=2),
}
TARGETS = ("cortex-m4", "cortex-m3", "c")


@pytest.mark.sample(8, each="target")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_levels_agree(layer: Layer, target: str) -> None:
    _, _, (expected, *found) = levels(layer, target)
    assert len(np.unique(expected)) > 3
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)


QUADS = {
    "a rest of one": LAYERS["pointwise"],
    "a rest of two": LAYERS["longer sums, two pixels by two channels"],
    "a rest of three": Layer((1, 7, 36), 4),
    "padded": Layer((6, 6, 4), 4, (5, 5), pads=(2, 2, 2, 2)),
}


@pytest.mark.parametrize("layer", QUADS.values(), ids=QUADS.keys())
def test_four_points_share_constants_for_time(layer: Layer, tmp_path: Path) -> None:
    ctx, module, (expected, *found) = levels(layer, "cortex-m4", prefer="time")
    assert any(isinstance(op, loop.HalfOp) for op in module.walk())
    for numbers in found:
        np.testing.assert_array_equal(numbers, expected)
    _, _, x = layer.build()
    np.testing.assert_array_equal(run_as_c(ctx, module, x, expected.size, tmp_path).reshape(expected.shape), expected)


def test_cores_with_dual_products_get_dot_products() -> None:
    _, module, _ = levels(LAYERS["3x3"], "cortex-m4")
    assert any(isinstance(op, loop.IntrinsicOp) for op in module.walk())


@pytest.mark.parametrize("name", ["depthwise, nine in a row", "depthwise, nine in a column"])
def test_windows_along_one_axis_are_multiplied_by_taps(name: str) -> None:
    _, module, _ = levels(LAYERS[name], "cortex-m4")
    forms = {op.intrinsic.form.data for op in module.walk() if isinstance(op, loop.IntrinsicOp)}
    assert forms == {"dot_taps", "dot_next", "dot_two"}


@pytest.mark.parametrize(
    ("name", "least", "expected"),
    [
        ("3x3", -127, True),
        ("one pixel", -127, True),
        ("3x3", -128, False),
        ("first layer, one channel", -127, False),
        ("depthwise", -127, False),
    ],
)
def test_constants_are_pairs_where_they_can_be(name: str, least: int, expected: bool) -> None:
    _, module, _ = levels(LAYERS[name], "cortex-m4", least=least)
    assert any(isinstance(op, loop.PairsOp) for op in module.walk()) == expected


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["3x3", "3x3, odd width", "first layer, three channels", "depthwise"])
def test_compiled_kernels_agree(name: str, target: str, tmp_path: Path) -> None:
    ctx, module, (expected, *_) = levels(LAYERS[name], target)
    _, _, x = LAYERS[name].build()
    found = run_as_c(ctx, module, x, expected.size, tmp_path)
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_nothing_but_border_has_a_default_schedule() -> None:
    ctx, module, _ = Layer((2, 2, 1), 1, (3, 3), pads=(1, 1, 1, 1)).build()
    for each in pipeline(CompileOptions(target="cortex-m4"))["graph"]:
        each.apply(ctx, module)
    for name in ("graph-lower-to-tensor", "tensor-fuse-computes", "tensor-collapse-dims"):
        get_pass(name)().apply(ctx, module)
    computes = [op for op in module.walk() if isinstance(op, tensor.ComputeOp) and op.reduce is not None]
    schedules = [default(op, get_target("cortex-m4"), frozenset()).on(op) for op in computes]
    assert [min(schedule.tiles) for schedule in schedules] == [1]


@pytest.mark.parametrize(("prefer", "kept"), [(None, True), ("time", True), ("size", False)])
def test_registers_are_allotted_by_loops_unless_size_is_preferred(prefer: Prefer | None, kept: bool) -> None:
    flags = compile_flags(target_for(get_target("cortex-m4"), prefer))
    assert (BY_LOOPS in flags) == kept
    assert BY_LOOPS not in compile_flags(target_for(get_target("c"), prefer))


@pytest.mark.parametrize("name", ["longer sums, two pixels by two channels", "one pixel, eight channels", "pointwise"])
def test_loops_are_short_without_the_help_of_the_c_compiler(name: str) -> None:
    """With `-Os` it unrolls nothing; code for size is smaller."""
    steps = {aim: _products_in_loops(LAYERS[name], aim) for aim in (None, "size")}
    assert steps[None] > steps["size"]


def _products_in_loops(layer: Layer, prefer: Prefer | None) -> int:
    """The products that are written out in the body of a loop."""
    _, module, _ = levels(layer, "cortex-m4", prefer=prefer)
    return sum(isinstance(op, loop.IntrinsicOp) for op in module.walk())
