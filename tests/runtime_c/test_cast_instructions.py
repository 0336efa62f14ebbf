"""Casts of floats to integers in a loop are vectors that compare little, for GCC too, which branches on limits."""

from pathlib import Path

import pytest

from support.c_compilers import WARNINGS, require, run
from support.project import ROOT

INCLUDE = ROOT / "runtime_c" / "include"
SOURCE = """
#include "s2s_math.h"

void casts(const {source} *restrict x, {target} *restrict y);

void casts(const {source} *restrict x, {target} *restrict y)
{{
    for (int32_t i = 0; i < 1024; ++i) {{ y[i] = s2s_{function}(x[i]); }}
}}
"""
TYPES = {"f32": "float", "f64": "double"}
COMPARED = {"i": 2, "u": 1}
"""Comparisons of floats for each vector: with the lowest number and for NaN, or with 0 only."""


@pytest.mark.parametrize(
    ("source", "target"),
    [*((source, target) for source in TYPES for target in ("i8", "i16", "u8", "u16")), ("f64", "i32")],
)
def test_a_loop_of_casts_compares_each_vector_once_or_twice(source: str, target: str, tmp_path: Path):
    integer = f"{'u' if target[0] == 'u' else ''}int{target[1:]}_t"
    code = SOURCE.format(source=TYPES[source], target=integer, function=f"{source}_to_{target}")
    (tmp_path / "casts.c").write_text(code)
    flags = [*WARNINGS, "-O3", "-march=x86-64-v3", "-fno-math-errno", f"-I{INCLUDE}"]
    run([require("gcc"), *flags, "-S", "casts.c", "-o", "casts.s"], tmp_path)
    names = [line.split()[0] for line in (tmp_path / "casts.s").read_text().splitlines() if line.startswith("\tv")]
    converted = sum(name.startswith("vcvttp") for name in names)
    compared = sum(name.startswith("vcmp") for name in names)
    assert converted
    assert compared <= COMPARED[target[0]] * converted
    assert not any(name.startswith(("vcvtts", "vcomis", "vucomis")) for name in names)
