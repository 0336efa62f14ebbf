"""How emitted C is compiled: the flags that build files state, tests use and `s2s verify` builds with, in one place."""

from s2s.targets.target import Target

STANDARD = ("-std=c99",)
OPTIMISE = ("-O3", "-fno-math-errno")
"""Nothing reads `errno` after a call of <math.h>; without it `sqrtf` is one instruction."""

WIDE = ("-mprefer-vector-width=512", "-fira-region=all", "-fno-predictive-commoning")
"""For vectors of 512 bits: gcc uses them, and allots registers loop by loop. Otherwise it keeps what only the loops
around need in registers, and the sums of the innermost one, which fill them, in memory. Nor does it carry what a step
of a loop loads to a later step, through memory as well where the sums leave no register: a load is as cheap."""


def compile_flags(target: Target) -> tuple[str, ...]:
    """The flags for `target`; the last of them are its own, of which a build leaves out those a compiler refuses."""
    return (*STANDARD, *OPTIMISE, *target.cflags)


def is_machine_flag(flag: str) -> bool:
    """Whether a flag chooses a processor, an ABI or what goes with it; a project that has chosen knows better."""
    return flag.startswith(("-m", "-specs="))
