"""Element-wise, reducing, normalising and resizing operators against TFLite-Micro: integers to the bit."""

import numpy as np
import pytest

from s2s.analysis.dtypes import Array
from s2s.frontends.tflite import import_model
from s2s.interpret.graph.run import run_graph
from support.tflite_cases import GENERATORS, TOLERANCES, Case
from support.tflite_oracle import run_micro

CASES = 14
"""Of every operator and type; the seeds are their numbers."""
PAIRS = [(builtin, kind) for builtin, kinds in GENERATORS.items() for kind in kinds]


def difference(case: Case, found: Array, expected: Array) -> str:
    """What is wrong with a result; nothing when it is as it should be."""
    if found.shape != case.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{found.shape} for {expected.dtype}{case.shape}"
    expected = expected.reshape(found.shape)
    if case.kind != "float32":
        wrong = found != expected if case.defined is None else (found != expected) & case.defined
        return f"{int(wrong.sum())} of {wrong.size} numbers differ" if wrong.any() else ""
    relative, absolute = TOLERANCES.get(case.builtin, (0.0, 0.0))
    largest = max(float(np.abs(values).max(initial=1.0)) for values in (expected, *case.inputs))
    allowed = relative * np.abs(expected) + absolute * largest
    wrong = ~((np.abs(found - expected) <= allowed) | (found == expected))
    return f"differs by {float(np.abs(found - expected).max()):.3g}" if wrong.any() else ""


@pytest.mark.parametrize(("builtin", "kind"), PAIRS, ids=lambda each: each.replace(" ", "-"))
def test_operator_equals_the_reference(builtin: str, kind: str):
    for seed in range(CASES):
        case = GENERATORS[builtin][kind](np.random.default_rng(seed))
        imported = import_model(case.model)
        (found,) = run_graph(imported.module, case.inputs, imported.weights)
        (expected,) = run_micro(case.model, case.inputs)
        assert not difference(case, found, expected), f"seed {seed}: {difference(case, found, expected)}"
