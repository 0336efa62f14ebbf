"""Fully connected layers and products of matrices."""

from collections.abc import Mapping
from math import prod

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.tflite import blockwise
from s2s.frontends.tflite.hybrid import quantised
from s2s.frontends.tflite.layer import Layer, Products
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated, rescale
from s2s.frontends.tflite.tensors import Tensor


def _fully_connected(node: Node) -> Value:
    x, w, b = node.input(0), node.input(1), node.optional(2)
    options = node.options
    if int(options.WeightsFormat()) != 0:
        raise node.unsupported("its weights are shuffled", "convert the model without that optimisation")
    if w.rank != 2 or w.shape[1] == 0 or prod(x.shape) % w.shape[1]:
        raise node.invalid(f"weights {list(w.shape)} do not fit input {list(x.shape)}", "fix the model")
    outputs, depth = w.shape
    rows = reshape(x.value, [prod(x.shape) // depth, depth])

    def build(x: Value, products: Products, bias: Value | None) -> Value:
        y = emit(
            graph.MatmulOp,
            x,
            w.value,
            transpose_b=True,
            a_zp=products.input_zp,
            b_zp=products.weight_zp,
            acc_type=products.acc_type,
        )
        return y if bias is None else y + bias

    if w.info.blocks is None:
        y = Layer(node, Tensor(rows, x.info), w, b, 0).run(build)
    else:
        y = activated(node, blockwise.product(node, rows, w, None if b is None else b.value))
    if options.KeepNumDims():
        if x.shape[-1] != depth:
            raise node.invalid(f"keeps the dimensions of {list(x.shape)} with {depth} inputs", "fix the model")
        return reshape(y, [*x.shape[:-1], outputs])
    return y


def _batch_matmul(node: Node) -> Value:
    a, b, out = node.input(0), node.input(1), node.output_type()
    flags = {"transpose_a": bool(node.options.AdjX()), "transpose_b": bool(node.options.AdjY())}
    if a.dtype == np.float32 and b.dtype == np.int8 and b.array is not None:
        return _hybrid_batch_matmul(node, a, b, flags)
    if a.dtype != b.dtype or out.dtype != a.dtype:
        raise node.unsupported(f"multiplies {a.dtype} by {b.dtype} to {out.dtype}", "use one type for all three")
    if a.value.is_float:
        return emit(graph.MatmulOp, a.value, b.value, **flags)
    if a.dtype not in (np.dtype(np.int8), np.dtype(np.int16)):
        raise node.unsupported(f"multiplies {a.dtype}", "use float32, int8 or int16")
    (a_scale, a_zp), (b_scale, b_zp), (scale, zero_point) = a.scalar(), b.scalar(), out.scalar()
    if a.dtype == np.int16 and (a_zp or b_zp or zero_point):
        raise node.invalid(f"16-bit numbers have the zero points {[a_zp, b_zp, zero_point]}", "quantise it again")
    y = emit(graph.MatmulOp, a.value, b.value, **flags, a_zp=a_zp, b_zp=b_zp)
    factor = float(np.float32(a_scale) * np.float32(b_scale)) / scale
    return rescale(y, factor, out.dtype, output_zp=zero_point)


def _hybrid_batch_matmul(node: Node, a: Tensor, b: Tensor, flags: dict[str, bool]) -> Value:
    """Products of floats with an 8-bit constant: each row of the left matrices is quantised by its range."""
    scale, zero_point = b.scalar()
    if flags["transpose_a"] or zero_point:
        raise node.unsupported("is hybrid with a transposed left side or a zero point", "convert the model without")
    rows = quantised(a.value, [a.rank - 1], asymmetric=bool(node.options.AsymmetricQuantizeInputs()))
    sums = emit(graph.MatmulOp, rows.factor, b.value, transpose_b=flags["transpose_b"], acc_type=i32)
    return cast(sums, a.dtype) * (rows.scale * scale)


IMPORTERS: Mapping[str, Importer] = {"FULLY_CONNECTED": _fully_connected, "BATCH_MATMUL": _batch_matmul}
