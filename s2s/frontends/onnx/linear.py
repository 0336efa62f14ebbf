"""Matrix products and determinants."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.determinants import determinant
from s2s.frontends.formulas import matmul
from s2s.frontends.onnx.elementwise import cast, legacy_broadcast
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.packed_weights import packed_product


class IntegerFactor(NamedTuple):
    """Small integers, and the zero point that a product of them takes off."""

    value: Value
    zero_point: int


def integer_factor(x: Value, zero_point: Value | None) -> IntegerFactor:
    """`x - zero_point` for a sum of products: a number as it is, of weights where it fits, anything else in 16 bits."""
    offsets = None if zero_point is None else zero_point.array
    if zero_point is None or (offsets is not None and not offsets.any()):
        return IntegerFactor(x, 0)
    if x.array is not None and offsets is not None:
        shifted = x.array.astype(np.int32) - offsets.astype(np.int32)
        if np.array_equal(shifted, shifted.astype(np.int8)):
            return IntegerFactor(x.builder.constant(shifted.astype(np.int8), x.name), 0)
    if offsets is not None and np.all(offsets == offsets.flat[0]):
        return IntegerFactor(x, int(offsets.flat[0]))
    wide = np.dtype(np.int16)
    return IntegerFactor(cast(x, wide) - cast(zero_point, wide), 0)


def accumulation(x_name: str, x: IntegerFactor, w_name: str, w: IntegerFactor) -> dict[str, object]:
    """How the products of two factors are summed: in 32 bits, as ONNX says."""
    return {x_name: x.zero_point, w_name: w.zero_point, "acc_type": i32}


def integer_product(a: Value, a_zero: Value | None, b: Value, b_zero: Value | None, **properties: object) -> Value:
    """`(a - a_zero) @ (b - b_zero)` as 32-bit integers."""
    left, right = integer_factor(a, a_zero), integer_factor(b, b_zero)
    return matmul(left.value, right.value, **properties, **accumulation("a_zp", left, "b_zp", right))


def _matmul(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    if a.rank == 0 or b.rank == 0:
        raise node.invalid("an operand is a scalar", "use Mul")
    packed = packed_product(a, b)
    return matmul(a, b) if packed is None else packed


def _gemm(node: Node) -> Value:
    a, b, c = node.input(0), node.input(1), node.optional(2)
    alpha, beta = node.real("alpha"), node.real("beta")
    if alpha != 1 and b.array is not None:
        b = b * alpha
    flags = {"transpose_a": node.flag("transA"), "transpose_b": node.flag("transB")}
    packed = None if flags["transpose_a"] else packed_product(a, b, transposed=flags["transpose_b"])
    y = emit(graph.MatmulOp, a, b, **flags) if packed is None else packed
    if alpha != 1 and b.array is None:
        y = y * alpha
    if c is None or beta == 0:
        return y
    c = legacy_broadcast(node, y, c) if node.since < 7 else c
    return y + (c if beta == 1 else c * beta)


def _determinant(node: Node) -> Value:
    x = node.input(0)
    if x.rank < 2 or x.shape[-1] != x.shape[-2]:
        raise node.invalid(f"shape {list(x.shape)} is no square matrix", "fix the shape")
    return determinant(x)


IMPORTERS: Mapping[str, Importer] = {
    "Det": _determinant,
    "Gemm": _gemm,
    "MatMul": _matmul,
}
