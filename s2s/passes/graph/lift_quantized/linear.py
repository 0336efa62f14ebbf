"""Lift convolutions and matrix products of quantised tensors to integers.

    %y = graph.conv %x_real, %w_real, %b_real
->
    %s = graph.conv %x, %w, %b {input_zp = …} : (tensor<…xi8>, tensor<…xi8>, tensor<…xi32>) -> tensor<…xi32>
    %y = (cast %s) * (x_scale * w_scale)

Accumulators are `i32`, or `i64` where the weights permit an overflow. A bias whose scale is not `x_scale * w_scale` is
rounded to it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.accumulators import narrowest_accumulator, sum_bound
from s2s.analysis.numbers.known_values import known_value, per_channel
from s2s.analysis.numbers.quantised_values import Scaled, along, known_real, scaled
from s2s.dialects import graph
from s2s.dialects.graph.base import zero_point_attribute
from s2s.passes.graph.constants import new_constant, weight_name
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern
from s2s.types.dtypes import Array, as_tensor_type, size_in_bytes, tensor_type, to_numpy
from s2s.types.shapes.window import channel_axis
from s2s.types.weights import WeightStore

CLOSE = 1e-5
"""Maximum relative difference of two scales that are taken for the same scale, rounded in different ways."""


class Factor(NamedTuple):
    """One factor of the products: integers with one zero point, and one scale or one per index of `axis`."""

    value: SSAValue
    zero_point: int
    scale: Array
    axis: int | None

    @property
    def element(self) -> Attribute:
        """Element type of the integers."""
        return as_tensor_type(self.value.type).element_type


def factor_of(value: SSAValue, store: WeightStore) -> Factor | None:
    """Match `value` as dequantised small integers; a constant absorbs its zero point where its type allows.

    A changed constant's operation is not in the network yet: `Maker.placed` inserts it.
    """
    found = scaled(value, store)
    if found is None or not found.is_small:
        return None
    integers = known_value(found.x, store)
    if integers is not None and found.zero_point.any() and size_in_bytes(found.element) == 1:
        shifted = integers.astype(np.int16) - along(found.zero_point.astype(np.int16), found.axis, integers.ndim)
        if np.array_equal(shifted, shifted.astype(np.int8)):
            name = f"{weight_name(found.x) or 'weight'}_shifted"
            return Factor(new_constant(shifted.astype(np.int8), name, store).y, 0, found.scale, found.axis)
    return Factor(found.x, found.offset, found.scale, found.axis) if found.has_one_offset else None


class QuantisedConvolution(WeightPattern):
    """`conv(x, w)` and `conv(x, w, b)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvFamilyOp, rewriter: PatternRewriter) -> None:
        x, w = factor_of(op.x, self.store), factor_of(op.w, self.store)
        if x is None or w is None or x.axis is not None or w.axis not in (None, op.WEIGHT_AXIS):
            return
        if w.axis is not None and isinstance(op, graph.ConvTransposeOp) and op.groups.value.data > 1:
            return
        scale = (x.scale * w.scale).astype(np.float32)
        bias = None if op.b is None else _bias(op.b, scale, as_tensor_type(op.b.type).get_shape()[0], self.store)
        if not _is_usable(scale) or (op.b is not None and bias is None):
            return
        properties = {"input_zp": zero_point_attribute(x.zero_point), "weight_zp": zero_point_attribute(w.zero_point)}
        maker = Maker.of(rewriter, self.store, op)
        total = _summed(op, [x.value, w.value], bias, properties, maker)
        if total is not None:
            channel = channel_axis(op.data_layout, as_tensor_type(total.type).get_num_dims())
            sums = Scaled(total, scale, np.zeros_like(scale, np.int64), channel if scale.ndim else None)
            rewriter.replace(op, [], [maker.dequantised(sums)])


def _is_usable(scale: Array) -> bool:
    return bool((scale > 0).all() and np.isfinite(scale).all())


def _bias(value: SSAValue, scale: Array, channels: int, store: WeightStore) -> Array | None:
    """A constant in units of `scale`, one integer per channel; None if it is no constant, or too large."""
    found = scaled(value, store)
    integers = None if found is None else known_value(found.x, store)
    if found is not None and integers is not None and _is_in_units(found, scale):
        return np.broadcast_to(integers.reshape(-1), (channels,)).astype(np.int64)
    real = known_real(value, store)
    if real is None:
        return None
    units = np.rint(real.reshape(-1) / scale.astype(np.float64))
    return np.broadcast_to(units, (channels,)).astype(np.int64) if np.abs(units).max() < 2**53 else None


def bias_rounding(op: Operation, store: WeightStore) -> float:
    """Return by how much lifting moves a result of `op`, since it rounds a bias to the scale of the sums; 0 for other
    operations, and where the bias has that scale."""
    layer, bias = op, op.bias if isinstance(op, graph.LayerOp) else None
    if isinstance(op, graph.AddOp):
        pairs = ((op.a.owner, op.b), (op.b.owner, op.a))
        layer, bias = next((pair for pair in pairs if isinstance(pair[0], graph.MatmulOp)), (op, None))
    if not isinstance(layer, graph.LayerOp) or bias is None or known_real(bias, store) is None:
        return 0.0
    a, b = (scaled(value, store) for value in layer.operands[:2])
    if a is None or b is None or not (a.is_small and b.is_small):
        return 0.0
    scale = (a.scale * b.scale).astype(np.float32)
    found = scaled(bias, store)
    return 0.0 if found is not None and _is_in_units(found, scale) else float(scale.max()) / 2


def _is_in_units(of: Scaled, scale: Array) -> bool:
    return not of.zero_point.any() and np.allclose(of.scale, scale, rtol=CLOSE, atol=0)


def _summed(
    op: graph.LayerOp,
    factors: list[SSAValue],
    bias: Array | None,
    zero_points: Mapping[str, Attribute | None],
    maker: Maker,
) -> SSAValue | None:
    """Replace `op` by an integer layer with an accumulator type that does not overflow."""
    shape = as_tensor_type(op.y.type).get_shape()
    wide = max(size_in_bytes(as_tensor_type(factor.type).element_type) for factor in factors) > 1

    def summed_in(accumulator: Attribute, operands: list[SSAValue]) -> graph.LayerOp:
        chosen = None if wide == (accumulator == i64) else accumulator
        properties = {**op.properties, **zero_points, "acc_type": chosen}
        return type(op).create(
            operands=operands,
            result_types=[tensor_type(accumulator, shape)],
            properties={name: value for name, value in properties.items() if value is not None},
        )

    trial = summed_in(i64, factors)
    bound = sum_bound(trial, maker.store)
    trial.erase()
    largest = 0 if bound is None else bound.largest + (0 if bias is None else int(np.abs(bias).max()))
    accumulator = i64 if wide else narrowest_accumulator(largest)
    if accumulator is None or largest > np.iinfo(np.int64).max:
        return None
    operands = [maker.placed(factor) for factor in factors]
    if bias is not None:
        operands.append(maker.constant(bias.astype(to_numpy(accumulator)), "bias"))
    return maker(summed_in(accumulator, operands))


class QuantisedProduct(WeightPattern):
    """`matmul(a, b)`, where either, both or no operand is constant."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        a, b = factor_of(op.a, self.store), factor_of(op.b, self.store)
        if a is None or b is None or (a.axis is not None and b.axis is not None):
            return
        rank = as_tensor_type(op.y.type).get_num_dims()
        if a.axis not in (None, _rank(op.a) - (1 if op.transpose_a else 2)):
            return
        if b.axis not in (None, _rank(op.b) - (2 if op.transpose_b else 1)):
            return
        scale = (a.scale * b.scale).astype(np.float32)
        if not _is_usable(scale):
            return
        zero_points = {"a_zp": zero_point_attribute(a.zero_point), "b_zp": zero_point_attribute(b.zero_point)}
        maker = Maker.of(rewriter, self.store, op)
        total = _summed(op, [a.value, b.value], None, zero_points, maker)
        if total is not None:
            axis = None if scale.ndim == 0 else rank - 2 if a.axis is not None else rank - 1
            sums = Scaled(total, scale, np.zeros_like(scale, np.int64), axis)
            rewriter.replace(op, [], [maker.dequantised(sums)])


def _rank(value: SSAValue) -> int:
    return as_tensor_type(value.type).get_num_dims()


class BiasOfProduct(WeightPattern):
    """`matmul(a, b) + c` with a constant for each column."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AddOp, rewriter: PatternRewriter) -> None:
        for value, other in ((op.a, op.b), (op.b, op.a)):
            sums = scaled(value, self.store)
            if sums is None or value.type != op.y.type or not isinstance(sums.x.owner, graph.MatmulOp):
                continue
            bound, added = sum_bound(sums.x.owner, self.store), self._units(other, sums)
            if bound is None or added is None or not sums.x.has_one_use():
                continue
            limit = np.iinfo(to_numpy(bound.accumulator)).max
            if bound.largest + int(np.abs(added).max()) > limit:
                continue
            maker = Maker.of(rewriter, self.store, sums.x.owner, op)
            constant = maker.constant(added.astype(to_numpy(bound.accumulator)), "bias")
            total = maker(graph.AddOp(sums.x, constant))
            rewriter.replace(op, [], [maker.dequantised(Scaled(total, sums.scale, sums.zero_point, sums.axis))])
            return

    def _units(self, value: SSAValue, sums: Scaled) -> Array | None:
        """The addend as integers in the scale of the product, one per column."""
        rank, shape = _rank(sums.x), as_tensor_type(sums.x.type).get_shape()
        axis, columns = rank - 1, shape[-1]
        if sums.axis not in (None, axis):
            return None
        flat = as_tensor_type(value.type).get_shape()
        if per_channel(np.broadcast_to(np.zeros(()), flat), rank, axis, columns) is None:
            return None
        return _bias(value, sums.scale, columns, self.store)
