"""The target of the machine that the compiler runs on, as its processor describes itself."""

import platform
from functools import cache
from pathlib import Path

from s2s.targets.caches import cache_bytes, line_bytes
from s2s.targets.flags import WIDE
from s2s.targets.intrinsic import Intrinsic
from s2s.targets.intrinsics import NEON_DOT, PLAIN_DOT, VNNI_INTRINSICS, X86_PAIRS, X86_WIDE
from s2s.targets.target import Target

MAX_L3_BYTES = 32 << 20
"""The part of the last cache that schedules count on: other cores, which cannot be seen from here, share it."""


@cache
def host() -> Target:
    """Return the target of this machine, with the vectors of its processor."""
    lanes, registers, flags = _vectors()
    return Target(
        name="host",
        description="this machine",
        lanes=lanes,
        registers=registers,
        align=64,
        cflags=("-march=native", *flags, "-ffp-contract=fast"),
        l1_bytes=cache_bytes(1, 32 << 10),
        l2_bytes=cache_bytes(2, 512 << 10),
        l3_bytes=min(cache_bytes(3, 0), MAX_L3_BYTES),
        line_bytes=line_bytes(),
        fma_ports=2,
        intrinsics=_byte_products(),
    )


def _vectors() -> tuple[int, int, tuple[str, ...]]:
    """Return float32 lanes, the number of vector registers, and flags that make the C compiler prefer that width."""
    features = _features()
    if "avx512f" in features:
        return 16, 32, WIDE
    if "avx2" in features and "fma" in features:
        return 8, 16, ()
    if platform.machine() in ("aarch64", "arm64"):
        return 4, 32, ()
    return 4, 16, ()


def _byte_products() -> tuple[Intrinsic, ...]:
    """Return how vectors multiply bytes."""
    if _features() & {"avx512_vnni", "avx_vnni"}:
        return VNNI_INTRINSICS
    machine = platform.machine()
    if machine in ("aarch64", "arm64"):
        return (NEON_DOT,)
    return (X86_WIDE, X86_PAIRS) if machine in ("x86_64", "AMD64") else (PLAIN_DOT,)


def _features() -> frozenset[str]:
    """Return the feature words of the processor, if the operating system states them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    return frozenset(line.partition(":")[2].split())
