"""WebAssembly with vectors of 128 bits; an engine allots the registers of its processor."""

from s2s.targets.intrinsics import WASM_PAIRS
from s2s.targets.target import Target

WASM32 = Target(
    name="wasm32-simd128",
    description="WebAssembly with vectors of 128 bits",
    lanes=4,
    registers=16,
    align=16,
    cflags=("-msimd128", "-ffp-contract=off"),
    l1_bytes=32 << 10,
    l2_bytes=256 << 10,
    line_bytes=64,
    intrinsics=(WASM_PAIRS,),
)
