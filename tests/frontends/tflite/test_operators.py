"""Element-wise, reducing, normalising and resizing operators against TFLite-Micro: integers to the bit."""

import numpy as np
import pytest

from s2s.frontends.tflite import import_model
from s2s.fuzz.tflite.engines import run_micro
from s2s.interpret.graph.run import run_graph
from support.tflite_cases import GENERATORS, difference

CASES = 14
"""Of every operator and type; the seeds are their numbers."""
PAIRS = [(builtin, kind) for builtin, kinds in GENERATORS.items() for kind in kinds]


@pytest.mark.parametrize(("builtin", "kind"), PAIRS, ids=lambda each: each.replace(" ", "-"))
def test_operator_equals_the_reference(builtin: str, kind: str):
    for seed in range(CASES):
        case = GENERATORS[builtin][kind](np.random.default_rng(seed))
        imported = import_model(case.model)
        (found,) = run_graph(imported.module, case.inputs, imported.weights)
        (expected,) = run_micro(case.model, case.inputs)
        assert not difference(case, found, expected), f"seed {seed}: {difference(case, found, expected)}"
