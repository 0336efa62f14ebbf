"""The vector functions hold the errors that their header states.

Each run tries an eighth of all floats, another one each time: the assertion names the first. `ulp FUNCTION 1` tries all
of them (sine 2.34, cosine 2.32 units in the last place).
"""

import random
import re
from pathlib import Path

import pytest

from support.c_compilers import WARNINGS, require, run
from support.project import ROOT

PROGRAM = Path(__file__).parent / "ulp" / "ulp.c"
INCLUDE = ROOT / "runtime_c" / "include"
STATED = {
    name: float(bound)
    for name, bound in re.findall(r"V_(\w+) (\d\.\d+)", (INCLUDE / "s2s_simd_functions.h").read_text())
}
FORMS = {
    "one rounding": ["-O3", "-march=native", "-ffp-contract=fast"],
    "two roundings": ["-O3", "-march=native", "-ffp-contract=off"],
    "pairs": ["-O2", "-ffp-contract=off"],
    "portable": ["-O2", "-ffp-contract=off", "-DS2S_SIMD_PORTABLE"],
}


EIGHTH = 8
FEW = 1009
"""Steps between the floats that are tried."""


def largest_error(form: str, function: str, stride: int, first: int, folder: Path) -> float:
    flags = [*WARNINGS, *FORMS[form], "-fno-math-errno", f"-I{INCLUDE}"]
    run([require("gcc"), *flags, PROGRAM, "-o", "ulp", "-lm"], folder)
    return float(run([folder / "ulp", function, str(stride), str(first)], folder).split()[1])


@pytest.mark.parametrize("function", ["exp", "log", "tanh", "erf"])
def test_no_float_is_further_off_than_the_header_states(function: str, tmp_path: Path) -> None:
    first = random.randrange(EIGHTH)
    error = largest_error("two roundings", function, EIGHTH, first, tmp_path)
    assert error <= STATED[function], f"ulp {function} {EIGHTH} {first}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", STATED)
def test_every_form_holds_the_stated_error(function: str, form: str, tmp_path: Path) -> None:
    assert largest_error(form, function, FEW, 0, tmp_path) <= STATED[function]
