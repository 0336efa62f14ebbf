"""The types that the dialect gives to expressions are the C compiler's: it is asked through `_Generic`."""

import itertools
import subprocess
from pathlib import Path

from xdsl.dialects.builtin import IntegerType, Signedness, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from s2s.dialects.c.conversions import BINARY_OPERATORS, COMPARISONS, LOGICAL, binary_type, unary_type

UNSIGNED = {f"uint{width}_t": IntegerType(width, Signedness.UNSIGNED) for width in (8, 16, 32, 64)}
SIGNED = {"int8_t": i8, "int16_t": i16, "int32_t": i32, "int64_t": i64}
SPELLED: dict[str, Attribute] = {"bool": i1, **SIGNED, **UNSIGNED, "float": f32, "double": f64}


def spelling_of(type: Attribute, operator: str) -> str:
    """The C type of a result; where the dialect says `i1`, C says `int`."""
    if type == i1 and operator in (*COMPARISONS, *LOGICAL, "!"):
        return "int32_t"
    return next(name for name, known in SPELLED.items() if known == type)


def checks() -> list[str]:
    lines: list[str] = []
    for operator, (left, lhs), (right, rhs) in itertools.product(BINARY_OPERATORS, SPELLED.items(), SPELLED.items()):
        result = binary_type(operator, lhs, rhs)
        if result is not None:
            lines.append(f"CHECK(({left})1 {operator} ({right})1, {spelling_of(result, operator)})")
    for operator, (name, operand) in itertools.product("-~!", SPELLED.items()):
        result = unary_type(operator, operand)
        if result is not None:
            lines.append(f"CHECK({operator}({name})1, {spelling_of(result, operator)})")
    return lines


def test_every_expression_has_the_type_the_c_compiler_gives_it(tmp_path: Path) -> None:
    header = "#include <stdbool.h>\n#include <stdint.h>\n#define CHECK(e, t) _Static_assert(_Generic((e), t: 1), #e);\n"
    source = tmp_path / "types.c"
    lines = checks()
    assert len(lines) > 800
    source.write_text(header + "\n".join(lines) + "\n")
    result = subprocess.run(
        ["gcc", "-std=c11", "-fsyntax-only", "-w", str(source)], capture_output=True, text=True, check=False
    )
    assert result.stderr == ""


def test_signs_do_not_mix() -> None:
    assert binary_type("+", i32, UNSIGNED["uint32_t"]) is None
    assert binary_type("<", UNSIGNED["uint64_t"], i64) is None


def test_remainder_and_bits_are_for_integers() -> None:
    assert binary_type("%", f32, f32) is None
    assert unary_type("~", f64) is None
