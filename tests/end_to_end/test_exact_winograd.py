"""Convolutions of bytes by Winograd's algorithm, from the graph to C: the integers of direct convolution, every bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from s2s.decisions.algorithm import DIRECT, AlgorithmKind
from s2s.decisions.decision import Prefer
from s2s.decisions.recorded import decisions_of
from support.quantised_layers import Layer, levels

LAYERS = st.builds(
    Layer,
    image=st.tuples(st.integers(2, 9), st.integers(2, 9), st.sampled_from([8, 16, 20])),
    outputs=st.sampled_from([3, 16]),
    kernel=st.sampled_from([(3, 3), (1, 3), (3, 1)]),
    pads=st.tuples(*[st.integers(0, 2)] * 4),
    input_zp=st.integers(-128, 127),
    output_zp=st.integers(-128, 127),
).filter(lambda layer: min(layer.out) > 0)
LARGEST = Layer((8, 8, 16), 16, (3, 3), pads=(1, 1, 1, 1), input_zp=127)


def algorithms(module: ModuleOp) -> list[str]:
    """The algorithms of the convolutions of a module."""
    return [each.chosen for each in decisions_of(module) if each.kind == AlgorithmKind.name]


LINES = ("winograd 2", "winograd 4")


@settings(max_examples=15)
@given(LAYERS)
def test_all_levels_give_the_same_bytes(layer: Layer) -> None:
    _, _, found = levels(layer, "cortex-m4", prefer="time")
    for each in found[1:]:
        assert np.array_equal(each, found[0])


@settings(max_examples=15)
@example(replace(LARGEST, kernel=(1, 3), image=(1, 9, 16), pads=(0, 1, 0, 1)), "winograd 4")
@given(LAYERS, st.sampled_from(LINES))
def test_tiles_along_an_axis_give_the_same_bytes(layer: Layer, chosen: str) -> None:
    _, module, _ = levels(layer, "cortex-m4", prefer="time")
    subjects = [each.subject for each in decisions_of(module) if each.kind == AlgorithmKind.name]
    choices = {AlgorithmKind.name: dict.fromkeys(subjects, chosen)}
    _, module, found = levels(layer, "cortex-m4", prefer="time", choices=choices)
    assert algorithms(module) == [chosen] * len(subjects)
    assert all(np.array_equal(each, found[0]) for each in found)


@pytest.mark.parametrize("kernel", [(1, 3), (3, 1)])
def test_windows_of_one_row_take_tiles_along_it_for_time(kernel: tuple[int, int]) -> None:
    top, left = kernel[0] // 2, kernel[1] // 2
    layer = Layer((8, 8, 32), 32, kernel, pads=(top, left, top, left))
    _, module, _ = levels(layer, "cortex-m4", prefer="time")
    assert algorithms(module) == ["winograd 4"]


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m7", "cortex-m33", "x86-64-v3"])
def test_targets_with_products_of_16_bits_take_it_for_time(target: str) -> None:
    _, module, found = levels(LARGEST, target, prefer="time")
    assert algorithms(module) == ["winograd 4x4"]
    assert all(np.array_equal(each, found[0]) for each in found)


@pytest.mark.parametrize("prefer", [None, "size"])
def test_a_microcontroller_takes_it_for_nothing_else(prefer: Prefer | None) -> None:
    _, module, _ = levels(LARGEST, "cortex-m4", prefer=prefer)
    assert algorithms(module) == [DIRECT]


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m3", "cortex-m55"])
def test_other_cores_have_no_choice(target: str) -> None:
    _, module, _ = levels(LARGEST, target, prefer="time")
    assert algorithms(module) == []
