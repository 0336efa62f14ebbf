"""Take apart the blocks of GGML's types whose codes stand for numbers of a table, and of its types with three values.

IQ4_XS    sixteen numbers, as IQ4_NL, with scales of six bits for 32 weights
IQ3_S     512 groups of four odd numbers, with a sign for each weight and scales of four bits for 32
MXFP4     the sixteen floats of 4 bits (E2M1), with a power of two for 32 weights
TQ2_0     -1, 0 and 1 in two bits each, with a scale for 256 weights
TQ1_0     the same, five in a byte
"""

import numpy as np

from s2s.frontends.gguf.k_quants import LOW, halves
from s2s.frontends.gguf.simple_quants import NON_LINEAR, nibbles
from s2s.types.dtypes import Array

GROUPS = (
    "0000100020005000700001001100210041006100020012005200330004002400540074001500350006002600170047007700001010102010"
    "4010011011105110021032107210131053104410161056102710002010205020702001203120612012205220032043202420542074201520"
    "3520072037203030113051300230223013303330633044300530253076301730573000403140714012404240234004403440154007402050"
    "4050025022506250335014505450745066503750606011603160136025601760007020704070027022706270337005704570000110012001"
    "4001010111013101510171010201220113014301630145016501160127010011101130116011011141111211031133111411051125110711"
    "6711002121215121712102214221232104213421552106212721103140317031013131311231723103314331143126310731304150412141"
    "4141134133412441644105414541105101513151125103512351155102614261726144616461107130710171217112715371147126710771"
    "0002100230025002700201022102410261021202320272020302230214023402540205022502760207023702570200122012011231127112"
    "2212521213124312241215121022402270221222322203227322142235227522172247220032203250321132223242321332333224320532"
    "6632104270420242324223425342144227425742405211522252735204523552075200622062706212625562166250721172627203723472"
    "0572200311033103510371032203130333035303240344037403150336031703101330135013411312133213041306132713671300232123"
    "0223232343230523103301334133123332337233033314333433743355333733304311436143224313432543064346431053015321535253"
    "2353445365533753616314631073307302732273537300044004210402044204720423041404050407042014701411143114221403145314"
    "3414151455141024302401245124122433240424752426240724403411343134023422341334533400442044424473440444174450547054"
    "1254265431644364066401745174037434741574200501054105220504054405740525056605470510153015501521151215231527150025"
    "1125322503256325352520357035013572354435153556353735104540450245234564452155625515553555246520754075227511063106"
    "5106130633060606001602167216461621264326242655262626072600364136123604365246344626460056305643560656506604661176"
    "3176000740077007020722076307040745072607201711174217341754171027402701276127122703271527203723375337353710475047"
    "31470247054722572457206713670077"
)
"""The groups of IQ3_S, four digits each: digit `d` stands for `2 d + 1`."""
FLOATS_OF_4_BITS = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)
"""Twice the numbers that the codes of MXFP4 stand for."""
BIAS = 128
"""The bias of the exponent of a scale of MXFP4, and the bias of half the scale."""
SHARED = 128
"""The weights of a block of TQ1_0 and TQ2_0 here: two of them have the scale of a block of the file."""
BITS = np.arange(8, dtype=np.uint8)


def iq4_xs(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 136]` bytes: a half, the upper two bits of eight scales, their lower four, and
    256 codes. Return integers `[rows, blocks, 32]` and the scales of these blocks."""
    rows = len(data)
    upper = np.asarray(data[..., 2:4], order="C").view("<u2") >> np.arange(0, 16, 2, dtype=np.uint16) & 3
    lower = np.stack([data[..., 4:8] & LOW, data[..., 4:8] >> 4], axis=-1).reshape(*data.shape[:2], 8)
    scales = (lower | upper.astype(np.uint8) << 4).astype(np.int8) - np.int8(32)
    real = halves(data[..., :2]).astype(np.float32)[..., None] * scales
    codes = nibbles(data[..., 8:].reshape(rows, -1, 16))
    return NON_LINEAR[codes], real.astype(np.float32).reshape(rows, -1)


def iq3_s(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 110]` bytes: a half, the lower eight bits of 64 numbers of groups, their highest
    bits, 256 signs, and eight scales of four bits. Return integers `[rows, blocks, 32]` and the scales of these
    blocks."""
    rows = len(data)
    highest = (data[..., 66:74, None] >> BITS & 1).reshape(*data.shape[:2], 64).astype(np.uint16)
    table = np.array([int(digit) for digit in GROUPS], np.int8).reshape(-1, 4) * np.int8(2) + np.int8(1)
    sizes = table[data[..., 2:66] | highest << 8].reshape(rows, -1, 32)
    signs = (data[..., 74:106, None] >> BITS & 1).astype(np.int8).reshape(rows, -1, 32)
    scales = np.stack([data[..., 106:] & LOW, data[..., 106:] >> 4], axis=-1).reshape(*data.shape[:2], 8)
    real = halves(data[..., :2]).astype(np.float32)[..., None] * (1 + 2 * scales.astype(np.float32))
    return sizes * (1 - 2 * signs), real.astype(np.float32).reshape(rows, -1)


def mxfp4(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, blocks, 17]` bytes: an exponent, and 32 codes of floats of 4 bits. Return twice these floats
    and half the powers of two, both exact."""
    exponents = data[..., 0].astype(np.int32) - BIAS
    return FLOATS_OF_4_BITS[nibbles(data[..., 1:])], np.ldexp(np.float32(1), exponents).astype(np.float32)


def tq2_0(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 66]` bytes: 256 numbers of two bits, 32 apart in a byte, and a half."""
    parts = data[..., :64].reshape(*data.shape[:2], 2, 1, 32)
    q = np.concatenate([parts >> shift & 3 for shift in (0, 2, 4, 6)], axis=3)
    return _ternary(q, data[..., 64:])


def tq1_0(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 54]` bytes: numbers to the base of 3, five in each of 48 bytes and four in each
    of another 4, the first digit of a fraction of 256 first, and a half."""
    parts = ((data[..., :32], 5), (data[..., 32:48], 5), (data[..., 48:52], 4))
    q = [
        np.stack([_digit(packed, place) for place in range(count)], axis=2).reshape(*data.shape[:2], -1)
        for packed, count in parts
    ]
    return _ternary(np.concatenate(q, axis=-1), data[..., 52:])


def _digit(packed: Array, place: int) -> Array:
    """Return a digit to the base of 3 of fractions of 256."""
    moved = packed.astype(np.uint16) * np.uint16(3**place) & np.uint16(255)
    return (moved * np.uint16(3) >> 8).astype(np.uint8)


def _ternary(q: Array, scale: Array) -> tuple[Array, Array]:
    """Return digits from 0 on as integers from -1 on, in blocks that share a scale."""
    rows, real = len(q), halves(scale).astype(np.float32)
    return q.reshape(rows, -1, SHARED).astype(np.int8) - np.int8(1), np.repeat(real, 256 // SHARED, axis=1)
