"""Random networks on random devices give the numbers of one device, or are refused with a reason."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from support.c_compilers import require
from support.random_devices import Program, program

QUICK = ("-std=c99", "-O0")
STEP = 0.05
"""The scale of quantised values: sums of floats in another order may round one to its neighbour."""


def results(given: Program, **options: object) -> list[dict[str, Array]]:
    with api.compile(given.model, name="net", **options) as artifact:  # pyright: ignore[reportArgumentType]
        network = artifact.loaded(flags=QUICK)
        return [network.run(inputs) for inputs in given.runs]


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(60))
def test_devices_give_the_numbers_of_one(seed: int):
    require("gcc")
    given = program(seed)
    try:
        found = results(given, **given.options)
    except (InputError, UnsupportedError):
        return  # a pattern that names no layer of what is left of the network
    expected = results(given, target="c", schedule="reference", states=given.options.get("states", {}))
    rounds = any(node.op_type == "QuantizeLinear" for node in given.model.graph.node)
    for mine, theirs in zip(found, expected, strict=True):
        for name, value in theirs.items():
            np.testing.assert_allclose(mine[name], value, rtol=1e-4, atol=1.2 * STEP if rounds else 1e-4)
