"""The benchmark of BLAS runs, and judges by the chosen one."""

from benchmarks.external_blas import Row, measure
from support.c_compilers import require_header


def test_a_product_is_timed_both_ways() -> None:
    require_header("cblas.h", "libopenblas-dev")
    row = measure((4, 5, 6))
    assert row.chosen == "s2s"
    assert min(row.ours, row.library) > 0


def test_a_choice_that_costs_more_than_three_percent_fails() -> None:
    assert Row((1, 1, 1), 100e-6, 102e-6, "blas").passed
    assert not Row((1, 1, 1), 100e-6, 104e-6, "blas").passed
    assert Row((1, 1, 1), 100e-6, 104e-6, "s2s").passed
