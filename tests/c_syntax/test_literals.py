"""What is printed reads back as the same value: asked of the C compiler, bit for bit."""

import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, f32, f64, i1, i8, i32, i64

from s2s.c_syntax.literals import array_literals, float_literal, integer_literal, literal
from s2s.c_syntax.types import c_type, element_name
from s2s.types.dtypes import ELEMENT_TYPES, Array, to_numpy, ui8, ui32, ui64
from support.c_compilers import WARNINGS, require, run
from support.project import PACKAGES

PROGRAM = """
#include "s2s.h"
#include "s2s_half.h"
#include <math.h>
#include <stdio.h>
{tables}
int main(void)
{{
{writes}
    return 0;
}}
"""


def all_bits(dtype: np.dtype[Any], count: int = 3000) -> Array:
    """Random bit patterns, so that all exponents occur, and the edges."""
    raw = np.random.default_rng(5).integers(0, 256, count * dtype.itemsize, np.uint8)
    values = (raw & 1).view(np.bool_) if dtype == np.bool_ else raw.view(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.concatenate([values, np.array([0, limits.min, limits.max], dtype)])
    if dtype.kind == "f":
        kind = np.finfo(dtype)
        edges = [0.0, -0.0, 1.0, 0.1, kind.max, kind.min, kind.tiny, kind.smallest_subnormal, np.inf, -np.inf]
        return np.concatenate([values[~np.isnan(values)], np.array(edges, dtype)])
    return values


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_value_of_every_type_reads_back(compiler: str, tmp_path: Path) -> None:
    arrays = {f"all_{element_name(element)}": (element, all_bits(to_numpy(element))) for element in ELEMENT_TYPES}
    tables = "\n".join(
        f"static const {c_type(element)} {name}[] = {{{', '.join(array_literals(values, element))}}};"
        for name, (element, values) in arrays.items()
    )
    writes = "\n".join(f"    fwrite({name}, 1, sizeof {name}, stdout);" for name in arrays)
    (tmp_path / "unit.c").write_text(PROGRAM.format(tables=tables, writes=writes))
    include = f"-I{PACKAGES['s2s.runtime_c'] / 'include'}"
    run([require(compiler), *WARNINGS, include, "unit.c", "-o", "unit"], tmp_path)
    found = subprocess.run([tmp_path / "unit"], capture_output=True, check=True).stdout
    assert found == b"".join(values.tobytes() for _, values in arrays.values())


def test_numbers_look_as_a_person_writes_them() -> None:
    assert [float_literal(x, f32) for x in (0.0, 1.0, 0.1, -2.5, 1e10, 16777216.0)] == [
        *("0.0f", "1.0f", "0.1f", "-2.5f", "1e10f", "1.6777216e7f"),
    ]
    assert [float_literal(x, f64) for x in (1.0, 0.1, float("inf"))] == ["1.0", "0.1", "(double)INFINITY"]
    assert [float_literal(x, f32) for x in (float("nan"), float("-inf"), 1e-42)] == [
        *("NAN", "-INFINITY", "0x1.65p-140f"),
    ]
    assert [integer_literal(-(2**31), i32), integer_literal(-(2**63), i64)] == ["INT32_MIN", "INT64_MIN"]
    assert [integer_literal(5, each) for each in (i8, i32, i64, ui8, ui32, ui64, IndexType(), i1)] == [
        *("5", "5", "5LL", "5", "5u", "5ULL", "5", "true"),
    ]


def test_attributes_are_written_as_their_type() -> None:
    assert literal(IntegerAttr(-1, i8)) == "-1"
    assert literal(FloatAttr(0.5, f32)) == "0.5f"


def test_an_element_of_a_table_needs_no_suffix() -> None:
    assert array_literals(np.array([1, 2**40], np.int64), i64) == ["1", f"{2**40}LL"]


def test_a_broadcast_value_is_written_once_and_repeated() -> None:
    splat = np.broadcast_to(np.float32(0.1), (3, 4))
    assert array_literals(splat, f32) == ["0.1f"] * 12


def test_halves_are_their_bits() -> None:
    values = np.array([1.0, -2.0], ml_dtypes.bfloat16)
    assert array_literals(values, next(each for each in ELEMENT_TYPES if to_numpy(each) == values.dtype)) == [
        *("0x3f80u", "0xc000u"),
    ]
