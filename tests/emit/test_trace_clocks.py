"""The clock of `s2s_trace.h` counts on each core that has one: under QEMU, or with stand-ins for its registers."""

import subprocess
from pathlib import Path

import pytest

from support.c_compilers import WARNINGS, require

HEADERS = Path(__file__).parents[2] / "runtime_c" / "include"
COUNTING = """
#include "s2s_trace.h"
#ifndef S2S_TRACE_HAS_CLOCK
#error no clock
#endif
static volatile uint32_t turns;
static uint32_t taken(uint32_t count)
{
    const uint32_t before = s2s_trace_clock();
    for (turns = 0u; turns < count; turns += 1u) {
    }
    return s2s_trace_clock() - before;
}
static int check(void)
{
    s2s_trace_start();
    const uint32_t few = taken(100u), many = taken(10000u);
    return few > 0u && many > 50u * few && many < 200u * few ? 0 : 1;
}
"""
AARCH64 = """
__attribute__((naked, noreturn)) void _start(void)
{
    __asm__("ldr x0, =0x40100000\\n\\tmov sp, x0\\n\\tbl run\\n\\tb .");
}
void run(void)
{
    static uint64_t block[2];
    block[0] = 0x20026u;  /* ADP_Stopped_ApplicationExit, with the status */
    block[1] = (uint64_t)check();
    register uint64_t number __asm__("x0") = 0x18u;
    register uint64_t *at __asm__("x1") = block;
    __asm__ volatile("hlt #0xf000" : : "r"(number), "r"(at) : "memory");
}
"""
CORTEX_A = """
__attribute__((naked, noreturn)) void _start(void)
{
    __asm__("ldr r0, =0x40100000\\n\\tmov sp, r0\\n\\tbl run\\n\\tb .");
}
void run(void)
{
    static uint32_t block[2];
    block[0] = 0x20026u;
    block[1] = (uint32_t)check();
    register uint32_t number __asm__("r0") = 0x20u;  /* SYS_EXIT_EXTENDED */
    register uint32_t *at __asm__("r1") = block;
    __asm__ volatile("svc #0x123456" : : "r"(number), "r"(at) : "memory");
}
"""
REGISTERS = """
#include <stdint.h>
static uint32_t control, enabled, debug, counter;
static volatile uint32_t *at(uint32_t address)
{
    switch (address) {
    case 0xE000EDFCu: return &debug;
    case 0xE0003C00u: case 0xE0001000u: return &enabled;
    case 0xE0003E04u: return &control;
    case 0xE000307Cu: case 0xE0001004u: return &counter;
    default: __builtin_trap();
    }
}
#define S2S_TRACE_REGISTER(address) at(address)
"""
M_PROFILE = """
#include "s2s_trace.h"
int main(void)
{
    s2s_trace_start();
    counter = 77u;
    return s2s_trace_clock() == 77u && debug == 1u << 24 && enabled == ENABLED && control == CONTROL ? 0 : 1;
}
"""
BARE = ("-std=gnu99", "-O1", "-ffreestanding", "-nostdlib", "-static", f"-I{HEADERS}")


@pytest.mark.parametrize(
    ("compiler", "options", "start", "emulator"),
    [
        ("aarch64-linux-gnu-gcc", ("-U__linux__", "-no-pie"), AARCH64, ("qemu-system-aarch64", "cortex-a53")),
        ("arm-none-eabi-gcc", ("-march=armv7-a", "-marm"), CORTEX_A, ("qemu-system-arm", "cortex-a15")),
    ],
    ids=["aarch64", "armv7-a"],
)
def test_a_pmu_of_the_a_profile_counts_under_qemu(
    compiler: str, options: tuple[str, ...], start: str, emulator: tuple[str, str], tmp_path: Path
):
    """A hundred times the turns of a loop take about a hundred times the cycles."""
    (tmp_path / "clock.c").write_text(COUNTING + start)
    program = tmp_path / "clock.elf"
    command = [require(compiler), *BARE, *options, "-Wl,-Ttext=0x40000000", "clock.c", "-o", program]
    subprocess.run(command, cwd=tmp_path, check=True)
    machine = [require(emulator[0]), "-M", "virt", "-cpu", emulator[1], "-icount", "shift=0"]
    machine += ["-display", "none", "-nic", "none"]
    machine += ["-semihosting-config", "enable=on,target=native", "-kernel", str(program)]
    assert subprocess.run(machine, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    ("architecture", "enabled", "control"),
    [("__ARM_ARCH_8_1M_MAIN__", "1u << 31", "5u"), ("__ARM_ARCH_7EM__", "1u", "0u")],
    ids=["pmu", "dwt"],
)
def test_counters_of_the_m_profile_are_started_and_read(architecture: str, enabled: str, control: str, tmp_path: Path):
    """QEMU has neither the DWT's counter nor the PMU of a Cortex-M55: variables stand in for their registers."""
    (tmp_path / "clock.c").write_text(REGISTERS + M_PROFILE)
    defined = [f"-D{architecture}=1", f"-DENABLED=({enabled})", f"-DCONTROL=({control})"]
    command = [require("gcc"), "-std=c99", *WARNINGS, *defined, f"-I{HEADERS}", "clock.c", "-o", "clock"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "clock"], check=False).returncode == 0
