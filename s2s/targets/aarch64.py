"""64-bit Arm, for code that runs on another machine."""

from dataclasses import replace

from s2s.targets.intrinsics import NEON_DOT, STRIP_DOT
from s2s.targets.target import Target

AARCH64 = Target(
    name="aarch64",
    description="64-bit Arm with NEON",
    lanes=4,
    registers=32,
    align=16,
    cflags=("-march=armv8-a", "-ffp-contract=fast"),
    cc="aarch64-linux-gnu-gcc",
    packages=("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"),
    l1_bytes=32 << 10,
    l2_bytes=512 << 10,
    line_bytes=64,
    fma_ports=2,
    intrinsics=(NEON_DOT,),
)
AARCH64_DOTPROD = replace(
    AARCH64,
    name="aarch64-dotprod",
    description="64-bit Arm with NEON and SDOT: Cortex-A55, A75, A76 and later",
    cflags=("-march=armv8.2-a+dotprod", *AARCH64.cflags[1:]),
)
AARCH64_SVE2 = replace(
    AARCH64,
    name="aarch64-sve2",
    description="64-bit Arm with vectors (SVE2) of any length: Cortex-A510, A710, X2, Neoverse N2, V2 and later",
    cflags=("-march=armv8.5-a+sve2", *AARCH64.cflags[1:]),
    scalable_bits=128,
    intrinsics=(STRIP_DOT, NEON_DOT),
)
A64 = AARCH64, AARCH64_DOTPROD, AARCH64_SVE2
