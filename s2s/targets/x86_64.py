"""x86-64 by microarchitecture level (the psABI's x86-64-v2, -v3, -v4), for code that runs on another machine; the
levels with vectors of 256 and 512 bits also with VPDPBUSD, which desktops and servers have beside them."""

from dataclasses import replace

from s2s.targets.flags import WIDE
from s2s.targets.intrinsics import VNNI_INTRINSICS, X86_PAIRS, X86_WIDE
from s2s.targets.target import Target


def _level(number: int, lanes: int, registers: int, l2: int, l3: int, description: str, *flags: str) -> Target:
    """A level; `l2` and `l3` are caches, in KB, of the smallest processors that are common at this level."""
    name = f"x86-64-v{number}"
    return Target(
        name=name,
        description=description,
        lanes=lanes,
        registers=registers,
        align=4 * lanes,
        cflags=(f"-march={name}", *flags, "-ffp-contract=fast"),
        l1_bytes=32 << 10,
        l2_bytes=l2 << 10,
        l3_bytes=l3 << 10,
        line_bytes=64,
        fma_ports=2,
        intrinsics=(X86_PAIRS,) if lanes == 16 else (X86_WIDE, X86_PAIRS),
    )


def _with_vnni(level: Target, feature: str, description: str) -> Target:
    """Return `level` for processors that have this form of VPDPBUSD, too."""
    first, *rest = level.cflags
    return replace(
        level,
        name=f"{level.name}-{feature}",
        description=f"{level.description}, and {description}",
        cflags=(first, f"-m{feature}", *rest),
        intrinsics=VNNI_INTRINSICS,
    )


_LEVELS = (
    _level(2, 4, 16, 256, 4096, "x86-64 with SSE4.2"),
    _level(3, 8, 16, 256, 8192, "x86-64 with AVX2 and FMA"),
    _level(4, 16, 32, 1024, 16384, "x86-64 with AVX-512", *WIDE),
)
LEVELS = (
    *_LEVELS,
    _with_vnni(_LEVELS[1], "avxvnni", "AVX-VNNI: desktops from 2021 on"),
    _with_vnni(_LEVELS[2], "avx512vnni", "AVX-512 VNNI: servers from 2019 on"),
)
