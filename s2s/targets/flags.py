"""The compiler flags of emitted C, for build files, tests and `s2s verify`."""

from dataclasses import replace

from s2s.targets.target import Target

STANDARD = ("-std=c99",)
LEVEL = "-O3"
"""The level of a network whatever the project around it is compiled with: -Og takes 3.6 times as long, -O0 20 times."""
OPTIMISE = (LEVEL, "-fno-math-errno")
"""Nothing reads `errno` after a call of <math.h>; without it `sqrtf` is one instruction."""

WIDE = ("-mprefer-vector-width=512", "-fira-region=all", "-fno-predictive-commoning")
"""For vectors of 512 bits: gcc uses them, and allots registers loop by loop. Otherwise it keeps what only the loops
around need in registers, and the sums of the innermost one, which fill them, in memory. Nor does it carry what a step
of a loop loads to a later step, through memory as well where the sums leave no register: a load is as cheap."""

REGIONS = "-fira-region="
BY_LOOPS = f"{REGIONS}mixed"
"""Registers are allotted loop by loop with `-Os`, too, as they are with `-O3`. GCC would allot them for a function as a
whole, which saves up to 1 % of flash and keeps the sums of inner loops in memory."""


def target_for(target: Target, prefer: str | None) -> Target:
    """Return `target` with the flags that suit what is preferred: for size, registers of whole functions."""
    if prefer != "size" or BY_LOOPS not in target.cflags:
        return target
    return replace(target, cflags=tuple(flag for flag in target.cflags if flag != BY_LOOPS))


def compile_flags(target: Target) -> tuple[str, ...]:
    """Return the flags for `target`; the last ones are its own, which a build omits if a compiler refuses them."""
    return (*STANDARD, *OPTIMISE, *target.cflags)


def is_machine_flag(flag: str) -> bool:
    """Return whether a flag selects a processor or an ABI, which a project that has selected one overrides."""
    return flag.startswith(("-m", "-specs=", "--target="))
