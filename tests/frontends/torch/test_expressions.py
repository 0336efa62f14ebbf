"""Expressions on sizes in files of programs: what torch writes is evaluated, what would take days is not."""

import pytest

from s2s.frontends.torch.expressions import is_arithmetic


@pytest.mark.parametrize(
    "text",
    [
        "s0",
        "2*s0**2 + Max(1, s1)",
        "Integer(4)",
        "Symbol('s0', positive=True, integer=True)",
        "((s0 - 3)//2) + 1",
        "Eq(Mod(s0, 8), 0)",
        "4096*s77*PowByNatural(s1, 2)",
        "-int_oo",
        "s0**Integer(-1)",
        "1.5*s0",
    ],
)
def test_what_torch_writes_is_arithmetic(text: str):
    assert is_arithmetic(text)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "9**99",
        "((9**9)**9)**9",
        "Pow(9, Pow(9, 9))",
        "Pow(Pow(9, 9), 9)",
        "2**s0",
        "LShift(1, 1000000000000)",
        "1 << 1000000000000",
        "FloatPow(9, 1000)",
        "9" * 100,
        "(" * 65 + "s0" + ")" * 65,
        "s0 + " * 2000 + "s0",
        "s0 +",
        "Pow()",
        "open(s0)",
    ],
)
def test_what_takes_days_or_is_no_arithmetic_is_not(text: str):
    assert not is_arithmetic(text)
