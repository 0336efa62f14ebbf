"""Lift sums, means and products of quantised tensors to integers.

    graph.mul %a_real, %b_real     ->  ((a - a_zp) * (b - b_zp)) * (a_scale * b_scale), the first product in i32
    graph.reduce_mean %x_real      ->  (reduce_sum (x - x_zp)) * (x_scale / count), the sum in i32
    quantised (%a_real + %b_real)  ->  round(a * (a_scale / y_scale) + (b * (b_scale / y_scale) + …)) + y_zp

An average pool of the whole image is a mean; any other one becomes a convolution with ones.
"""

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.network.varying_values import VaryingValues
from s2s.analysis.numbers.quantised_values import Scaled, quantised, scaled, without_limits
from s2s.dialects import graph
from s2s.passes.graph.constants import new_weight
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern
from s2s.types.dtypes import as_tensor_type, size_in_bytes
from s2s.types.shapes.window import channel_axis, spatial_axes
from s2s.types.weights import WeightStore

MAX_SUM = 2**31 - 1


def byte_tensor(value: SSAValue, store: WeightStore) -> Scaled | None:
    """The 8-bit integers with one scale that `value` dequantises; None if there are none."""
    found = scaled(value, store)
    return found if found is not None and found.axis is None and size_in_bytes(found.element) == 1 else None


def wide(maker: Maker, of: Scaled) -> SSAValue:
    """`x - zero_point` in i32."""
    y = maker.cast(of.x, i32)
    return maker(graph.SubOp(y, maker.constant(np.asarray(of.offset, np.int32), "zero_point"))) if of.offset else y


class QuantisedMultiplication(WeightPattern):
    """`a * b`, where neither is the scale of a dequantisation."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MulOp, rewriter: PatternRewriter) -> None:
        a, b = byte_tensor(op.a, self.store), byte_tensor(op.b, self.store)
        if a is None or b is None:
            return
        scale = np.asarray(a.step * b.step, np.float32)
        if not (scale > 0 and np.isfinite(scale)):
            return
        maker = Maker.of(rewriter, self.store, op)
        product = maker(graph.MulOp(wide(maker, a), wide(maker, b)))
        rewriter.replace(op, [], [maker.dequantised(Scaled(product, scale, np.zeros((), np.int64), None))])


def means_of_varying_sizes(module: ModuleOp) -> frozenset[Operation]:
    """The means in `module` along an axis whose size a run gives, so that no constant is the number of elements."""
    varying = VaryingValues(module)

    def varies(op: graph.ReduceMeanOp) -> bool:
        extents = varying.extents_of(op.x)
        return extents is None or any(extents[axis] for axis in op.axes.get_values())

    return frozenset(op for op in module.walk() if isinstance(op, graph.ReduceMeanOp) and varies(op))


class QuantisedMean(WeightPattern):
    """`reduce_mean(x)`, `reduce_sum(x)` and an average pool of the whole image, but for the means `in_floats`."""

    def __init__(self, store: WeightStore, in_floats: frozenset[Operation]) -> None:
        super().__init__(store)
        self._in_floats = in_floats

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: graph.ReduceMeanOp | graph.ReduceSumOp | graph.AvgPoolOp, rewriter: PatternRewriter
    ) -> None:
        x = byte_tensor(op.x, self.store)
        axes = _whole_image(op) if isinstance(op, graph.AvgPoolOp) else list(op.axes.get_values())
        if x is None or axes is None or op in self._in_floats:
            return
        shape = as_tensor_type(op.x.type).get_shape()
        count = math.prod(shape[axis] for axis in axes)
        if count * 255 > MAX_SUM:
            return
        divisor = 1 if isinstance(op, graph.ReduceSumOp) else count
        scale = np.asarray(x.step / np.float32(divisor), np.float32)
        keepdims = isinstance(op, graph.AvgPoolOp) or op.keepdims is not None
        maker = Maker.of(rewriter, self.store, op)
        total = maker(graph.ReduceSumOp(wide(maker, x), axes=axes, keepdims=keepdims))
        rewriter.replace(op, [], [maker.dequantised(Scaled(total, scale, np.zeros((), np.int64), None))])


def _whole_image(op: graph.AvgPoolOp) -> list[int] | None:
    """The spatial axes, if one window covers all of the image."""
    rank = as_tensor_type(op.x.type).get_num_dims()
    axes = list(spatial_axes(op.data_layout, rank))
    shape, made = (as_tensor_type(value.type).get_shape() for value in (op.x, op.y))
    covered = list(op.kernel.get_values()) == [shape[axis] for axis in axes] and not any(op.pads.get_values())
    plain = all(dilation == 1 for dilation in op.dilations.get_values())
    return axes if covered and plain and all(made[axis] == 1 for axis in axes) else None


class QuantisedAveragePool(WeightPattern):
    """An average pool whose windows all divide by the same number of elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AvgPoolOp, rewriter: PatternRewriter) -> None:
        x = byte_tensor(op.x, self.store)
        pads = list(op.pads.get_values())
        if x is None or _whole_image(op) is not None or (any(pads) and pads != list(op.counted_pads.get_values())):
            return
        rank, shape = as_tensor_type(op.x.type).get_num_dims(), as_tensor_type(op.x.type).get_shape()
        channels, kernel = shape[channel_axis(op.data_layout, rank)], list(op.kernel.get_values())
        scale = np.asarray(x.step / np.float32(math.prod(kernel)), np.float32)
        maker = Maker.of(rewriter, self.store, op)
        ones = np.broadcast_to(np.ones((), np.int8), (channels, 1, *kernel))
        total = graph.ConvOp(
            x.x,
            maker(new_weight(ones, "ones", self.store)),
            strides=list(op.strides.get_values()),
            pads=pads,
            dilations=list(op.dilations.get_values()),
            groups=channels,
            layout=op.data_layout,
            input_zp=x.offset,
        )
        sums = Scaled(maker(total), scale, np.zeros((), np.int64), None)
        rewriter.replace(op, [], [maker.dequantised(sums)])


class QuantisedAddition(WeightPattern):
    """`a + b` and `a - b`, with or without a clamp, and quantised."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = quantised(op, self.store)
        if target is None:
            return
        real, low, high = without_limits(target.real)
        addition = real.owner
        if not isinstance(addition, graph.AddOp | graph.SubOp):
            return
        a, b = byte_tensor(addition.a, self.store), byte_tensor(addition.b, self.store)
        if a is None or b is None:
            return
        factors = [np.float32(each.step / target.scale) for each in (a, b)]
        if isinstance(addition, graph.SubOp):
            factors[1] = -factors[1]
        if not all(np.isfinite(factor) and factor != 0 for factor in factors):
            return
        maker = Maker.of(rewriter, self.store, addition, op)
        total = weighted_sum(maker, (a, b), factors)
        rewriter.replace(op, [], [maker.rounded(total, target, target.of(low), target.of(high))])


def weighted_sum(maker: Maker, terms: Sequence[Scaled], factors: Sequence[np.float32]) -> SSAValue:
    """`sum_i (x_i - zero_point_i) * factor_i` in f32, with the constants combined into one addend."""
    offset = -sum(
        (factor * np.float32(term.offset) for term, factor in zip(terms, factors, strict=True)), np.float32(0)
    )
    total = maker.real(float(offset)) if offset else None
    for term, factor in zip(terms, factors, strict=True):
        product = maker(graph.MulOp(maker.cast(term.x, f32), maker.real(float(factor))))
        total = product if total is None else maker(graph.AddOp(product, total))
    assert total is not None
    return total
