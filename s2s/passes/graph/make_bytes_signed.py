"""Convert quantised uint8 tensors to int8: values and zero points become 128 lower.

    %s = graph.add %whole, %c : …                                    // %c = 3, %whole = round(…)
    %l = graph.clamp %s {min = 0.0 : f64, max = 255.0 : f64} : …
    %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xui8>
    %m = graph.max_pool %q … : (tensor<8xui8>) -> tensor<4xui8>
    %y = graph.conv %m, %w {input_zp = 3, …} : (tensor<4xui8>, …) -> …
->
    %s = graph.add %whole, %d : …                                    // %d = -125
    %l = graph.clamp %s {min = -128.0 : f64, max = 127.0 : f64} : …
    %q = graph.cast %l : (tensor<8xf32>) -> tensor<8xi8>
    %m = graph.max_pool %q … : (tensor<8xi8>) -> tensor<4xi8>
    %y = graph.conv %m, %w {input_zp = -125, …} : (tensor<4xi8>, …) -> …

All later passes then handle int8 only, the type that dot-product instructions multiply. Results are bitwise identical.
Where a converted tensor meets a reader that needs the unsigned one (an output of the network), its highest bit is
flipped: `cast(y ^ -128)`; likewise back where a sum of products reads an unsigned input.

Declined for tensors that nothing in the network computes with, and for those that are not quantised in it.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i8
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.accumulators import is_integer_layer
from s2s.analysis.numbers.known_values import known_value, splat_value
from s2s.dialects import graph
from s2s.dialects.graph.base import number, zero_point_attribute
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import new_weight, weight_name
from s2s.passes.graph.maker import Maker
from s2s.passes.graph.moves import MOVES, PADS, moved, rebuilt
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, is_float, is_integer, size_in_bytes, to_numpy, ui8
from s2s.types.weights import WeightStore

SHIFT = 128
"""The offset between an unsigned byte and its signed form."""
HIGHEST_BIT = np.asarray(-SHIFT, np.int8)
CALCULATING = (graph.CastOp, graph.LayerOp, graph.RescaleOp, *MOVES)
"""Operations that compute with the values of a tensor, or move them for others."""


def _is_unsigned(value: SSAValue) -> bool:
    return as_tensor_type(value.type).element_type == ui8


def _signed(value: SSAValue, store: WeightStore) -> SSAValue | None:
    """The signed tensor that the unsigned `value` was converted from; None if there is none."""
    back = value.owner
    if not isinstance(back, graph.CastOp) or not _is_unsigned(value):
        return None
    flipped = back.x.owner
    if not isinstance(flipped, graph.BitwiseXorOp) or as_tensor_type(flipped.y.type).element_type != i8:
        return None
    return flipped.a if flipped.a.type == flipped.y.type and splat_value(flipped.b, store) == -SHIFT else None


def _flipped(maker: Maker, x: SSAValue) -> SSAValue:
    """`x` with the highest bit of each byte flipped."""
    return maker(graph.BitwiseXorOp(x, maker.constant(HIGHEST_BIT, "highest_bit")))


def _lowered(maker: Maker, x: SSAValue) -> SSAValue:
    """Convert unsigned bytes to signed ones, 128 lower."""
    made = _signed(x, maker.store)
    if made is not None:
        return made
    values = known_value(x, maker.store)
    if values is not None:
        wish = weight_name(x) or x.name_hint or "weights"
        return maker(new_weight((values.astype(np.int16) - SHIFT).astype(np.int8), f"{wish}_signed", maker.store))
    return _flipped(maker, maker(graph.CastOp(x, i8)))


def _raised(maker: Maker, y: SSAValue, like: Operation) -> SSAValue:
    """Convert signed bytes to unsigned ones, 128 higher, in place of the result of `like`, whose name they get."""
    y.name_hint = like.results[0].name_hint
    return maker(graph.CastOp(_flipped(maker, y), ui8))


class UnsignedResult(WeightPattern):
    """A cast of clamped whole numbers to unsigned bytes that some operation computes with."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        clamp = op.x.owner
        if not _is_unsigned(op.y) or not isinstance(clamp, graph.ClampOp) or not _is_read(op.y):
            return
        low, high = number(clamp.min), number(clamp.max)
        if low is None or high is None or low < 0 or high > 255 or not self._is_whole(clamp.x):
            return
        maker = Maker.of(rewriter, self.store, op)
        moved_down = self._moved_down(maker, clamp.x)
        limited = maker(graph.ClampOp(moved_down, min=float(low) - SHIFT, max=float(high) - SHIFT))
        rewriter.replace(op, [], [_raised(maker, maker(graph.CastOp(limited, i8)), op)])

    def _is_whole(self, value: SSAValue) -> bool:
        """Whether floats are whole numbers: rounded, possibly plus a zero point."""
        if as_tensor_type(value.type).element_type != f32:
            return False
        added = value.owner
        if not isinstance(added, graph.AddOp) or added.a.type != value.type:
            return isinstance(added, graph.RoundOp)
        return isinstance(added.a.owner, graph.RoundOp) and self._is_zero_point(added.b)

    def _is_zero_point(self, value: SSAValue) -> bool:
        known, made = known_value(value, self.store), value.owner
        if known is not None:
            return np.array_equal(known, np.rint(known))
        return isinstance(made, graph.CastOp) and is_integer(as_tensor_type(made.x.type).element_type)

    def _moved_down(self, maker: Maker, value: SSAValue) -> SSAValue:
        added = value.owner
        zero_point = known_value(added.b, self.store) if isinstance(added, graph.AddOp) else None
        if isinstance(added, graph.AddOp) and zero_point is not None:
            return _plus(maker, added.a, zero_point - np.float32(SHIFT))
        return _plus(maker, value, np.asarray(-SHIFT, np.float32))


def _plus(maker: Maker, x: SSAValue, addend: Array) -> SSAValue:
    return maker(graph.AddOp(x, maker.constant(addend, "zero_point"))) if addend.any() else x


def _is_read(value: SSAValue) -> bool:
    """Whether an operation computes with the values of a tensor."""
    return any(isinstance(use.operation, CALCULATING) for use in value.uses)


class UnsignedRescale(WeightPattern):
    """A rescale from or to unsigned bytes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.RescaleOp, rewriter: PatternRewriter) -> None:
        reads, writes = _signed(op.x, self.store) is not None, _is_unsigned(op.y) and _is_read(op.y)
        if not reads and not writes:
            return
        maker = Maker.of(rewriter, self.store, op)
        (x_zp, y_zp), (low, high) = op.zero_points, op.limits
        down = SHIFT if writes else 0
        y = maker(
            graph.RescaleOp(
                _lowered(maker, op.x) if reads else op.x,
                op.multiplier,
                op.shift,
                i8 if writes else op.y.type.element_type,
                rounding=op.rounding_mode,
                input_zp=x_zp - SHIFT if reads else x_zp,
                output_zp=y_zp - down,
                min=low - down,
                max=high - down,
                axis=op.channel_axis,
            )
        )
        rewriter.replace(op, [], [_raised(maker, y, op) if writes else y])


class UnsignedNumbers(WeightPattern):
    """A cast of unsigned bytes to wider numbers, possibly minus a zero point."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        y, element = _signed(op.x, self.store), as_tensor_type(op.y.type).element_type
        if y is None or size_in_bytes(element) < 2 or not (is_float(element) or is_integer(element)):
            return
        maker, dtype = Maker.of(rewriter, self.store, op), to_numpy(element)
        numbers = maker(graph.CastOp(y, element))
        for use in list(op.y.uses):
            user = use.operation
            zero_point = known_value(user.b, self.store) if isinstance(user, graph.SubOp) and use.index == 0 else None
            if zero_point is not None and user.results[0].type == op.y.type and (np.abs(zero_point) <= 255).all():
                rewriter.replace(user, [], [self._less(maker, numbers, zero_point - dtype.type(SHIFT))])
        if op.y.first_use is None:
            rewriter.erase(op)
        else:
            rewriter.replace(op, [], [self._less(maker, numbers, np.asarray(-SHIFT, dtype))])

    def _less(self, maker: Maker, numbers: SSAValue, zero_point: Array) -> SSAValue:
        return maker(graph.SubOp(numbers, maker.constant(zero_point, "zero_point"))) if zero_point.any() else numbers


class UnsignedFactors(WeightPattern):
    """A sum of products where either factor is unsigned bytes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, graph.LayerOp) or not is_integer_layer(op) or not any(map(_is_unsigned, op.operands[:2])):
            return
        maker = Maker.of(rewriter, self.store, op)
        names = ("a_zp", "b_zp") if isinstance(op, graph.MatmulOp) else ("input_zp", "weight_zp")
        operands, properties = list(op.operands), dict(op.properties)
        zero_points = op.accumulation.x_zp, op.accumulation.w_zp
        for side, (name, zero_point) in enumerate(zip(names, zero_points, strict=True)):
            if not _is_unsigned(operands[side]):
                continue
            operands[side] = _lowered(maker, operands[side])
            properties.pop(name, None)
            attribute = zero_point_attribute(zero_point - SHIFT)
            if attribute is not None:
                properties[name] = attribute
        made = type(op).create(operands=operands, result_types=op.result_types, properties=properties)
        rewriter.replace(op, [], [maker(made)])


class UnsignedMove(WeightPattern):
    """An operation that only moves unsigned bytes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, MOVES) or not _is_unsigned(op.results[0]):
            return
        if all(_signed(value, self.store) is None for value in moved(op)):
            return
        stated = number(op.value) if isinstance(op, PADS) else None
        fill = None if stated is None else stated - SHIFT
        maker = Maker.of(rewriter, self.store, op)
        y = maker(rebuilt(op, [_lowered(maker, value) for value in moved(op)], fill))
        rewriter.replace(op, [], [_raised(maker, y, op)])


class ThereAndBack(WeightPattern):
    """`cast(x, i8) ^ -128` of a tensor converted from signed bytes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BitwiseXorOp, rewriter: PatternRewriter) -> None:
        cast = op.a.owner
        if splat_value(op.b, self.store) != -SHIFT or not isinstance(cast, graph.CastOp):
            return
        y = _signed(cast.x, self.store)
        if y is not None and y.type == op.y.type:
            rewriter.replace(op, [], [y])


class MakeBytesSignedPass(ModulePass):
    """Convert uint8 tensors to int8."""

    name = "graph-make-bytes-signed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(
            op,
            UnsignedResult(store),
            UnsignedRescale(store),
            UnsignedNumbers(store),
            UnsignedFactors(store),
            UnsignedMove(store),
            ThereAndBack(store),
        )
