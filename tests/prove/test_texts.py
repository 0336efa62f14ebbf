"""C that means something else, or nothing, is not taken for what it resembles.

Each case is what the prover might believe of a construct of C: `text` is C, `belief` is C that computes what a prover
with that belief takes `text` to compute. The two are not equal.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from s2s.prove.atoms import Atoms
from s2s.prove.buffers import Buffer
from s2s.prove.comparison import difference
from s2s.prove.ctypes import I8
from s2s.prove.expressions import EXPRESSIONS
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.machine import Machine
from s2s.prove.memory import Memory
from s2s.prove.program import program_of
from s2s.prove.reference.model import Tensor
from s2s.prove.source import parse_tree
from s2s.prove.statements import STATEMENTS
from s2s.prove.values import Pointer

INCLUDES = "#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n"
SIZE = 8


class Case(NamedTuple):
    """A text, and what it resembles: statements that set y[0] from x[0] to x[7], after declarations of the file."""

    text: str
    belief: str
    before: str = ""


def long_list(item: str, count: int = 64) -> str:
    """An array of so many equal items."""
    return f"static const int8_t t[{2 * count}] = {{{', '.join([item] * count)}}};"


CASES = {
    "operand types of a choice by an input": Case(
        "y[0] = (int8_t)((x[0] > 0 ? (uint32_t)x[0] : x[0]) / 2);", "y[0] = (int8_t)(x[0] / 2);"
    ),
    "operand types of a choice by a number": Case(
        "y[0] = (int8_t)((1 ? x[0] : 1u) / 2);", "y[0] = (int8_t)(x[0] / 2);"
    ),
    "type of what is not chosen and not known": Case(
        "y[0] = (int8_t)((1 ? (uint32_t)x[0] : G) / 2);", "y[0] = (int8_t)((uint32_t)x[0] / 2);", "int64_t G = 1;"
    ),
    "load with another sign": Case("y[0] = (int8_t)(((const uint8_t *)x)[0] / 2);", "y[0] = (int8_t)(x[0] / 2);"),
    "load with another width": Case("y[0] = (int8_t)(((const int16_t *)x)[0] / 2);", "y[0] = (int8_t)(x[0] / 2);"),
    "load as char, which may be unsigned": Case(
        "y[0] = (int8_t)(((const char *)x)[0] / 2);", "y[0] = (int8_t)(x[0] / 2);"
    ),
    "counter that leaves its type": Case(
        "uint8_t i = 250; for (int32_t k = 0; k < 10; k++) { i++; } y[0] = (int8_t)(i / 4);", "y[0] = 65;"
    ),
    "counter of 64 bits, end above 2^63": Case(
        "int32_t n = 0; for (uint64_t i = 0; i < (uint64_t)0 - 1u; i++) { n = 5; } y[0] = (int8_t)n;", "y[0] = 0;"
    ),
    "sum beyond 64 bits": Case(
        "int64_t a = 0; for (int32_t k = 0; k < 64; k++) { a += x[k & 7] * (1ll << 54); } y[0] = (int8_t)(a >> 56);",
        "int32_t a = 0; for (int32_t k = 0; k < 8; k++) { a += x[k] * 2; } y[0] = (int8_t)a;",
    ),
    "static local": Case("static int8_t s = 0; y[0] = x[0];", "y[0] = x[0];"),
    "volatile local": Case("volatile int32_t s = x[0]; y[0] = (int8_t)s;", "y[0] = x[0];"),
    "volatile local array": Case("volatile int32_t s[2] = {x[0], 0}; y[0] = (int8_t)s[0];", "y[0] = x[0];"),
    "global array that may change": Case("y[0] = t[0];", "y[0] = 1;", "static int8_t t[2] = {1, 2};"),
    "address as a number": Case("uintptr_t a = (uintptr_t)x; y[0] = (int8_t)(a & 1u);", "y[0] = 0;"),
    "sum doubled in its loop": Case(
        "int32_t a = 0; for (int32_t k = 0; k < 8; k++) { a += x[k]; a += a; } y[0] = (int8_t)(a / 512);",
        "int32_t a = 0; for (int32_t k = 0; k < 8; k++) { a += x[k]; } y[0] = (int8_t)(a / 512);",
    ),
    "sum read in its loop": Case(
        "int32_t a = 0, b = 0; for (int32_t k = 0; k < 8; k++) { a += x[k]; b += a; } y[0] = (int8_t)(b / 64);",
        "int32_t a = 0; for (int32_t k = 0; k < 8; k++) { a += x[k]; } y[0] = (int8_t)(a / 64);",
    ),
    "shift by all bits": Case("y[0] = (int8_t)((x[0] * x[0] / 3) >> 32);", "y[0] = 0;"),
    "shift by more bits than there are": Case("y[0] = (int8_t)(1 >> (x[0] + 128));", "y[0] = (int8_t)(x[0] == -128);"),
    "least number divided by -1": Case(
        "int32_t m = x[0] * 16777216; y[0] = (int8_t)((m / -1) >> 24);", "y[0] = (int8_t)((x[0] * -1) + 0);"
    ),
    "least constant divided by -1": Case("y[0] = (int8_t)(((-2147483647 - 1) / -1) >> 24);", "y[0] = -128;"),
    "unsigned quotient of 64 bits": Case("y[0] = (int8_t)((uint64_t)x[0] / 3u);", "y[0] = (int8_t)(x[0] / 3);"),
    "unsigned remainder of 64 bits": Case("y[0] = (int8_t)((uint64_t)x[0] % 3u);", "y[0] = (int8_t)(x[0] % 3);"),
    "assignment behind &&": Case("int32_t n = 0; int32_t c = x[0] > 0 && (n = 5); y[0] = (int8_t)n;", "y[0] = 5;"),
    "assignments in a choice": Case(
        "int32_t n = 0; int32_t c = x[0] > 0 ? (n = 4) : (n = 5); y[0] = (int8_t)n;", "y[0] = 5;"
    ),
    "step in a choice": Case("int32_t n = 0; int32_t c = x[0] > 0 ? n++ : 0; y[0] = (int8_t)n;", "y[0] = 1;"),
    "call in a choice that stores": Case(
        "y[0] = 0; int32_t c = x[0] > 0 ? g(y) : 0;", "y[0] = 3;", "static int32_t g(int8_t *p) { p[0] = 3; return 1; }"
    ),
    "null as a condition": Case("int8_t *p = NULL; y[0] = (int8_t)(p ? 1 : 2);", "y[0] = 1;"),
    "null as a condition of a statement": Case(
        "int8_t *p = NULL; if (p) { y[0] = 1; } else { y[0] = 2; }", "y[0] = 1;"
    ),
    "load through null": Case("int8_t *p = NULL; y[0] = p[0];", "y[0] = 0;"),
    "escape in a character": Case("y[0] = (int8_t)'\\n';", "y[0] = 92;"),
    "long, which may have 32 bits or 64": Case("y[0] = (int8_t)((x[0] + 0L) >> 1);", "y[0] = (int8_t)(x[0] >> 1);"),
    "initialiser beyond its type": Case("y[0] = (int8_t)(t[x[0] & 7] / 2);", "y[0] = (int8_t)150;", long_list("300")),
    "octal numbers in a list": Case("y[0] = t[3];", "y[0] = 10;", long_list("010")),
    "hexadecimal numbers in a list": Case("y[0] = t[1];", "y[0] = 17;", long_list("0x17")),
    "sums in a list": Case("y[0] = t[0];", "y[0] = 33;", long_list("33 - 10")),
    "quotient in an initialiser": Case("y[0] = t[0];", "y[0] = -4;", "static const int8_t t[2] = {-7 / 2, 2};"),
    "cast in an initialiser": Case(
        "y[0] = (int8_t)(t[0] / 2);", "y[0] = 100;", "static const int32_t t[1] = {(int8_t)200};"
    ),
    "bit-field": Case("struct b s; s.a = x[0]; y[0] = (int8_t)s.a;", "y[0] = x[0];", "struct b { int32_t a : 2; };"),
    "more initialisers than elements": Case("int32_t t[1] = {1, 2}; y[0] = (int8_t)t[0];", "y[0] = 1;"),
    "fewer arguments than parameters": Case(
        "y[0] = (int8_t)g(1);", "y[0] = 1;", "static int32_t g(int32_t n, int32_t m) { return n; }"
    ),
}


def executed(folder: Path, case_text: str, before: str, atoms: Atoms) -> tuple[Memory, Buffer]:
    """Memory and y after `f` has run."""
    (folder / "f.c").write_text(f"{INCLUDES}{before}\nvoid f(int8_t *y, const int8_t *x)\n{{\n{case_text}\n}}\n")
    machine = Machine(program_of(parse_tree(folder, ["f.c"])), atoms, STATEMENTS, EXPRESSIONS)
    y, x = Buffer("y", SIZE), Buffer("x", SIZE)
    numbers = np.zeros(SIZE, np.int64)
    machine.memory.put_atoms(x, np.arange(SIZE), atoms.inputs("x", SIZE, I8.least, I8.most), numbers, I8)
    machine.call("f", [Pointer(y, 0, I8), Pointer(x, 0, I8)])
    return machine.memory, y


def result(folder: Path, belief: str, before: str, atoms: Atoms) -> Tensor:
    """What `f` leaves in y[0], as a tensor of the reference."""
    memory, y = executed(folder, belief, before, atoms)
    form = memory.value(y, np.arange(1))
    ids, constant = (
        (np.zeros(1, np.int64), form) if isinstance(form, int | np.ndarray) else (form.groups[0][0], form.constant)
    )
    return Tensor("y", (1,), "INT8", np.ones(1), 0, ids=ids.reshape(-1), numbers=np.broadcast_to(constant, (1,)))


@pytest.mark.parametrize("name", CASES)
def test_a_text_is_not_taken_for_what_it_resembles(name: str, tmp_path: Path):
    case, atoms = CASES[name], Atoms()
    wanted = result(tmp_path, case.belief, "", atoms)
    try:
        memory, y = executed(tmp_path, case.text, case.before, atoms)
    except (Fault, Unprovable):
        return
    assert difference(memory, Pointer(y, 0, I8), wanted, 1)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("y[0] = (int8_t)(x[0] > 0 && x[1] - x[1] == 0 ? x[0] : 0);", "y[0] = (int8_t)(x[0] < 0 ? 0 : x[0]);"),
        ("for (int32_t k = 0; k < 16; k++) { y[k & 7] = k < 8 ? x[k] : x[15 - k]; }", "y[0] = x[7];"),
        (
            "int32_t a = x[0] & 7; if (a - a * a / 7 > 2) { y[0] = 1; } else { y[0] = x[1]; }",
            "y[0] = x[1];",
        ),
        ("int64_t m = (int64_t)1 << 40; y[0] = (int8_t)((x[0] * m) >> 40);", "y[0] = x[0];"),
    ],
)
def test_a_text_is_taken_for_what_it_is(text: str, same: str, tmp_path: Path):
    atoms = Atoms()
    wanted = result(tmp_path, same, "", atoms)
    memory, y = executed(tmp_path, text, "", atoms)
    assert difference(memory, Pointer(y, 0, I8), wanted, 1) == ""
