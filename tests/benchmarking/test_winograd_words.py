"""Forms of integer convolutions are estimated in the order in which they are counted on a Cortex-M4."""

import pytest

from benchmarks.winograd_words import BOARD, CASES, Case, Form, disordered, forms
from support.boards import board_or_skip


@pytest.mark.parametrize("case", [CASES[1], CASES[3], CASES[6]], ids=str)
def test_the_estimates_are_in_the_order_of_what_is_counted(case: Case) -> None:
    board_or_skip(BOARD)
    found = [*forms(case)]
    assert len(found) == (5 if case.window == (3, 3) else 3)
    assert all(each.right for each in found)
    assert disordered(found) == []


def test_an_order_that_is_wrong_is_told() -> None:
    slow, fast = Form("a", False, 1100, 5.0, 0, 0, True), Form("b", True, 1000, 6.0, 0, 0, True)
    assert disordered([slow, fast]) == ["a takes 1,100 instructions, b 1,000"]
    assert disordered([slow, Form("c", True, 1001, 6.0, 0, 0, True)]) == []
