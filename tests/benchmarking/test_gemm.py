"""The sweep over products of matrices runs, in all forms."""

import pytest

from benchmarks.beside import measure
from benchmarks.gemm import FORMS, Case, cases


@pytest.mark.parametrize("form", FORMS)
def test_a_product_is_measured_beside_onnxruntime(form: str) -> None:
    pytest.importorskip("onnxruntime")
    outcome = measure(Case(5, 6, 7, form).model(), rounds=1, seconds=0.05)
    assert outcome.ours > 0
    assert outcome.theirs > 0
    assert outcome.difference < 1e-5


def test_named_sizes_are_measured_in_the_forms_that_are_asked_for() -> None:
    assert list(cases(["2x3x4"], ["left"])) == [Case(2, 3, 4, "left")]
