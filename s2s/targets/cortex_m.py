"""Arm Cortex-M microcontrollers, as `arm-none-eabi-gcc` knows them."""

from s2s.targets.flags import BY_LOOPS
from s2s.targets.intrinsic import Intrinsic
from s2s.targets.intrinsics import (
    MVE_GROUP_BY_8,
    MVE_GROUP_BY_16,
    MVE_HALVES,
    MVE_I8_BY_8,
    MVE_I8_BY_16,
    MVE_I16_BY_8,
    MVE_WINDOW_BY_8,
    MVE_WINDOW_BY_16,
    SMLAD,
    SMLAD_HALVES,
    SMLAD_NEXT,
    SMLAD_PAIRS,
    SMLAD_POINTS,
    SMLAD_TAPS,
    SMLAD_TWO,
)
from s2s.targets.target import Target

IN_ORDER = "-fno-tree-ter"
"""Sums are made in the order of the source. GCC would put each chain of additions together, one sum after the other,
and then have no registers left for what all of them read."""
ALLOCATED_FIRST = "-fno-schedule-insns"
"""Instructions are scheduled only after registers are allocated. GCC would move the addresses of vector loads, each in
a register of its own, far ahead of them, and then spill."""
SOFT_FLOAT_REGISTERS = 8
"""Where floats live in general registers, a tile that fills more of them spills."""


def _core(
    name: str, description: str, *, fpu: bool, intrinsics: tuple[Intrinsic, ...] = (), integer_lanes: int = 0
) -> Target:
    """A core."""
    scheduling = (IN_ORDER, ALLOCATED_FIRST) if integer_lanes else (IN_ORDER, BY_LOOPS)
    floats = ("-mfloat-abi=hard", "-ffp-contract=fast") if fpu else ("-ffp-contract=off",)
    return Target(
        name=f"cortex-{name}",
        description=description,
        lanes=1,
        registers=32 if fpu else SOFT_FLOAT_REGISTERS,
        align=8,
        cflags=(f"-mcpu=cortex-{name}", "-mthumb", *floats, *scheduling, "-ffunction-sections", "-fdata-sections"),
        cc="arm-none-eabi-gcc",
        packages=("gcc-arm-none-eabi", "libnewlib-arm-none-eabi"),
        word_bits=32,
        intrinsics=intrinsics,
        integer_lanes=integer_lanes,
        fork_join=0,
        load_floats=2 if fpu and not integer_lanes else 1,
        io="arena",
    )


DSP = (SMLAD, SMLAD_PAIRS, SMLAD_POINTS, SMLAD_TAPS, SMLAD_NEXT, SMLAD_TWO, SMLAD_HALVES)
MVE = (
    MVE_I8_BY_16,
    MVE_I8_BY_8,
    MVE_I16_BY_8,
    MVE_WINDOW_BY_8,
    MVE_WINDOW_BY_16,
    MVE_GROUP_BY_8,
    MVE_GROUP_BY_16,
    SMLAD,
    MVE_HALVES,
    SMLAD_HALVES,
)

CORES = (
    _core("m0", "Cortex-M0: no wide products, no FPU", fpu=False),
    _core("m0plus", "Cortex-M0+: no wide products, no FPU", fpu=False),
    _core("m3", "Cortex-M3: no FPU", fpu=False),
    _core("m4", "Cortex-M4F: DSP extension, single-precision FPU", fpu=True, intrinsics=DSP),
    _core("m7", "Cortex-M7F: DSP extension, double-precision FPU", fpu=True, intrinsics=DSP),
    _core("m33", "Cortex-M33F: DSP extension, single-precision FPU", fpu=True, intrinsics=DSP),
    _core("m55", "Cortex-M55: vectors of 128 bits (Helium), FPU", fpu=True, intrinsics=MVE, integer_lanes=4),
)
