"""Planted channels leave the networks of every format: what is removed is what was planted, and the C computes the same
numbers as with these channels."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s import api
from s2s.analysis.channels.removed import RemovedChannels, removed_channels
from s2s.compilation import Compilation
from s2s.frontends.formats import load_model
from s2s.inspection import inspect_model
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.passes.pass_context import PassContext
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.planted_channels import (
    COLOURS,
    SIDE,
    PlantedLayer,
    live_layers,
    onnx_model,
    planted_layers,
    quantised_onnx_model,
    quantised_torch_module,
    tflite_model,
    torch_module,
)

IMAGE = (1, COLOURS, SIDE, SIDE)
OF_FLOATS = 1e-5
"""Of the largest result: constants are rounded once more, into biases."""


Make = Callable[[Sequence[PlantedLayer]], Any]


def _exported(module: Callable[[Sequence[PlantedLayer]], torch.nn.Module]) -> Make:
    return lambda layers: torch.export.export(module(layers), (torch.zeros(IMAGE),))


INTEGERS: dict[str, Make] = {
    "tflite": tflite_model,
    "qdq": quantised_onnx_model,
    "torch, quantised": _exported(quantised_torch_module),
}
FLOATS: dict[str, Make] = {"onnx": onnx_model, "torch": _exported(torch_module)}


def _image(draw: np.random.Generator, name: str) -> Array:
    if name == "tflite":
        return draw.integers(-128, 128, (1, SIDE, SIDE, COLOURS)).astype(np.int8)
    return draw.standard_normal(IMAGE).astype(np.float32)


def _check_removed(
    removed: RemovedChannels | None, live: Sequence[PlantedLayer], planted: Sequence[PlantedLayer]
) -> None:
    """Compare the work and the channels that are removed with the planted ones."""
    count = sum(len(layer.biases) for layer in planted) - sum(len(layer.biases) for layer in live)
    if removed is None:
        assert count == 0
        return
    assert removed.all_work == sum(layer.work for layer in planted)
    assert removed.all_work - removed.work == sum(layer.work for layer in live)
    assert removed.channels == count


def _check_numbers(name: str, found: Array, expected: Array) -> None:
    if name in INTEGERS:
        np.testing.assert_array_equal(found, expected)
    else:
        assert np.abs(found - expected).max() <= OF_FLOATS * np.abs(expected).max()


def _drawn(name: str, seed: int) -> tuple[list[PlantedLayer], list[PlantedLayer], Any, Array]:
    """Live layers, the same with planted channels, their model, and an input."""
    draw = np.random.default_rng(seed)
    live = live_layers(draw, pairs=int(draw.integers(0, 3)))
    planted = planted_layers(live, draw, bounded=name in INTEGERS)
    return live, planted, (INTEGERS | FLOATS)[name](planted), _image(draw, name)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_the_work_that_was_planted_is_removed(name: str, seed: int) -> None:
    live, planted, model, x = _drawn(name, seed)
    artifact = api.compile(model, target="c")
    [found] = run_c(artifact, [x])
    with PassContext(disabled_pass=["graph-remove-channels"]):
        [expected] = run_c(api.compile(model, target="c"), [x])
    _check_numbers(name, found, expected)
    _check_removed(artifact.info.removed_channels, live, planted)


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_any_planted_channels_are_removed(name: str, seed: int) -> None:
    live, planted, model, x = _drawn(name, seed)
    source = load_model(model)
    after = Compilation(source, CompileOptions(target="c", name="net")).at("simplify")
    with PassContext(disabled_pass=["graph-remove-channels"]):
        before = Compilation(source, CompileOptions(target="c", name="net")).at("simplify")
    [found], [expected] = (run_graph(state.module, [x], state.weights) for state in (after, before))
    _check_numbers(name, found, expected)
    _check_removed(removed_channels(after.module), live, planted)


def test_inspection_and_report_name_the_removed_channels() -> None:
    draw = np.random.default_rng(0)
    live = live_layers(draw, pairs=1)
    model = tflite_model(planted_layers(live, draw, bounded=True))
    words = api.compile(model, target="c").report(measure=False).in_words()["channels that are constants"]
    assert words.endswith("% of the weights")
    assert inspect_model(model).in_words()["channels that are constants"] == words


def test_networks_without_such_channels_say_nothing() -> None:
    draw = np.random.default_rng(1)
    artifact = api.compile(tflite_model(live_layers(draw, pairs=1)), target="c")
    assert artifact.info.removed_channels is None
    assert "channels that are constants" not in artifact.report(measure=False).in_words()
