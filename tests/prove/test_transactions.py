"""Iterations that run at once leave memory as those in order do."""

from pathlib import Path

import numpy as np
import pytest

from s2s.prove import loops
from s2s.prove.atoms import Atoms
from s2s.prove.buffers import Buffer
from s2s.prove.ctypes import I8, I16
from s2s.prove.expressions import EXPRESSIONS
from s2s.prove.machine import Machine
from s2s.prove.program import program_of
from s2s.prove.rows import rows_of
from s2s.prove.source import parse_tree
from s2s.prove.statements import STATEMENTS
from s2s.prove.values import Form, Pointer

SIZE = 64
FUNCTION = "#include <stdint.h>\nvoid f(int8_t *y, const int8_t *x, int8_t *s, int16_t *w)\n{{\n{}\n}}\n"
TEXTS = {
    "scratch filled again": "for (int32_t a = 0; a < 8; a++) {"
    "    for (int32_t b = 0; b < 3; b++) { s[b] = x[a + b]; }"
    "    for (int32_t b = 0; b < 3; b++) { y[a * 3 + b] = s[b]; } }",
    "scratch of an outer loop, and of an inner one": "for (int32_t a = 0; a < 4; a++) {"
    "    for (int32_t b = 0; b < 4; b++) { s[b] = x[a * 4 + b]; }"
    "    for (int32_t b = 0; b < 4; b++) { s[9] = s[b]; y[a * 4 + b] = s[9]; } }",
    "places of two loops that overlap": "for (int32_t a = 0; a < 4; a++) { for (int32_t b = 0; b < 4; b++) {"
    "    y[a + b] = x[a * 4 + b]; } }",
    "one place": "for (int32_t a = 0; a < 4; a++) { for (int32_t b = 0; b < 4; b++) { s[0] = x[4 * b + a]; } }",
    "scratch that keeps what another iteration stored": "s[0] = 1; s[1] = 2; s[2] = 3;"
    "for (int32_t a = 0; a < 8; a++) { y[a] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = x[a]; }",
    "scratch filled in part": "s[0] = 0; s[1] = 0; for (int32_t a = 0; a < 4; a++) {"
    "    for (int32_t b = 0; b < 4; b++) { if (b < a) { s[b] = x[a * 4 + b]; } y[a * 4 + b] = s[b]; } }",
    "results over their operands": "for (int32_t a = 0; a < 8; a++) { s[a] = x[a]; }"
    "for (int32_t a = 0; a < 4; a++) { for (int32_t b = 0; b < 2; b++) {"
    "    const int8_t old = s[a * 2 + b]; y[a * 2 + b] = old; s[a * 2 + b] = x[9 + a]; } }",
    "a result over another's operand": "for (int32_t a = 0; a < 9; a++) { s[a] = x[a]; }"
    "for (int32_t a = 0; a < 8; a++) { y[a] = s[a]; s[a + 1] = x[9 + a]; }",
    "rows over rows, by way of a scratch": "for (int32_t a = 0; a < 40; a++) { y[a] = x[a]; }"
    "for (int32_t a = 0; a < 5; a++) { for (int32_t b = 0; b < 7; b++) { s[b] = y[a * 7 + b]; }"
    "    for (int32_t c = 0; c < 7; c++) { y[a * 7 + 6 - c] = s[c]; } }",
    "rows over rows before them": "for (int32_t a = 0; a < 40; a++) { y[a] = x[a]; }"
    "for (int32_t a = 1; a < 5; a++) { for (int32_t b = 0; b < 7; b++) { y[a * 7 - b] = y[a * 7 + b]; } }",
    "rows over rows behind them": "for (int32_t a = 0; a < 40; a++) { y[a] = x[a]; }"
    "for (int32_t a = 0; a < 4; a++) { for (int32_t b = 0; b < 7; b++) { y[a * 7 + 7 + b] = y[a * 7 + b]; } }",
    "rows over rows behind them, backwards": "for (int32_t a = 0; a < 40; a++) { y[a] = x[a]; }"
    "for (int32_t a = 3; a >= 0; a--) { for (int32_t b = 0; b < 7; b++) { y[a * 7 + 7 + b] = y[a * 7 + b]; } }",
    "rows over rows, without": "for (int32_t a = 0; a < 40; a++) { y[a] = x[a]; }"
    "for (int32_t a = 0; a < 5; a++) { for (int32_t b = 0; b < 7; b++) { y[a * 7 + 6 - b] = y[a * 7 + b]; } }",
    "backwards": "for (int32_t a = 7; a > -1; a -= 2) { s[a] = x[a]; y[a + 1] = s[a]; }"
    "for (uint32_t a = 8; a >= 4; a--) { y[a + 8] = x[3 * a]; }",
    "elements of two widths": "for (int32_t a = 0; a < 4; a++) { w[0] = x[a]; w[1] = x[a]; s[2] = x[a + 4];"
    "    y[a] = (int8_t)w[0]; s[a + 8] = s[2]; }",
    "sums in a scratch": "for (int32_t a = 0; a < 4; a++) { for (int32_t c = 0; c < 3; c++) { w[c] = 0; }"
    "    for (int32_t b = 0; b < 4; b++) { for (int32_t c = 0; c < 3; c++) { w[c] = (int16_t)(w[c] + x[a + b * c]); } }"
    "    for (int32_t c = 0; c < 3; c++) { w[8 + a * 3 + c] = w[c]; } }",
    "borders": "for (int32_t a = 0; a < 6; a++) { for (int32_t b = 0; b < 6; b++) {"
    "    for (int32_t c = 0; c < 3; c++) { if (b + c >= 1 && b + c < 7) { s[c] = x[a * 6 + b + c - 1]; }"
    "        else { s[c] = 0; } }"
    "    for (int32_t c = 0; c < 3; c++) { if (a + c < 6) { y[a * 6 + b] = s[c]; } } } }",
}


def memory_after(folder: Path, text: str) -> list[list[object]]:
    """What y and the scratch hold after `f` has run: for each byte its width, number and terms."""
    (folder / "f.c").write_text(FUNCTION.format(text))
    atoms = Atoms()
    machine = Machine(program_of(parse_tree(folder, ["f.c"])), atoms, STATEMENTS, EXPRESSIONS)
    y, x, scratch = (Buffer(name, SIZE) for name in ("y", "x", "scratch"))
    ids = atoms.inputs("x", SIZE, I8.least, I8.most)
    machine.memory.put_atoms(x, np.arange(SIZE), ids, np.zeros(SIZE, np.int64), I8)
    machine.call("f", [Pointer(y, 0, I8), Pointer(x, 0, I8), Pointer(scratch, 0, I8), Pointer(scratch, 0, I16)])
    known = np.array([True, *(atoms.definitions[atom][0] != "unknown" for atom in range(1, atoms.count))])
    return [
        [int(buffer.widths[cell]), *_content(machine, buffer, cell, known)]
        for buffer in (y, scratch)
        for cell in range(SIZE)
    ]


def _content(machine: Machine, buffer: Buffer, cell: int, known: np.ndarray) -> list[object]:
    """The number and the terms of an element; the same for all numbers of which nothing is known."""
    if buffer.widths[cell] not in {1, 2}:
        return []
    form = machine.memory.value(buffer, np.array([cell]))
    if not isinstance(form, Form):
        return [np.asarray(form).reshape(-1).tolist(), []]
    rows = rows_of(*form.groups[0])
    terms = sorted(zip(np.where(known[rows.ids], rows.ids, -1).tolist(), rows.coefficients.tolist(), strict=True))
    return [np.asarray(form.constant).reshape(-1).tolist(), terms]


def random_text(seed: int) -> str:
    """Copies between x, y and the scratch in three loops around each other."""
    numbers = np.random.default_rng(seed)

    def place(names: str) -> str:
        factors = numbers.choice([0, 0, 1, 1, 2, 3, 4], len(names))
        terms = [f"{factor} * {name}" for factor, name in zip(factors, names, strict=True) if factor]
        return " + ".join([str(numbers.integers(0, 8)), *terms])

    def copies(names: str) -> str:
        texts: list[str] = []
        for _ in range(numbers.integers(0, 3)):
            to, source = numbers.choice(["y", "s", "s", "w"]), numbers.choice(["x", "x", "s", "s"])
            texts.append(f"{to}[({place(names)}) & {31 if to == 'w' else 63}] = {source}[({place(names)}) & 63];")
        return " ".join(texts)

    parts = [copies(names) for names in ("a", "ab", "abc", "abc", "ab", "abd", "ab", "a")]
    return (
        "for (int32_t i = 0; i < 64; i++) { s[i] = 0; y[i] = 0; }"
        f"for (int32_t a = 0; a < 3; a++) {{ {parts[0]} for (int32_t b = 0; b < 4; b++) {{ {parts[1]}"
        f"for (int32_t c = 0; c < 3; c++) {{ {parts[2]} {parts[3]} }} {parts[4]}"
        f"for (int32_t d = 0; d < 2; d++) {{ {parts[5]} }} {parts[6]} }} {parts[7]} }}"
    )


def check(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare what iterations at once leave with what those in order do."""
    at_once = memory_after(folder, text)
    monkeypatch.setattr(loops, "MIN_AT_ONCE", 1 << 30)
    assert memory_after(folder, text) == at_once


@pytest.mark.parametrize("name", TEXTS)
def test_iterations_at_once_leave_what_those_in_order_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(TEXTS[name], tmp_path, monkeypatch)


@pytest.mark.parametrize("seed", range(40))
def test_so_do_iterations_of_drawn_loops(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(random_text(seed), tmp_path, monkeypatch)
