"""The benchmarks of libraries run, and judge by the chosen one."""

from external.test_onednn import network

from benchmarks.external_blas import measure_product
from benchmarks.external_library import Row
from benchmarks.external_onednn import convolutions
from support.c_compilers import require_header


def test_a_product_is_timed_both_ways() -> None:
    require_header("cblas.h", "libopenblas-dev")
    row = measure_product((4, 5, 6))
    assert row.chosen == "s2s"
    assert min(row.ours, row.library) > 0


def test_a_choice_that_costs_more_than_three_percent_fails() -> None:
    assert Row("", "blas", 100e-6, 102e-6, "blas").passed
    assert not Row("", "blas", 100e-6, 104e-6, "blas").passed
    assert Row("", "blas", 100e-6, 104e-6, "s2s").passed


def test_equal_convolutions_are_one() -> None:
    same = {"pads": [1, 1, 1, 1]}
    model = network(("Conv", same, (3, 3, 3, 3)), ("Conv", same, (3, 3, 3, 3)), ("Conv", same, (6, 3, 3, 3)))
    assert [name for name, _ in convolutions(model)] == ["9x9 3x3/1 3>3", "9x9 3x3/1 3>6"]
