"""The vector functions hold the errors that their headers state.

Each run tries an eighth of all floats, another one each time: the assertion names the first. `ulp FUNCTION 1` tries all
of them (sine 2.34, cosine 2.32 units in the last place).
"""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.c_compilers import WARNINGS, require, run
from support.project import ROOT

PROGRAM = Path(__file__).parent / "ulp" / "ulp.c"
INCLUDE = ROOT / "runtime_c" / "include"
HEADERS = ("s2s_simd_functions.h", "s2s_simd_trigonometry.h")
STATED = {
    name: float(bound)
    for header in HEADERS
    for name, bound in re.findall(r"V_(\w+) (\d\.\d+)", (INCLUDE / header).read_text())
}
TRIGONOMETRY = ("tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")
FORMS = {
    "one rounding": ["-O3", "-march=native", "-ffp-contract=fast"],
    "two roundings": ["-O3", "-march=native", "-ffp-contract=off"],
    "pairs": ["-O2", "-ffp-contract=off"],
    "portable": ["-O2", "-ffp-contract=off", "-DS2S_SIMD_PORTABLE"],
}


EIGHTH = 8
FEW = 1009
"""Steps between the floats that are tried."""


Build = Callable[[str], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The program in one of the forms, compiled when it is asked for first."""
    folder = tmp_path_factory.mktemp("ulp")

    @cache
    def built(form: str) -> Path:
        program = folder / form.replace(" ", "_")
        flags = [*WARNINGS, *FORMS[form], "-fno-math-errno", f"-I{INCLUDE}"]
        run([require("gcc"), *flags, PROGRAM, "-o", program, "-lm"], folder)
        return program

    return built


def largest_error(program: Path, function: str, stride: int, first: int) -> float:
    return float(run([program, function, str(stride), str(first)], program.parent).split()[1])


@pytest.mark.sample(1)
@pytest.mark.parametrize("function", ["exp", "exp_plus_one", "exp_nonpositive", "log", "tanh", "erf"])
def test_no_float_is_further_off_than_the_header_states(function: str, build: Build) -> None:
    first = random.randrange(EIGHTH)
    error = largest_error(build("two roundings"), function, EIGHTH, first)
    assert error <= STATED[function], f"ulp {function} {EIGHTH} {first}"


def test_each_trigonometric_function_states_its_error() -> None:
    assert set(TRIGONOMETRY) <= set(STATED)


@pytest.mark.sample(1, each="form")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", TRIGONOMETRY)
def test_trigonometric_functions_agree_with_the_c_library_at_special_values(
    function: str, form: str, build: Build
) -> None:
    """At zeros, where the sign counts, infinities, NaN, the least floats, and values that have one."""
    assert run([build(form), function, "points"], build(form).parent).split() == [function, "agrees"]


def test_powers_of_what_is_never_above_zero_are_zero_at_minus_infinity_and_nan_at_nan(build: Build) -> None:
    program = build("two roundings")
    assert run([program, "exp_nonpositive", "points"], program.parent).split() == ["exp_nonpositive", "agrees"]


@pytest.mark.sample(2, each="form")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", STATED)
def test_every_form_holds_the_stated_error(function: str, form: str, build: Build) -> None:
    assert largest_error(build(form), function, FEW, 0) <= STATED[function]
