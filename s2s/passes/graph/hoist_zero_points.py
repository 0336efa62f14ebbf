"""Hoist zero points that are computed at run time (dynamic quantisation) out of products with constant weights.

    %a = graph.cast %x : (tensor<4x8xui8>) -> tensor<4x8xi16>
    %z = graph.cast %zero_point : (tensor<ui8>) -> tensor<i16>
    %d = graph.sub %a, %z
    %y = graph.matmul %d, %w {acc_type = i32} : (tensor<4x8xi16>, tensor<8x3xi8>) -> tensor<4x3xi32>
->
    %p = graph.matmul %x, %w : (tensor<4x8xui8>, tensor<8x3xi8>) -> tensor<4x3xi32>
    %k = graph.cast %zero_point : (tensor<ui8>) -> tensor<i32>
    %m = graph.mul %k, %sums                                        // %sums[o] = sum(w[…, o])
    %y = graph.sub %p, %m

The products then read 8-bit integers. Handles convolutions likewise. Their padding contributes zero to the sum; it
becomes a padding by zeros before the quantisation, which turns them into the zero point. Sums wrap around, so results
are the same for all inputs.

Declined when weights are computed, for zero points that are no scalars, and for padding before anything else than a
quantisation with the same zero point.
"""

from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i16, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import as_tensor_type, size_in_bytes
from s2s.types.shapes.window import CHANNELS_FIRST


class Shifted(NamedTuple):
    """A value `x - zero_point` in 16 bits, where both are 8-bit integers."""

    x: SSAValue
    zero_point: SSAValue


def shifted(value: SSAValue) -> Shifted | None:
    """Match `value` as `x - zero_point` of 8-bit integers."""
    difference = value.owner
    if not isinstance(difference, graph.SubOp) or as_tensor_type(value.type).element_type != i16:
        return None
    x, zero_point = _byte(difference.a), _byte(difference.b)
    if x is None or zero_point is None or x.type == value.type or as_tensor_type(zero_point.type).element_count() != 1:
        return None
    same = as_tensor_type(x.type).get_shape() == as_tensor_type(value.type).get_shape()
    return Shifted(x, zero_point) if same else None


def _byte(value: SSAValue) -> SSAValue | None:
    cast = value.owner
    if not isinstance(cast, graph.CastOp) or size_in_bytes(as_tensor_type(cast.x.type).element_type) != 1:
        return None
    return cast.x


def _without_wide_sum(properties: dict[str, Attribute]) -> dict[str, Attribute]:
    """`properties` without `acc_type`: the default for 8-bit integers is 32 bits."""
    return {name: value for name, value in properties.items() if name != "acc_type"}


def _less(maker: Maker, product: SSAValue, zero_point: SSAValue, sums: np.ndarray[tuple[int, ...], np.dtype[np.int64]]):
    """`product - zero_point * sums`."""
    number = maker.cast(maker(graph.ReshapeOp(zero_point, shape=[])), i32)
    factor = maker.constant(sums.astype(np.int32), "sums")
    return maker(graph.SubOp(product, maker(graph.MulOp(factor, number))))


class ProductOfShifted(WeightPattern):
    """A matrix product with weights."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        found, weights = shifted(op.a), known_value(op.b, self.store)
        if found is None or weights is None or weights.itemsize != 1 or weights.ndim != 2 or op.accumulation.x_zp:
            return
        if as_tensor_type(op.y.type).element_type != i32:
            return
        maker = Maker.of(rewriter, self.store, op)
        made = graph.MatmulOp.create(
            operands=[found.x, op.b], result_types=op.result_types, properties=_without_wide_sum(dict(op.properties))
        )
        sums = (weights.astype(np.int64) - op.accumulation.w_zp).sum(axis=0 if op.transpose_b is None else 1)
        rewriter.replace(op, [], [_less(maker, maker(made), found.zero_point, sums)])


class ConvolutionOfShifted(WeightPattern):
    """A convolution."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        found, weights = shifted(op.x), known_value(op.w, self.store)
        if found is None or weights is None or weights.itemsize != 1 or op.accumulation.x_zp:
            return
        if op.b is not None or op.data_layout != CHANNELS_FIRST or as_tensor_type(op.y.type).element_type != i32:
            return
        maker = Maker.of(rewriter, self.store, op)
        pads = list(op.pads.get_values())
        x = self._padded(maker, found, pads) if any(pads) else found.x
        if x is None:
            return
        made = graph.ConvOp(
            x,
            op.w,
            strides=list(op.strides.get_values()),
            pads=[0] * len(pads),
            dilations=list(op.dilations.get_values()),
            groups=op.groups.value.data,
            weight_zp=op.accumulation.w_zp,
        )
        sums = (weights.astype(np.int64) - op.accumulation.w_zp).sum(axis=tuple(range(1, weights.ndim)))
        spread = sums.reshape(-1, *[1] * (weights.ndim - 2))
        rewriter.replace(op, [], [_less(maker, maker(made), found.zero_point, spread)])

    def _padded(self, maker: Maker, of: Shifted, pads: list[int]) -> SSAValue | None:
        """The quantised image with its zero padding made explicit; None if its quantisation has another zero point."""
        cast, rank = of.x.owner, len(pads) // 2
        clamp = cast.x.owner if isinstance(cast, graph.CastOp) else None
        added = clamp.x.owner if isinstance(clamp, graph.ClampOp) else None
        rounded = added.a.owner if isinstance(added, graph.AddOp) else None
        divided = rounded.x.owner if isinstance(rounded, graph.RoundOp) else None
        if not isinstance(cast, graph.CastOp) or not isinstance(clamp, graph.ClampOp):
            return None
        if not isinstance(added, graph.AddOp) or _byte(added.b) is not of.zero_point:
            return None
        if not isinstance(divided, graph.DivOp) or divided.a.type != divided.y.type:
            return None
        image = maker(graph.PadOp(divided.a, low=[0, 0, *pads[:rank]], high=[0, 0, *pads[rank:]], value=0.0))
        whole = maker(graph.RoundOp(maker(graph.DivOp(image, divided.b))))
        limits = {"min": 0.0, "max": 255.0}
        limited = maker(graph.ClampOp(maker(graph.AddOp(whole, added.b)), **limits))
        return maker.cast(limited, as_tensor_type(cast.y.type).element_type)


class HoistZeroPointsPass(ModulePass):
    """Hoist computed zero points out of products of 8-bit integers."""

    name = "graph-hoist-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, ProductOfShifted(store), ConvolutionOfShifted(store))
