"""The counter and the painted stack of every board, held against code of known length and depth."""

from pathlib import Path

import pytest

from s2s.boards import BOARDS
from s2s.errors import InputError
from s2s.verify.on_board import BoardProgram
from support.boards import board_or_skip

TIMES = (1, 10, 1000, 1_000_000, 30_000_000)
DEPTH = 64

ARM = """
__attribute__((naked, noinline)) static int loop(void)
{
    __asm__ volatile("movw r0, #:lower16:%c0\\n movt r0, #:upper16:%c0\\n ldr r0, [r0]\\n"
                     "1: subs r0, #1\\n bne 1b\\n bx lr" ::"i"(&times));
}

__attribute__((naked, noinline)) static int deep(void)
{
    __asm__ volatile("sub sp, #64\\n str r0, [sp]\\n add sp, #64\\n bx lr");
}
"""
ARMV6 = ARM.replace(
    '"movw r0, #:lower16:%c0\\n movt r0, #:upper16:%c0\\n ldr r0, [r0]\\n"', '"ldr r0, 2f\\n ldr r0, [r0]\\n nop\\n"'
).replace('"1: subs r0, #1\\n bne 1b\\n bx lr"', '"1: sub r0, #1\\n bne 1b\\n bx lr\\n .align 2\\n2: .word %c0"')
"""The same for a core that cannot load halves of an address: as many instructions."""
RISCV = """
__attribute__((naked, noinline)) static int loop(void)
{
    __asm__ volatile(".option push\\n .option norelax\\n lla a5, times\\n lw a5, 0(a5)\\n"
                     "1: addi a5, a5, -1\\n bnez a5, 1b\\n ret\\n .option pop" ::"i"(&times));
}

__attribute__((naked, noinline)) static int deep(void)
{
    __asm__ volatile("addi sp, sp, -64\\n sw a0, 0(sp)\\n addi sp, sp, 64\\n ret");
}
"""
AARCH64 = """
int loop(void);
int deep(void);

__asm__(".text\\n .balign 4\\n .global loop\\n .global deep\\n"
        "loop: nop\\n adrp x0, times\\n ldr w0, [x0, :lo12:times]\\n 1: subs w0, w0, #1\\n b.ne 1b\\n ret\\n"
        "deep: sub sp, sp, #64\\n str wzr, [sp]\\n add sp, sp, #64\\n ret");
"""
"""The same in 64 bits, whose compiler writes no naked functions."""
LOOPS = {"riscv.c": RISCV, "aarch64.c": AARCH64}
MAIN = """
__attribute__((noinline)) static int nothing(void) { __asm__ volatile(""); return 0; }

int main(void)
{
    board_open();
    board_count(nothing);
    for (int i = 0; i < %d; i++) {
        board_read(&times, 4);
        board_count(loop);
    }
    board_depth(deep);
    return 0;
}
"""


@pytest.mark.parametrize("name", [board.name for board in BOARDS])
def test_counts_instructions_and_stack(name: str, tmp_path: Path):
    board = board_or_skip(f"qemu:{name}")
    loops = LOOPS.get(board.startup, ARMV6 if board.target == "cortex-m0" else ARM)
    text = '#include "board.h"\nuint32_t times;\n' + loops + MAIN % len(TIMES)
    program = BoardProgram(board, tmp_path)
    found = program.records(program.run(program.link("self", text), b"".join(n.to_bytes(4, "little") for n in TIMES)))
    idle, *counts, depth = found
    instructions = [record.instructions - idle.instructions + 1 for record in counts]
    assert [count - (2 * n + 4) for n, count in zip(TIMES, instructions, strict=True)] == pytest.approx([0] * 5, abs=1)
    assert depth.stack == DEPTH


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ("const volatile unsigned char array[300000] = {1}", r"bytes more of flash than there is \(.*\); give another"),
        ("volatile unsigned char array[60000]", r"more of RAM than there is \(.*\); give --ram-budget min, or another"),
        ("volatile unsigned char array[90000]", r"bytes more of RAM than there is \(.*\); give --ram-budget min, or"),
    ],
)
def test_a_program_that_is_too_large_is_one_error(array: str, message: str, tmp_path: Path):
    program = BoardProgram(board_or_skip("qemu:m0"), tmp_path)
    with pytest.raises(InputError, match=message):
        program.link("large", f'#include "board.h"\n{array};\nint main(void) {{ return array[1]; }}\n')
