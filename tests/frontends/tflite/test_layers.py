"""Operators that multiply and add, and poolings, against TFLite-Micro: integers to the bit."""

import numpy as np
import pytest

from s2s import api
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import SAME, TensorSpec, single
from s2s.fuzz.tflite.engines import run_micro
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.tflite_layer_cases import GENERATORS, LayerCase, side_by_side

CASES = 40
"""Of every operator and kind; the seeds are their numbers."""
PAIRS = [(builtin, kind) for builtin, kinds in GENERATORS.items() for kind in kinds]
ARENA = 1 << 16


def difference(case: LayerCase, found: Array, expected: Array) -> str:
    """What is wrong with a result; nothing when it is as it should be."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} for {expected.dtype}{expected.shape}"
    if not case.tolerance:
        wrong = found != expected
        return f"{int(wrong.sum())} of {wrong.size} numbers differ" if wrong.any() else ""
    largest = max(float(np.abs(expected).max(initial=0.0)), 1.0)
    apart = float(np.abs(found - expected).max(initial=0.0))
    return f"differs by {apart:.3g}" if apart > case.tolerance * largest else ""


@pytest.mark.parametrize(("builtin", "kind"), PAIRS, ids=lambda each: each.replace(" ", "-"))
def test_operator_equals_the_reference(builtin: str, kind: str):
    for seed in range(CASES):
        case = GENERATORS[builtin][kind](np.random.default_rng(seed))
        imported = import_model(case.model)
        (found,) = run_graph(imported.module, case.inputs, imported.weights)
        (expected,) = run_micro(case.model, case.inputs, arena=ARENA)
        assert not difference(case, found, expected), f"seed {seed}: {difference(case, found, expected)}"


@pytest.mark.sample(1, each="builtin")
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("builtin", GENERATORS)
def test_c_equals_the_reference(builtin: str, target: str):
    """All kinds of an operator in one network, which is quicker to compile than many."""
    kinds = GENERATORS[builtin].values()
    cases = [make(np.random.default_rng(seed)) for make in kinds for seed in (7, 77)]
    inputs = [value for case in cases for value in case.inputs]
    with api.compile(side_by_side(cases), target=target) as artifact:
        found = run_c(artifact, inputs)
    expected = [run_micro(case.model, case.inputs, arena=ARENA)[0] for case in cases]
    wrong = [difference(*each) for each in zip(cases, found, expected, strict=True)]
    assert [text for text in wrong if text] == []


@pytest.mark.parametrize("builtin", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_pool_in_vectors_of_bytes_keeps_its_borders(builtin: str):
    """Four channels are one vector on cores with vectors of integers; whole windows and cut ones meet in a variable."""
    x, y = (TensorSpec(name, shape, "INT8", scale=0.5) for name, shape in (("x", (1, 8, 5, 4)), ("y", (1, 8, 3, 4))))
    window = {"filter_height": 4, "filter_width": 3, "stride_h": 1, "stride_w": 2, "padding": SAME}
    data = single(builtin, [x], [y], "Pool2DOptions", **window)
    image = np.random.default_rng(0).integers(-128, 128, x.shape).astype(np.int8)
    with api.compile(data, target="cortex-m55") as artifact:
        (found,) = run_c(artifact, [image])
    np.testing.assert_array_equal(found, run_micro(data, [image], arena=ARENA)[0])


def test_cases_are_many():
    assert len(PAIRS) * CASES >= 1200
