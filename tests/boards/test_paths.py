"""The longest path of micro-programs: whatever the data in memory were when a run was counted, the bound is the same,
and no run exceeds it."""

import itertools
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
LOOPS = {
    "sides that both close the loop": (
        "movs r2, #5\n 1: ldr r0, [r3]\n cmp r0, #3\n bgt 2f\n nop\n nop\n subs r2, #1\n bne 1b\n b 3f\n"
        " 2: subs r2, #1\n bne 1b\n 3: nop"
    ),
    "a loop with two entries, and a side in it": (
        "movs r2, #4\n lsls r1, r2, #31\n beq 2f\n 1: nop\n 2: ldr r0, [r3]\n cmp r0, #3\n ble 4f\n nop\n nop\n nop\n"
        " 4: subs r2, #1\n bne 1b"
    ),
    "a table of bytes": (
        "ldr r0, [r3]\n cmp r0, #2\n bhi 3f\n tbb [pc, r0]\n 9: .byte (1f-9b)/2, (2f-9b)/2, (3f-9b)/2, 0\n"
        " 1: nop\n nop\n nop\n nop\n b 3f\n 2: nop\n 3: nop"
    ),
    "a table of halfwords": (
        "ldr r0, [r3]\n cmp r0, #2\n bhi 3f\n tbh [pc, r0, lsl #1]\n 9: .short (1f-9b)/2, (2f-9b)/2, (3f-9b)/2\n"
        " 1: nop\n nop\n nop\n nop\n b 3f\n 2: nop\n 3: nop"
    ),
}
VALUES = (0, 2, 7)
LITERALS = ("ldr r3, 9f", "9: .word words")


def run(code: str, value: int, folder: Path, proof: Proof, board: str = "m4") -> tuple[Cycles, Longest]:
    program = BoardProgram(board_or_skip(f"qemu:{board}"), folder)
    text = MAIN
    for line in LITERALS:
        text = text.replace(line, line.replace("9", "99"))
    elf = program.link("case", text % (value, code.replace("\n", "\\n")))
    _, [window] = program.run_priced(elf, b"", proof=proof)
    assert window.longest is not None
    return window.cycles, window.longest


@pytest.mark.parametrize("code", SAME.values(), ids=SAME)
def test_the_path_of_one_run_is_the_path_of_all(code: str, tmp_path: Path) -> None:
    cycles, longest = run(code, 7, tmp_path, Proof(frozenset(["code"])))
    assert longest == Longest(cycles.most)


@pytest.mark.parametrize("code", [*BRANCHES.values(), *LOOPS.values()], ids=[*BRANCHES, *LOOPS])
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


LIBRARY = """#include "board.h"

volatile uint32_t words[8] = {%d, %d, 3};

__attribute__((noinline)) static int code(void)
{
    %s;
    return 0;
}

int main(void)
{
    board_open();
    (void)board_count(code);
    return 0;
}
"""
CALLS = {
    "a quotient": "words[2] = words[0] / words[1]",
    "a signed quotient": "words[2] = (uint32_t)((int32_t)words[0] / (int32_t)words[1])",
    "a remainder": "words[2] = words[0] % words[1]".replace("%", "%%"),
    "a product of 64 bits": "words[2] = (uint32_t)((uint64_t)words[0] * words[1] >> 20)",
    "leading zeros": "words[2] = (uint32_t)__builtin_clz(words[0] | 1u)",
    "a product of floats": "words[2] = (uint32_t)((float)words[0] * (float)(words[1] | 1u) / 65536.f)",
    "a quotient of floats": "words[2] = (uint32_t)((float)words[0] / (float)(words[1] | 1u))",
    "a sum of floats": "words[2] = (uint32_t)((float)words[0] + (float)words[1])",
}
OPERANDS = (
    (0, 1),
    (7, 3),
    (0xFFFFFFFF, 1),
    (0xFFFFFFFF, 0xFFFFFFFF),
    (1 << 31, 1 << 16),
    (12345678, 1001),
    (1, 1 << 31),
)


CASES = [*itertools.product(CALLS, ("m0", "m3"))]


@pytest.mark.parametrize(("name", "board"), CASES, ids=[" ".join(case) for case in CASES])
def test_functions_of_the_library_have_bounds_of_their_own(name: str, board: str, tmp_path: Path) -> None:
    statement = CALLS[name]
    program = BoardProgram(board_or_skip(f"qemu:{board}"), tmp_path)
    runs: list[tuple[Cycles, Longest]] = []
    for left, right in OPERANDS:
        elf = program.link("case", LIBRARY % (left, right, statement.replace("%%", "%")))
        _, [window] = program.run_priced(elf, b"", proof=Proof(frozenset(["code"])))
        assert window.longest is not None
        runs.append((window.cycles, window.longest))
    [greatest] = {longest.cycles for _, longest in runs}
    assert greatest is not None
    assert max(cycles.most for cycles, _ in runs) <= greatest <= 5 * max(cycles.most for cycles, _ in runs)


TOO_LONG = """__attribute__((noinline)) static uint32_t helper(uint32_t x)
{
    for (uint32_t i = 0; i != 100000u; i++) {
        x = (x & 1u) != 0u ? x * 3u : words[1] >> 1;
    }
    return x;
}

__attribute__((noinline)) static int code"""


def test_ways_that_are_too_many_have_no_bound(tmp_path: Path) -> None:
    program = BoardProgram(board_or_skip("qemu:m0"), tmp_path)
    source = LIBRARY.replace("__attribute__((noinline)) static int code", TOO_LONG)
    elf = program.link("case", source % (7, 3, "words[2] = helper(words[0])"))
    _, [window] = program.run_priced(elf, b"", proof=Proof(frozenset(["code"])))
    assert window.longest is not None
    assert window.longest.reasons == ("helper has more ways than are followed",)


SWITCH = """#include "board.h"

volatile int words[4] = {%d, 5, 3};

__attribute__((noinline)) static int code(void)
{
    int a = words[1], b = words[2];

    switch (words[0]) {
    case 0: words[3] = a * b; break;
    case 1: words[3] = a + b + 7; break;
    case 2: words[3] = a - b * 3; break;
    case 3: words[3] = a * a - b; break;
    case 4: words[3] = a ^ (b << 3); break;
    case 5: words[3] = (a | b) * 9 - a * a * b + (b ^ a); break;
    case 6: words[3] = a & b; break;
    default: break;
    }
    return 0;
}

int main(void)
{
    board_open();
    (void)board_count(code);
    return 0;
}
"""


@pytest.mark.parametrize("optimise", ["O2", "Os"])
@pytest.mark.parametrize("board", ["m0", "m3", "m4"])
def test_tables_of_the_c_compiler_are_read(board: str, optimise: str, tmp_path: Path) -> None:
    program = BoardProgram(board_or_skip(f"qemu:{board}"), tmp_path, optimise=optimise)
    runs: list[tuple[Cycles, Longest]] = []
    for value in range(8):
        elf = program.link("case", SWITCH % value)
        _, [window] = program.run_priced(elf, b"", proof=Proof(frozenset(["code"])))
        assert window.longest is not None
        runs.append((window.cycles, window.longest))
    [greatest] = {longest.cycles for _, longest in runs}
    most = max(cycles.most for cycles, _ in runs)
    assert greatest is not None
    assert most <= greatest <= most + 24
