"""The model of cycles, held against counts by hand from the manuals of the cores."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from s2s.artifact import compile_artifact
from s2s.boards.cycles.cycles import Cycles
from s2s.boards.cycles.instruction import parse
from s2s.boards.parts import get_part
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.support.resources import part_files
from s2s.verify.board_check import BoardVerification
from s2s.verify.board_program import BoardProgram
from s2s.verify.counted_blocks import COUNTS, instructions_of, why_uncounted, windows
from support.boards import board_or_skip
from support.trees import DIGITS

MAIN = """#include "board.h"

volatile uint32_t words[8] __attribute__((aligned(32)));

__attribute__((naked, noinline, aligned(4))) static int nothing(void)
{
    __asm__ volatile(".syntax unified\\n bx lr");
}

__attribute__((naked, noinline, aligned(4))) static int code(void)
{
    __asm__ volatile(".syntax unified\\n%s\\n bx lr\\n .align 2\\n9: .word words");
}

int main(void)
{
    board_open();
    (void)board_count(nothing);
    (void)board_count(code);
    return 0;
}
"""
LOOP = "movs r0, #10\n nop\n1: {}\n subs r0, #1\n bne 1b"

M4: Mapping[str, tuple[str, int]] = {
    "data processing takes a cycle": ("movs r0, #1\n adds r0, #2\n eors r0, r0\n nop", 4),
    # 2 for MOVS and NOP, ten times SUBS and BNE, and a refill of 1 for nine branches that are taken
    "a loop refills the pipeline where it goes on": (LOOP.format("nop"), 2 + 10 * 3 + 9),
    # as before with an instruction of 32 bits at the target, on a word
    "a wide target on a word costs nothing": (LOOP.format("add.w r1, r1, #1"), 2 + 10 * 3 + 9),
    "a wide target across words refills longer": (
        "movs r0, #10\n1: add.w r1, r1, #1\n subs r0, #1\n bne 1b",
        1 + 10 * 3 + 9 * 2,
    ),
    "loads are pipelined behind loads": (
        "ldr r3, 9f\n nop\n ldr r0, [r3]\n ldr r1, [r3, #4]\n ldr r2, [r3, #8]",
        2 + 1 + 4,
    ),
    "a load that needs the one before is not": ("ldr r3, 9f\n ldr r0, [r3]", 2 + 2),
    "a store behind a load takes one": ("ldr r3, 9f\n nop\n ldr r0, [r3]\n str r0, [r3, #4]", 2 + 1 + 2 + 1),
    "a store with a register takes two": ("ldr r3, 9f\n movs r1, #4\n nop\n str r0, [r3, r1]", 2 + 1 + 1 + 2),
    "an address that was just computed stalls": ("ldr r3, 9f\n nop\n adds r3, #4\n ldr r0, [r3]", 2 + 1 + 1 + 3),
    "lists take a cycle more than registers": ("push {r4-r6}\n pop {r4-r6}", 4 + 4),
    "multiplications take one": ("movs r0, #3\n mul r1, r0, r0\n smull r1, r2, r0, r0\n smlad r1, r0, r0, r1", 4),
    "a division takes twelve at most": ("movs r0, #3\n movs r1, #2\n udiv r2, r0, r1", 2 + 12),
    "if-then takes one, passed over or not": ("movs r0, #0\n cmp r0, #1\n ite eq\n moveq r1, #1\n movne r1, #2", 5),
    "floats add in one, and are there one later": (
        "vmov s0, r0\n vmov s1, r0\n vadd.f32 s2, s0, s1\n vadd.f32 s3, s0, s1\n vmul.f32 s4, s3, s3",
        2 + 1 + 1 + 1 + 1,
    ),
    "floats multiply and add in three": (
        "vmov s0, r0\n nop\n vmla.f32 s2, s0, s0\n nop\n vdiv.f32 s3, s0, s0",
        1 + 1 + 3 + 1 + 14,
    ),
    # BL 1 and a refill of 1, BX 1 and one of 2
    "calls refill twice": (
        "mov r3, lr\n bl 2f\n mov lr, r3\n b 3f\n .align 2\n2: bx lr\n .align 2\n3: nop",
        1 + 2 + 3 + 1 + 2 + 1,
    ),
}
M3 = {
    "M3: multiply and add takes two": ("movs r0, #3\n mla r1, r0, r0, r0", 1 + 2),
    "M3: a long product takes five at most": ("movs r0, #3\n smull r1, r2, r0, r0", 1 + 5),
}
M0 = {
    "M0: a branch takes three": ("movs r0, #10\n1: subs r0, #1\n bne 1b", 1 + 10 + 9 * 3 + 1),
    "M0: loads take two, and no less behind others": ("ldr r3, 9f\n ldr r0, [r3]\n ldr r1, [r3]\n str r1, [r3]", 8),
    "M0: a call takes four": (
        "mov r3, lr\n bl 2f\n mov lr, r3\n b 3f\n .align 2\n2: bx lr\n3: nop",
        1 + 4 + 3 + 1 + 3 + 1,
    ),
    "M0: lists": ("push {r4-r6}\n pop {r4-r6}", 8),
}
CASES = [
    *(("m4", code, cycles) for code, cycles in M4.values()),
    *(("m3", code, cycles) for code, cycles in M3.values()),
    *(("m0", code, cycles) for code, cycles in M0.values()),
]


@pytest.mark.parametrize(("board", "code", "cycles"), CASES, ids=[*M4, *M3, *M0])
def test_cycles_are_those_of_the_manual(board: str, code: str, cycles: int, tmp_path: Path) -> None:
    program = BoardProgram(board_or_skip(f"qemu:{board}"), tmp_path)
    elf = program.link("case", MAIN % code.replace("\n", "\\n"))
    _, windows = program.run_priced(elf, b"")
    empty, full = (window.cycles for window in windows)
    assert (full - empty).count == cycles
    assert full.least <= full.count <= full.most


@pytest.fixture(scope="module")
def digits() -> BoardVerification:
    board_or_skip("qemu:m4")
    return compile_artifact(DIGITS, CompileOptions(target="cortex-m4")).verify_on("qemu:m4", part="stm32l4r5")


def test_kernels_and_the_calls_between_them_take_all_cycles(digits: BoardVerification) -> None:
    layers = digits.run.layers
    spent = [layer.cycles for layer in layers if layer.cycles is not None]
    assert digits.cycles is not None
    assert all(cycles.count >= layer.instructions for cycles, layer in zip(spent, layers, strict=True))
    between = digits.cycles - sum(spent, Cycles())
    calls = max(digits.run.instructions) - sum(layer.instructions for layer in layers)
    assert calls <= between.count <= 4 * calls


def test_the_plugin_counts_the_instructions_that_the_timer_counts(tmp_path: Path) -> None:
    program = BoardProgram(board_or_skip("qemu:m4"), tmp_path)
    long = ("adds r1, #1\n" * 3000 + LOOP.format("add.w r1, r1, #1\n" * 300)).replace("\n", "\\n")
    elf = program.link("long", MAIN % long.replace("bne 1b", "beq 2f\\n b 1b\\n2: nop"))
    output, _ = program.run_priced(elf, b"")
    counted = [record.instructions for record in program.records(output)]
    sizes = {each.address: each.behind for each in instructions_of(elf, program.compiler)}

    def count(first: int, behind: int) -> int:
        number = 0
        while first < behind:
            first, number = sizes[first], number + 1
        return number

    blocks = windows((tmp_path / COUNTS).read_text().splitlines())
    totals = [sum(count(each.first, each.behind) * each.runs for each in window) for window in blocks]
    assert [b - a for a, b in pairwise(totals)] == [b - a for a, b in pairwise(counted)]


def test_a_part_makes_time_and_energy_of_cycles(digits: BoardVerification) -> None:
    assert digits.cycles is not None
    figures, cycles = digits.figures(), digits.cycles.count
    assert (figures["milliseconds"], figures["clock_megahertz"]) == (round(cycles / 120_000, 3), 120)
    assert figures["microjoules"] == [round(cycles * pj / 1e6, 1) for pj in (275, 282)]


def test_options_of_time_want_a_board_of_their_core(capsys: pytest.CaptureFixture[str]) -> None:
    board_or_skip("qemu:m3")
    for options, fault in (
        (["--clock", "168MHz"], "--clock 168MHz: is for cycles on an emulated board; add --on qemu:m4 or another"),
        (["--on", "qemu:m3", "--part", "stm32l4r5"], "--part stm32l4r5: is a cortex-m4, and qemu:m3 a cortex-m3"),
        (["--on", "qemu:m3", "--part", "z80"], "--part z80: there is no such part; give one of stm32h7a3"),
        (["--on", "qemu:m3", "--clock", "fast"], "'fast' is no clock; give one, as 168MHz."),
    ):
        assert run(["verify", str(DIGITS), *options]) == 2
        assert fault in capsys.readouterr().err


def test_wait_states_without_a_cache_take_longer(tmp_path: Path) -> None:
    program = BoardProgram(board_or_skip("qemu:m4"), tmp_path)
    elf = program.link("case", MAIN % LOOP.format("nop").replace("\n", "\\n"))
    slow = tmp_path / "slow.toml"
    slow.write_text('name = "slow"\ncore = "cortex-m4"\nmegahertz = 48\nwait_states = 3\n')
    _, (empty, waiting) = program.run_priced(elf, b"", get_part(str(slow)))
    _, (base, plain) = program.run_priced(elf, b"")
    # nine branches back wait for the line of the loop; the code before and behind it is in few more lines
    more = (waiting.cycles - empty.cycles) - (plain.cycles - base.cycles)
    assert 27 <= more.count <= 27 + 3 * 3


@pytest.mark.parametrize("board", ["m7", "m33", "m55", "riscv32"])
def test_a_core_without_published_cycles_has_no_model(board: str) -> None:
    assert why_uncounted(board_or_skip(f"qemu:{board}")).startswith("no cycle model for ")


@pytest.mark.parametrize("name", part_files())
def test_parts_are_of_known_cores(name: str) -> None:
    part = get_part(name)
    assert (part.name, bool(part.source)) == (name, True)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('core = "cortex-m4"\nmegahertz = 1\n', "there is no key name; add it"),
        ('name = "a"\ncore = "cortex-m4"\nmegahertz = "fast"\n', "megahertz is 'fast', which is no float; give one"),
        ('name = "a"\ncore = "cortex-m4"\nmegahertz = 1\nwaits = 3\n', "there is no key waits"),
        ('name = "a"\ncore = "cortex-m4"\nmegahertz = 1\nwait_states = -3\n', "give a number that is not negative"),
        ('name = "a"\ncore = "cortex-m4"\nmegahertz = 0\n', "megahertz and fetch_bytes are positive"),
        ("name = ", "cannot be read"),
    ],
)
def test_a_faulty_part_is_refused(text: str, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "part.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=fault):
        get_part(str(file))


def test_operands_are_parsed() -> None:
    lines = (
        "   e:\tf852 3f04 \tldr.w\tr3, [r2, #4]!\n"
        "  10:\te8bd 80f0 \tldmia.w\tsp!, {r4-r7, pc}\n"
        "  14:\t9249 \t.short\t0x9249"
    )
    load, many = parse(lines)
    assert (load.size, load.destination, load.address_registers) == (4, "r3", {"r2"})
    assert (many.listed, many.writes_pc, many.behind) == (5, True, 0x14)
