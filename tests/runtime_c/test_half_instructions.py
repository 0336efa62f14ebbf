"""Conversions of halves are the machine's instructions where it has them, and not where they are turned off."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from support.c_compilers import WARNINGS, require, run
from support.project import ROOT

INCLUDE = ROOT / "runtime_c" / "include"
SOURCE = """
#include "s2s_half.h"

float widened(s2s_f16 h);
s2s_f16 narrowed(float x);
s2s_bf16 narrowed_bf16(float x);

float widened(s2s_f16 h) { return s2s_f16_to_f32(h); }
s2s_f16 narrowed(float x) { return s2s_f32_to_f16(x); }
s2s_bf16 narrowed_bf16(float x) { return s2s_f32_to_bf16(x); }
"""


class Machine(NamedTuple):
    """A compiler, what it is told, and the instructions expected."""

    compiler: str
    flags: str
    instructions: frozenset[str]


VCVTB = frozenset({"vcvtb.f32.f16", "vcvtb.f16.f32"})
FCVT = frozenset({"fcvt"})
F16C = frozenset({"vcvtph2ps", "vcvtps2ph"})
MACHINES = (
    Machine("gcc", "-march=x86-64", frozenset()),
    Machine("gcc", "-march=x86-64-v3", F16C),
    Machine("clang", "--target=x86_64-linux-gnu -march=x86-64-v3", F16C),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m3", frozenset()),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m4 -mfloat-abi=soft", frozenset()),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m4 -mfloat-abi=hard", VCVTB),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfp16-format=ieee", VCVTB),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfp16-format=alternative", frozenset()),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m7 -mfloat-abi=hard", VCVTB),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m33 -mfloat-abi=hard", VCVTB),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m55 -mfloat-abi=hard", VCVTB),
    Machine("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m55+nofp -mfloat-abi=soft", frozenset()),
    Machine("arm-none-eabi-gcc", "-mcpu=cortex-a9 -mfpu=neon -mfloat-abi=hard", frozenset()),
    Machine("arm-none-eabi-gcc", "-mcpu=cortex-a7 -mfpu=neon-vfpv4 -mfloat-abi=hard", VCVTB),
    Machine("aarch64-linux-gnu-gcc", "-march=armv8-a", FCVT),
    Machine("aarch64-linux-gnu-gcc", "-march=armv8.2-a+bf16", FCVT | {"bfcvt"}),
)


def compiled(machine: Machine, folder: Path, *more: str) -> str:
    """The assembly of the conversions."""
    (folder / "halves.c").write_text(SOURCE)
    flags = [*WARNINGS, "-O2", *machine.flags.split(), *more, f"-I{INCLUDE}"]
    run([require(machine.compiler), *flags, "-S", "halves.c", "-o", "halves.s"], folder)
    return (folder / "halves.s").read_text()


def conversions(text: str) -> set[str]:
    """The instructions that convert halves, and calls of functions."""
    return set(re.findall(r"^\s+(v?b?f?cvt(?:b\.\S+|ph2ps|ps2ph)?|call|\S*h2f\S*|\S*f2h\S*)\s", text, re.MULTILINE))


@pytest.mark.sample(6)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine.compiler} {machine.flags}")
def test_conversions_are_instructions(machine: Machine, tmp_path: Path) -> None:
    assert conversions(compiled(machine, tmp_path)) == machine.instructions


@pytest.mark.parametrize("machine", MACHINES[1::4], ids=lambda machine: f"{machine.compiler} {machine.flags}")
def test_instructions_can_be_turned_off(machine: Machine, tmp_path: Path) -> None:
    assert conversions(compiled(machine, tmp_path, "-DS2S_HALF_PORTABLE")) == set()
