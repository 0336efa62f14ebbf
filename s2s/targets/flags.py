"""How emitted C is compiled: the flags that build files state, tests use and `s2s verify` builds with, in one place."""

from s2s.targets.target import Target

STANDARD = ("-std=c99",)
OPTIMISE = ("-O3",)
WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wvla",
    "-Wdouble-promotion",
    "-pedantic",
)
"""What every emitted file is clean of, with gcc and clang."""


def compile_flags(target: Target) -> tuple[str, ...]:
    """The flags for `target`; the last of them are its own, of which a build leaves out those a compiler refuses."""
    return (*STANDARD, *OPTIMISE, *target.cflags)
