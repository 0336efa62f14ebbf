"""The longest path of micro-programs: whatever the data in memory were when a run was counted, the bound is the same,
and no run exceeds it."""

from pathlib import Path

import pytest

from s2s.boards.cycles.cycles import Cycles
from s2s.boards.paths.longest import Longest, Proof
from s2s.verify.board_program import BoardProgram
from support.boards import board_or_skip

MAIN = """#include "board.h"

volatile uint32_t words[8] __attribute__((aligned(32))) = {%d, 5, 0};

__attribute__((naked, noinline, aligned(4))) static int code(void)
{
    __asm__ volatile(".syntax unified\\n ldr r3, 9f\\n %s\\n bx lr\\n .align 2\\n9: .word words");
}

int main(void)
{
    board_open();
    (void)board_count(code);
    return 0;
}
"""
SAME = {
    "a choice without a branch": "ldr r0, [r3]\n cmp r0, #3\n it gt\n movgt r0, #3",
    "a loop over a counter": "movs r2, #5\n 1: ldr r0, [r3]\n subs r2, #1\n bne 1b",
    "a counter in a word of the stack": (
        "sub sp, #8\n movs r2, #5\n ldr r0, [r3]\n str r0, [sp, #4]\n 1: str r2, [sp]\n ldr r1, [sp]\n"
        " subs r2, r1, #1\n bne 1b\n add sp, #8"
    ),
}
BRANCHES = {
    "a side of three instructions": "ldr r0, [r3]\n cmp r0, #3\n bgt 1f\n nop\n nop\n nop\n 1: nop",
    "two sides": "ldrb r0, [r3]\n cbz r0, 1f\n nop\n b 2f\n 1: nop\n nop\n nop\n 2: nop",
    "a side in a loop": (
        "movs r2, #5\n 1: ldr r0, [r3]\n cmp r0, #3\n bgt 2f\n nop\n nop\n nop\n 2: subs r2, #1\n bne 1b"
    ),
    "a side in a side": (
        "ldr r0, [r3]\n cmp r0, #3\n bgt 2f\n nop\n cmp r0, #1\n bgt 2f\n nop\n nop\n nop\n nop\n 2: nop"
    ),
    "data in a word of the stack": (
        "sub sp, #8\n ldr r0, [r3]\n str r0, [sp, #4]\n movs r0, #0\n ldr r1, [sp, #4]\n lsls r1, #3\n cmp r1, r0\n"
        " bne 1f\n nop\n nop\n nop\n 1: add sp, #8"
    ),
    "a return": "ldr r0, [r3]\n cmp r0, #3\n it gt\n bxgt lr\n nop\n nop\n nop",
}
VALUES = (0, 2, 7)


def run(code: str, value: int, folder: Path, proof: Proof) -> tuple[Cycles, Longest]:
    program = BoardProgram(board_or_skip("qemu:m4"), folder)
    elf = program.link("case", MAIN % (value, code.replace("\n", "\\n")))
    _, [window] = program.run_priced(elf, b"", proof=proof)
    assert window.longest is not None
    return window.cycles, window.longest


@pytest.mark.parametrize("code", SAME.values(), ids=SAME)
def test_the_path_of_one_run_is_the_path_of_all(code: str, tmp_path: Path) -> None:
    cycles, longest = run(code, 7, tmp_path, Proof(frozenset(["code"])))
    assert longest == Longest(cycles.most)


@pytest.mark.parametrize("code", BRANCHES.values(), ids=BRANCHES)
def test_the_longer_side_of_a_branch_on_data_counts(code: str, tmp_path: Path) -> None:
    runs = [run(code, value, tmp_path, Proof(frozenset(["code"]))) for value in VALUES]
    [longest] = {longest for _, longest in runs}
    most = max(cycles.most for cycles, _ in runs)
    assert longest.cycles is not None
    assert longest.bounded == ("code",)
    assert most <= longest.cycles <= most + 16  # a refill for each branch that is not taken there


SEARCH = "1: ldr r0, [r3], #4\n cmp r0, #0\n bne 1b"


def test_a_loop_that_data_end_has_no_bound(tmp_path: Path) -> None:
    _, longest = run(SEARCH, 7, tmp_path, Proof(frozenset(["code"]), frozenset(["code"])))
    assert longest == Longest(None, ("code",), ("code repeats as data say, nobody knows how often",))


def test_a_loop_that_data_end_turns_as_often_as_is_stated_at_most(tmp_path: Path) -> None:
    proof = Proof(frozenset(["code"]), frozenset(["code"]), {"code": 3})
    (short, longest), (long, other) = (run(SEARCH, value, tmp_path, proof) for value in (0, 7))
    assert longest == other
    assert longest.cycles is not None
    assert short.most < long.most <= longest.cycles
