"""Strips on RISC-V and 64-bit Arm: one program, whose functions give what scalar code gives, at every length."""

from pathlib import Path

import pytest

from s2s.verify.board_program import BoardProgram
from support.boards import board_or_skip
from support.project import ROOT

HERE = Path(__file__).parent
CHECK = """#ifndef CHECK_H
#define CHECK_H
extern int check_failures;
#define CHECK(condition) (void)((condition) ? 0 : ++check_failures)
void test_strips(void);
#endif
"""
MAIN = """#include "board.h"
#include "check.h"
int check_failures = 0;
int main(void)
{
    test_strips();
    return check_failures > 0;
}
"""
LENGTHS = {
    "riscv32v": ("", "256", "512", "1024"),
    "riscv64v": ("", "256", "512", "1024"),
    "aarch64sve": ("", "256", "512"),
}


@pytest.mark.parametrize("flags", [(), ("-DS2S_STRIPS_PORTABLE",)], ids=["instructions", "portable"])
@pytest.mark.parametrize("machine", LENGTHS)
def test_one_program_is_right_at_every_length(machine: str, flags: tuple[str, ...], tmp_path: Path):
    boards = [board_or_skip(f"qemu:{machine}{length}") for length in LENGTHS[machine]]
    program = BoardProgram(boards[0], tmp_path, flags=(f"-I{ROOT / 'runtime_c' / 'include'}", *flags))
    program.write("check.h", CHECK)
    tests = program.write("strips.c", (HERE / "test_strips.c").read_text())
    linked = program.link("main", MAIN, [program.compile(tests, "strips")])
    for board in boards:
        program.board = board
        program.run(linked, b"")


def test_a_failure_would_be_seen(tmp_path: Path):
    board = board_or_skip("qemu:riscv32v")
    program = BoardProgram(board, tmp_path)
    linked = program.link("main", '#include "board.h"\nint main(void)\n{\n    return 1;\n}\n')
    with pytest.raises(Exception, match="failed with exit code 1"):
        program.run(linked, b"")
