"""The intrinsics of the package: instructions that sum several products of small integers, one entry each.

Each function is defined in a header of `runtime_c`, with a form in plain C99 that gives the same integers, so that a
tree builds with any compiler. A new instruction set is more entries, a header, and tests.
"""

from s2s.targets.intrinsic import BYTES, LANE_BYTES, Element, Intrinsic

SMLAD = Intrinsic(
    name="smlad",
    description="Arm DSP: two instructions add up four products of 16 bits",
    form="dot",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x4_dot",
    header="s2s_dsp.h",
)
SMLAD_PAIRS = Intrinsic(
    name="smlad-pairs",
    description="Arm DSP: three instructions add up four products of bytes, constants in pairs of 16 bits",
    form="dot_pairs",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x4_dot",
    header="s2s_dsp.h",
)
SMLAD_POINTS = Intrinsic(
    name="smlad-points",
    description="Arm DSP: an instruction adds up two products of bytes, the constants of several points in pairs",
    form="dot_points",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x2_dot",
    header="s2s_dsp.h",
)
SMLAD_TAPS = Intrinsic(
    name="smlad-taps",
    description="Arm DSP: two instructions add up three products of 16 bits",
    form="dot_taps",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x4_dot_taps",
    header="s2s_dsp.h",
)
SMLAD_NEXT = Intrinsic(
    name="smlad-next",
    description="Arm DSP: the same, one position further",
    form="dot_next",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x4_dot_next",
    header="s2s_dsp.h",
)
SMLAD_TWO = Intrinsic(
    name="smlad-two",
    description="Arm DSP: an instruction adds up two of more than three products of 16 bits",
    form="dot_two",
    x="i16",
    w="i16",
    group=4,
    align=4,
    function="s2s_i16x2_dot",
    header="s2s_dsp.h",
)
MVE_I8_BY_16 = Intrinsic(
    name="mve-i8-by-16",
    description="Arm MVE: a row of bytes against four rows, sixteen products in an instruction",
    form="dot_rows",
    group=16,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_i8_by_16",
    header="s2s_lanes.h",
)
MVE_I8_BY_8 = Intrinsic(
    name="mve-i8-by-8",
    description="Arm MVE: a row of bytes against four rows, eight products in an instruction",
    form="dot_rows",
    group=8,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_i8_by_8",
    header="s2s_lanes.h",
)
MVE_WINDOW_BY_8 = Intrinsic(
    name="mve-window-by-8",
    description="Arm MVE: a row of up to eight taps of the window of one result",
    form="dot_window",
    group=8,
    function="s2s_row8_dot",
    header="s2s_windows.h",
)
MVE_WINDOW_BY_16 = Intrinsic(
    name="mve-window-by-16",
    description="Arm MVE: the same with up to sixteen taps",
    form="dot_window",
    group=16,
    function="s2s_row16_dot",
    header="s2s_windows.h",
)
MVE_GROUP_BY_8 = Intrinsic(
    name="mve-group-by-8",
    description="Arm MVE: a row of eight bytes against four rows that stay in registers",
    form="dot_group",
    group=8,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_rows8",
    header="s2s_windows.h",
)
MVE_GROUP_BY_16 = Intrinsic(
    name="mve-group-by-16",
    description="Arm MVE: the same of sixteen bytes",
    form="dot_group",
    group=16,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_rows16",
    header="s2s_windows.h",
)
MVE_I16_BY_8 = Intrinsic(
    name="mve-i16-by-8",
    description="Arm MVE: a row of 16 bits against four rows of bytes, eight products in an instruction",
    form="dot_rows",
    x="i16",
    group=8,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_i16_by_8",
    header="s2s_lanes.h",
)
SMLAD_HALVES = Intrinsic(
    name="smlad-halves",
    description="Arm DSP: a row of bytes against four rows of four bits, eight products in nine instructions",
    form="dot_half_rows",
    w="u8",
    group=4,
    lanes=(4,),
    align=4,
    function="s2s_i32x{lanes}_dot_halves_by_4",
    header="s2s_half_rows.h",
)
MVE_HALVES = Intrinsic(
    name="mve-halves",
    description="Arm MVE: a row of bytes against four rows of four bits, 32 products in five instructions",
    form="dot_half_rows",
    w="u8",
    group=16,
    lanes=(4,),
    function="s2s_i32x{lanes}_dot_halves_by_16",
    header="s2s_half_rows.h",
)

STRIP_DOT = Intrinsic(
    name="strip-dot",
    description="Arm SVE SDOT: four products of signed bytes to each lane of a strip",
    form="dot_strips",
    group=4,
    function="s2s_i8x4_dot",
    header="s2s_strips.h",
)


def _dot_lanes(name: str, description: str, *, x: Element = "i8", w: Element = "i8", function: str = "") -> Intrinsic:
    """Return the entry of an instruction that adds products to every lane of a vector: four of bytes, or two of 16
    bits."""
    return Intrinsic(
        name=name,
        description=description,
        form="dot_lanes",
        x=x,
        w=w,
        group=LANE_BYTES // BYTES[x],
        lanes=(4, 8, 16),
        function=f"s2s_i32x{{lanes}}_{function or f'add_dot_{x}'}",
        header="s2s_simd_bytes.h",
    )


VNNI = _dot_lanes("vnni", "x86 VPDPBUSD: unsigned bytes times signed ones, four products to a lane", x="u8")
VNNI_BY_UNSIGNED = _dot_lanes(
    "vnni-by-unsigned", "x86 VPDPBUSD: signed bytes times unsigned constants", w="u8", function="add_dot_i8_by_u8"
)
VNNI_SIGNED = _dot_lanes("vnni-signed", "x86 VPDPBUSD: signed bytes, one factor with 128 added and taken off again")
VNNI_INTRINSICS = VNNI, VNNI_BY_UNSIGNED, VNNI_SIGNED
X86_PAIRS = _dot_lanes("x86-pairs", "x86 VPMADDWD: bytes widened, pairs of 16 bits multiplied and added")
X86_WIDE = _dot_lanes("x86-wide", "x86 VPMADDWD: a copy in 16 bits times widened constants, in pairs", x="i16", w="i16")
NEON_DOT = _dot_lanes("neon-dot", "Arm NEON: four products of signed bytes to a lane, SDOT where the core has it")
WASM_PAIRS = _dot_lanes("wasm-pairs", "WebAssembly i32x4.dot_i16x8_s: bytes widened, pairs of 16 bits added")
PLAIN_DOT = _dot_lanes("plain-dot", "portable C: four products of signed bytes to a lane, in loops")

INTRINSICS = {
    each.name: each
    for each in (
        SMLAD,
        SMLAD_PAIRS,
        SMLAD_POINTS,
        SMLAD_TAPS,
        SMLAD_NEXT,
        SMLAD_TWO,
        MVE_I8_BY_16,
        MVE_I8_BY_8,
        MVE_I16_BY_8,
        MVE_WINDOW_BY_8,
        MVE_WINDOW_BY_16,
        MVE_GROUP_BY_8,
        MVE_GROUP_BY_16,
        SMLAD_HALVES,
        MVE_HALVES,
        STRIP_DOT,
        *VNNI_INTRINSICS,
        X86_PAIRS,
        X86_WIDE,
        NEON_DOT,
        WASM_PAIRS,
        PLAIN_DOT,
    )
}
"""All of them by name."""
