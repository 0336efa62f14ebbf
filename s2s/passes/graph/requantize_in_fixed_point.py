"""Replace float requantisation of integers by fixed-point arithmetic.

    %f = graph.cast %s : (tensor<…xi32>) -> tensor<…xf32>
    %m = graph.mul %f, %factor
    %y = cast(clamp(round(%m) + y_zp))
->
    %r = graph.rescale %s, %multiplier, %shift {output_zp = …, rounding = "double"} : … -> tensor<…xi8>
    %y = graph.clamp %r

    %y = cast(clamp(round(%a * fa + (%b * fb + c)) + y_zp)), with %a and %b of 8 bits
->
    %y = cast(clamp((%a * ma + (%b * mb + mc)) >> shift)), all of it in i32

    %y = cast(clamp(round(softmax(%a_real) / y_scale) + y_zp)), with %a of 8 bits and 1 / y_scale an integer
->
    %e = graph.table (max %a - %a), …                                         // e ** -d in units of 2 ** -bits
    %y = cast(clamp((%e * (1 / y_scale) + (sum %e) / 2) / (sum %e) + y_zp))

The first form rounds once (`rounding = "single"`) where the factor is so large that two roundings would add up.
Multipliers have 31 bits there; in the second form, as many as the sum leaves free. Halves are rounded away from zero or
up, where floats are rounded to even. So a result may differ by one where the exact value lies close to the middle
between two integers: within 2 ** -6 where it is rounded twice, within 2 ** -12 in the second form.

Declined for sums of more than 48 bits, factors beyond 2 ** 30, and results that are neither 8-bit nor signed 16-bit
integers; these remain in floats.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i8, i16, i32, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.analysis.numbers.accumulators import signed_bits, sum_bound
from s2s.analysis.numbers.known_values import splat_value
from s2s.analysis.numbers.quantised_values import Rounded, Scaled, quantised, rounded, scaled
from s2s.dialects import graph
from s2s.dialects.graph.quantize import Rounding
from s2s.passes.context import weights_of
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type, size_in_bytes, to_numpy, ui8
from s2s.types.weights import WeightStore

MIN_BITS = 12
"""Minimum number of fractional bits of a weighted sum."""
MAX_BITS = 24
MAX_TERMS = 16
BITS_BETWEEN = 5
"""Fractional bits that the first of two roundings keeps."""
SAME_SCALE = 1e-5
"""Maximum relative difference of a scale from one over an integer to be taken for it."""
REDUCED_BITS = 48
"""Maximum width of sums that a rescale takes: above 32 bits it uses a multiplier of reduced precision."""


@frozen
class RoundedProduct(RewritePattern):
    """`round(sums * factor)`."""

    store: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = rounded(op, self.store)
        source = None if target is None else scaled(target.real, self.store)
        if target is None or source is None or target.element not in (i8, ui8, i16):
            return
        parameters = fixed_point(source.scale)
        if parameters is None or not source.has_one_offset or not self._is_narrow(source):
            return
        maker = Maker.of(rewriter, self.store, op)
        multiplier, shift = (maker.constant(array, "multiplier") for array in parameters)
        rescaled = graph.RescaleOp(
            source.x,
            multiplier,
            shift,
            target.element,
            rounding=_rounding(source, parameters[1]),
            input_zp=source.offset,
            output_zp=target.zero_point,
            axis=source.axis,
        )
        rewriter.replace(op, [], [limited(maker, maker(rescaled), target)])

    def _is_narrow(self, source: Scaled) -> bool:
        """Whether a multiplier can take the integers: of 32 bits, or of 64 with at most 48 in use."""
        if source.element != i64:
            return size_in_bytes(source.element) <= 4
        owner = source.x.owner
        bound = sum_bound(owner, self.store) if isinstance(owner, graph.ConvOp | graph.MatmulOp) else None
        return bound is not None and signed_bits(bound.largest) <= REDUCED_BITS


def fixed_point(factors: Array) -> tuple[Array, Array] | None:
    """Multipliers of 31 bits and shifts, `factor = multiplier * 2 ** (shift - 31)`; None if one is out of range."""
    fractions, shifts = np.frexp(factors.astype(np.float64))
    multipliers = np.rint(fractions * 2.0**31)
    full = multipliers == 2.0**31
    multipliers, shifts = np.where(full, 2.0**30, multipliers), np.where(full, shifts + 1, shifts)
    if (shifts < -31).any() or (shifts > 14).any():
        return None
    return multipliers.astype(np.int32), shifts.astype(np.int8)


def _rounding(source: Scaled, shifts: Array) -> Rounding:
    """The cheapest rounding that is exact except for halves: rounding twice needs many bits in between."""
    if source.element == i64:
        return "reduced"
    return "double" if shifts.max() <= -BITS_BETWEEN else "single"


def limited(maker: Maker, value: SSAValue, target: Rounded) -> SSAValue:
    """Clamp `value` to the limits of `target`, unless its type does so."""
    return value if target.is_full else maker(graph.ClampOp(value, min=target.low, max=target.high))


@frozen
class Term:
    """`x * factor` in a sum."""

    x: SSAValue
    factor: float

    @property
    def largest(self) -> int:
        """The largest absolute value of the integers."""
        info = np.iinfo(to_numpy(as_tensor_type(self.x.type).element_type))
        return max(-int(info.min), int(info.max))


@frozen
class RoundedSum(RewritePattern):
    """`round(a * fa + b * fb + c)`."""

    store: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = rounded(op, self.store)
        found = None if target is None else self._terms(target.real)
        if target is None or found is None or len(found[0]) < 2:
            return
        terms, constant = found
        bits = _bits(terms, constant, target.zero_point)
        if bits < MIN_BITS:
            return
        maker = Maker.of(rewriter, self.store, op)
        offset = _offset(constant, target.zero_point, bits)
        total = maker.constant(np.asarray(offset, np.int32), "offset")
        for term in terms:
            factor = maker.constant(np.asarray(round(term.factor * 2**bits), np.int32), "factor")
            total = maker(graph.AddOp(maker(graph.MulOp(maker.cast(term.x, i32), factor)), total))
        total = maker(graph.ShiftRightOp(total, maker.constant(np.asarray(bits, np.int32), "shift")))
        total = maker(graph.ClampOp(total, min=target.low, max=target.high))
        rewriter.replace(op, [], [maker.cast(total, target.element)])

    def _terms(self, value: SSAValue) -> tuple[list[Term], float] | None:
        """Match `value` as a sum of 8-bit integers times numbers, and a constant."""
        terms: list[Term] = []
        constant, pending = 0.0, [value]
        while pending:
            part = pending.pop()
            if isinstance(part.owner, graph.AddOp):
                pending += [part.owner.b, part.owner.a]
                continue
            known = splat_value(part, self.store)
            term = self._term(part)
            if known is not None:
                constant += known
            elif term is None or len(terms) == MAX_TERMS:
                return None
            else:
                terms.append(term)
        return terms, constant

    def _term(self, value: SSAValue) -> Term | None:
        multiply = value.owner
        if not isinstance(multiply, graph.MulOp) or as_tensor_type(value.type).element_type != f32:
            return None
        factor, cast = splat_value(multiply.b, self.store), multiply.a.owner
        if factor is None or not isinstance(cast, graph.CastOp) or multiply.a.type != value.type:
            return None
        small = as_tensor_type(cast.x.type).element_type in (i8, ui8)
        return Term(cast.x, factor) if small and np.isfinite(factor) else None


def _offset(constant: float, zero_point: int, bits: int) -> int:
    """The constant of a sum in units of `2 ** -bits`: constant, zero point, and a half for rounding."""
    return round(constant * 2**bits) + (zero_point << bits) + (1 << (bits - 1))


def _bits(terms: Sequence[Term], constant: float, zero_point: int) -> int:
    """The most fractional bits with which no part of the sum overflows; -1 if there are none."""
    for bits in range(MAX_BITS, 0, -1):
        parts = [term.largest * abs(round(term.factor * 2**bits)) for term in terms]
        if sum(parts) + abs(_offset(constant, zero_point, bits)) < 2**31:
            return bits
    return -1


@frozen
class RoundedSoftmax(RewritePattern):
    """A softmax from 8-bit integers to 8-bit integers."""

    store: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = quantised(op, self.store)
        softmax = None if target is None else target.real.owner
        if target is None or not isinstance(softmax, graph.SoftmaxOp):
            return
        source = scaled(softmax.x, self.store)
        steps = round(1 / float(target.scale))
        if source is None or source.axis is not None or source.element not in (i8, ui8):
            return
        axis = softmax.axis.value.data
        count = as_tensor_type(softmax.x.type).get_shape()[axis]
        bits = ((2**31 - 1) // (steps + count)).bit_length() - 1
        if bits < MIN_BITS or abs(float(target.scale) * steps - 1) > SAME_SCALE:
            return
        maker = Maker.of(rewriter, self.store, softmax, op)
        powers = np.rint(np.exp(-np.arange(256) * float(source.step)) * 2.0**bits).astype(np.int32)
        largest = maker(graph.ReduceMaxOp(source.x, axes=[axis], keepdims=True))
        distance = maker(graph.SubOp(maker.cast(largest, i32), maker.cast(source.x, i32)))
        power = maker(graph.TableOp(maker.cast(distance, ui8), maker.constant(powers, "powers")))
        total = maker(graph.ReduceSumOp(power, axes=[axis], keepdims=True))
        half = maker(graph.ShiftRightOp(total, maker.constant(np.asarray(1, np.int32), "one")))
        scaled_up = maker(graph.MulOp(power, maker.constant(np.asarray(steps, np.int32), "steps")))
        share = maker(graph.DivOp(maker(graph.AddOp(scaled_up, half)), total))
        if target.zero_point:
            share = maker(graph.AddOp(share, maker.constant(np.asarray(target.zero_point, np.int32), "zero_point")))
        share = maker(graph.ClampOp(share, min=target.low, max=target.high))
        rewriter.replace(op, [], [maker.cast(share, target.element)])


@frozen
class RequantizeInFixedPointPass(ModulePass):
    """Replace float factors by multipliers and shifts."""

    name = "graph-requantize-in-fixed-point"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, RoundedProduct(store), RoundedSum(store), RoundedSoftmax(store))
