"""Portable C99: no vector types, no contraction of floating-point expressions."""

from s2s.targets.target import Target

PLAIN = Target(
    name="c",
    description="portable C99 for any compiler and processor",
    lanes=1,
    registers=16,
    align=8,
    word_bits=32,
    cflags=("-ffp-contract=off",),
)
