"""The forms that Arm cores get of functions of the runtime, by the tests that the portable ones pass."""

from dataclasses import replace
from pathlib import Path

import pytest

from s2s.verify.on_board import BoardProgram
from support.boards import board_or_skip
from support.project import ROOT

TESTS = ROOT / "tests" / "runtime_c"
MAIN = """
#include "board.h"
#define CHECK_H
#define CHECK(condition) do { if (!(condition)) { ++failures; } } while (0)
static uint32_t failures;
void test_dsp(void);
void test_half_machine(void);
void test_quantize(void);
void test_round(void);
#include <stddef.h>
#include "test_dsp.c"
#include "test_half_machine.c"
#include "test_quantize.c"
#include "test_round.c"

int main(void)
{
    board_open();
    test_dsp();
    test_half_machine();
    test_quantize();
    test_round();
    board_write(&failures, sizeof failures);
    return 0;
}
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["m3", "m4", "m33", "m55"])
def test_functions_give_the_same_on_the_core(name: str, tmp_path: Path) -> None:
    """An M33 has the instructions of an M55 but the vectors."""
    board = replace(board_or_skip("qemu:m55" if name == "m33" else f"qemu:{name}"), target=f"cortex-{name}")
    program = BoardProgram(board, tmp_path)
    include = ["tests/runtime_c", "runtime_c/include"]
    portable = program.compile(TESTS / "half_portable.c", "half_portable", include=include, root=ROOT)
    elf = program.link("functions", MAIN, [portable], include=include, root=ROOT)
    assert program.run(elf, b"") == bytes(4)
