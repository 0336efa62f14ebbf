"""Candidates may add in another order, and may compute nothing else."""

from pathlib import Path

import numpy as np
import pytest

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.reference import difference, reference_of
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file

PRODUCT = "(float[128, 512] a, float[512, 128] b) => (float[128, 128] y) { y = MatMul(a, b) }"


@pytest.fixture
def compilation(tmp_path: Path) -> Compilation:
    return Compilation(onnx_file(PRODUCT, tmp_path), CompileOptions(target="c"))


def _added_in_turn(compilation: Compilation) -> Array:
    """The product, each sum from its last term to its first."""
    a, b = reference_of(compilation).inputs
    total = np.zeros((128, 128), np.float32)
    for k in reversed(range(512)):
        total += np.outer(a[:, k], b[k]).astype(np.float32)
    return total


def test_sums_in_another_order_pass(compilation: Compilation) -> None:
    assert difference(compilation, [_added_in_turn(compilation)]) is None


def test_a_term_that_is_missing_is_told(compilation: Compilation) -> None:
    a, b = reference_of(compilation).inputs
    found = _added_in_turn(compilation)
    found[3, 5] -= a[3, 7] * b[7, 5]
    assert difference(compilation, [found]) == "output 0: 1 of 16384 elements differ"
