"""Products with weights of at most four bits that the model dequantises: they stay packed, two in a byte.

    d = DequantizeLinear(w, scales)     w: int4[64, 32], scales: float[2, 32], blocks of 32 along axis 0
    y = MatMul(x, d)
->
    y = graph.blockwise_matmul x, w', scales' {bits = 4}     w': i8[32, 2, 16], scales': f32[32, 2]

Dequantised, they would take eight times the bytes. Blocks of the operator are of 16 weights to 128, in each of which
scale and zero point are the same, as takes the fewest bytes. Where the other factor comes from integers too, nothing
is done: `graph-lift-quantized` makes a product of integers of both. Products of many rows take the weights as floats
after all: `graph-unpack-weights` decides.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import UnitAttr

from s2s.dialects import graph
from s2s.frontends.builder import Quantised, Value, emit
from s2s.types.dtypes import Array

BITS = 4
_BLOCKS = (128, 64, 32, 16)
_HALF = 8
_FLOAT = np.dtype(np.float32)


def quantised_weights(x: Value, scale: Value, zero: Value | None) -> Quantised | None:
    """The integers of a constant of at most four bits, with the scale and zero point of each; None for other values."""
    zeros = None if zero is None else zero.array
    narrow = x.narrow
    if narrow is None or narrow.is_float or narrow.bits > BITS or x.array is None or scale.array is None:
        return None
    if zero is not None and zeros is None:
        return None
    integers = x.array.astype(np.int16)
    offsets = np.zeros((), np.int16) if zeros is None else zeros.astype(np.int16)
    shift = _HALF if integers.max(initial=0) >= _HALF or offsets.max(initial=0) >= _HALF else 0
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
    if not allowed or columns < _BLOCKS[-1] or _comes_from_integers(a):
        return None
    block = min(allowed, key=lambda size: -(-columns // size) * (size // 2 + _FLOAT.itemsize))
    blocks = -(-columns // block)
    nibbles = np.zeros((rows, blocks * block), np.uint8)
    nibbles[:, :columns] = weights & 15
    packed = (nibbles[:, ::2] | nibbles[:, 1::2] << np.uint8(4)).view(np.int8).reshape(rows, blocks, block // 2)
    constant = a.builder.constant
    y = emit(
        graph.BlockwiseMatmulOp,
        a,
        constant(packed, f"{b.name}_packed"),
        constant(np.ascontiguousarray(scales[:, ::block]), f"{b.name}_scales"),
        constant(zeros[:, ::block].astype(np.int8), f"{b.name}_zeros") if zeros.any() else None,
        bits=BITS,
        int8_activations=False,
    )
    if y.ssa is not None and isinstance(y.ssa.owner, graph.BlockwiseMatmulOp):
        y.ssa.owner.attributes[graph.DEQUANTISED] = UnitAttr()
    return y


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
    while isinstance(owner, graph.ReshapeOp | graph.TransposeOp | graph.SliceOp):
        owner = owner.x.owner
    if not isinstance(owner, graph.MulOp):
        return False
    inner = owner.a.owner
    if isinstance(inner, graph.SubOp):
        inner = inner.a.owner
    return isinstance(inner, graph.CastOp)
