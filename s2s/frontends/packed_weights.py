"""Products with weights that the model dequantises, of at most four bits, or of eight by groups: they stay packed.

    d = DequantizeLinear(w, scales)     w: int4[64, 32], scales: float[2, 32], blocks of 32 along axis 0
    y = MatMul(x, d)
->
    y = graph.blockwise_matmul x, w', scales' {bits = 4}     w': i8[32, 2, 16], scales': f32[32, 2]

Dequantised, they would take eight times the bytes. Blocks of the operator are of 16 weights to 128, in each of which
scale and zero point are the same, as takes the fewest bytes. Where the other factor comes from integers too, and each
row of weights has one scale, nothing is done: `graph-lift-quantized` makes a product of integers of both. Products of
many rows take the weights as floats after all: `graph-unpack-weights` decides.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import UnitAttr

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.types.dtypes import Array
from s2s.types.narrow import Quantised

BITS, BYTE = 4, 8
_BLOCKS = (128, 64, 32, 16)
_FLOAT = np.dtype(np.float32)


def quantised_weights(x: Value, scale: Value, zero: Value | None, *, by_groups: bool) -> Quantised | None:
    """The integers of a constant of at most four bits, with the scale and zero point of each; of bytes if these have
    scales `by_groups`. None for other values."""
    zeros = None if zero is None else zero.array
    narrow = x.narrow
    is_byte = by_groups and x.dtype in (np.dtype(np.int8), np.dtype(np.uint8)) and narrow is None
    if not is_byte and (narrow is None or narrow.is_float or narrow.bits > BITS):
        return None
    if x.array is None or scale.array is None or (zero is not None and zeros is None):
        return None
    integers = x.array.astype(np.int16)
    offsets = np.zeros((), np.int16) if zeros is None else zeros.astype(np.int16)
    half = 1 << ((BYTE if is_byte else BITS) - 1)
    shift = half if integers.max(initial=0) >= half or offsets.max(initial=0) >= half else 0
    spread = np.broadcast_to(offsets - shift, integers.shape)
    return Quantised(integers - shift, np.broadcast_to(scale.array, integers.shape), spread)


def packed_product(a: Value, b: Value, *, transposed: bool = False) -> Value | None:
    """`a @ b` with the packed weights that `b` comes from, or `a @ b^T`; None where it comes from none."""
    given = b.quantised
    if given is None or b.rank != 2 or a.array is not None or a.rank < 1 or (a.dtype, b.dtype) != (_FLOAT, _FLOAT):
        return None
    weights, scales, zeros = given if transposed else Quantised(*(each.T for each in given))
    rows, columns = weights.shape
    allowed = [size for size in _BLOCKS if _is_constant_by(size, (scales, zeros))]
    if not allowed or columns < _BLOCKS[-1]:
        return None
    if _comes_from_integers(a) and _is_constant_by(columns, (scales, zeros)):
        return None
    bits = BITS if _fit(BITS, weights, zeros) else BYTE
    if not _fit(bits, weights, zeros):
        return None
    block = min(allowed, key=lambda size: -(-columns // size) * (size * bits // BYTE + _FLOAT.itemsize))
    blocks = -(-columns // block)
    padded = np.zeros((rows, blocks * block), np.int8)
    padded[:, :columns] = weights
    packed = (_nibbles(padded) if bits == BITS else padded).reshape(rows, blocks, -1)
    constant = a.builder.constant
    y = emit(
        graph.BlockwiseMatmulOp,
        a,
        constant(packed, f"{b.name}_packed"),
        constant(np.asarray(scales[:, ::block], order="C"), f"{b.name}_scales"),
        constant(zeros[:, ::block].astype(np.int8), f"{b.name}_zeros") if zeros.any() else None,
        bits=bits,
        int8_activations=False,
    )
    if y.ssa is not None and isinstance(y.ssa.owner, graph.BlockwiseMatmulOp):
        y.ssa.owner.attributes[graph.DEQUANTISED] = UnitAttr()
    return y


def _fit(bits: int, *tables: Array) -> bool:
    """Whether all numbers are integers of this many bits with sign."""
    half = 1 << (bits - 1)
    return all(-half <= int(table.min(initial=0)) and int(table.max(initial=0)) < half for table in tables)


def _nibbles(integers: Array) -> Array:
    """Two neighbours of four bits in a byte, the first in its lower half."""
    low, high = ((integers[:, first::2] & 15).astype(np.uint8) for first in (0, 1))
    return (low | high << np.uint8(BITS)).view(np.int8)


def _is_constant_by(block: int, tables: Sequence[Array]) -> bool:
    """Whether the numbers of each row are the same in each block of this many columns."""
    return all(
        bool((table[:, first : first + block] == table[:, first : first + 1]).all())
        for table in tables
        for first in range(0, table.shape[1], block)
    )


def _comes_from_integers(a: Value) -> bool:
    """Whether a value of the network is dequantised, perhaps moved since."""
    owner = None if a.ssa is None else a.ssa.owner
    while isinstance(owner, graph.ViewInterface):
        owner = owner.moved.owner
    if not isinstance(owner, graph.MulOp):
        return False
    inner = owner.a.owner
    if isinstance(inner, graph.SubOp):
        inner = inner.a.owner
    return isinstance(inner, graph.CastOp)
