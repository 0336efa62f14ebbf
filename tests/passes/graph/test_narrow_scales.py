"""Scales that are stored as float16 take half the bytes, and results keep every bit."""

import numpy as np
import pytest

from benchmarks.blockwise import product
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions, PassOptions
from s2s.types.dtypes import Array
from support.compiled import quickly_loaded

COLUMNS, ROWS, BLOCK = 96, 40, 32


def product_of(bits: int, activations: str, x: Array, target: str, passes: PassOptions) -> tuple[Array, int]:
    """The result and the bytes of constants of a product whose scales are numbers of half precision."""
    model = product(COLUMNS, ROWS, bits, BLOCK, activations)
    scales = np.random.default_rng(1).uniform(1e-7, 0.02, ROWS * COLUMNS // BLOCK).astype(np.float16)
    model.graph.initializer[1].raw_data = scales.astype(np.float32).tobytes()
    with compile_artifact(model, CompileOptions(target=target, passes=passes)) as artifact:
        return quickly_loaded(artifact).run({"x": x})["y"], artifact.report().weights


@pytest.mark.parametrize("target", ["c", "x86-64-v3", "host"])
@pytest.mark.parametrize("activations", ["float", "int8"])
@pytest.mark.parametrize("bits", [4, 8])
def test_results_keep_every_bit(bits: int, activations: str, target: str):
    x = np.random.default_rng(2).standard_normal((1, COLUMNS)).astype(np.float32)
    narrow, size = product_of(bits, activations, x, target, PassOptions())
    wide, before = product_of(bits, activations, x, target, PassOptions(disabled=("graph-narrow-scales",)))
    np.testing.assert_array_equal(narrow, wide)
    assert before - size >= 2 * ROWS * COLUMNS // BLOCK
