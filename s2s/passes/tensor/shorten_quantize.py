"""Merge the rounding of a rescaled sum, the addition of a zero point, and the clamp to 8 or 16 bits into one operation.

    %r = math.roundeven %v : f32
    %z = arith.addf %r, %zero_point : f32                                // -5.0
    %q = arith.fptosi (arith.minimumf (arith.maximumf %z, -128.0), 127.0) : f32 to i8
->
    %q = tensor.quantize %v {zero_point = -5 : i32} : i8                 // with maybe_nan unless %v is known to be none

Scalar cores without an instruction that rounds to a float call the C library for it: a Cortex-M4 takes 40 instructions
for each element of a quantised layer, and 8 with a conversion that rounds to an integer and saturates, or 12 where `%v`
may be a NaN. It is none where it is computed from integers and constants; and with a zero point of 0, NaN needs no
care, because the conversion makes 0 of it. Cortex-M55 does four at a time.

TFLite's rounding of halves away from zero, `away`, is one operation, too. So is a division by a constant in front of a
rounding, where two products are proved to give the same bytes; cores without an FPU divide integers.

    %v = arith.divf %x, 0.03 : f32
->
    %q = tensor.quantize %x {factors = array<f32: 0.03, 33.333332, 1.3e-6>, …} : i8

A byte without sign is one with a sign and its highest bit turned: `round(v) + 120` in 0 to 255 is `round(v) - 8` in
-128 to 127, and 128 more. NaN would give 0 there, so `%v` is known to be none, or halves go away from zero.

Declined where the clamp is narrower than its type, and on targets with vectors of floats.
"""

from collections.abc import Container

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.numbers.reciprocals import quotient_factors
from s2s.analysis.structure.quantisation import quantisations
from s2s.dialects import tensor
from s2s.passes.context import target_of
from s2s.support.frozen import frozen


@frozen
class ShortenQuantizePass(ModulePass):
    name = "tensor-shorten-quantize"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_of(ctx, self.target).lanes > 1:
            return
        calls = calls_of(op)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                constants = constant_arguments(func, calls)
                for compute in func.body.block.ops:
                    if isinstance(compute, tensor.Computation):
                        _shorten(compute, constants)


def _without_sign(short: tensor.QuantizeOp) -> list[Operation]:
    """Return a quantisation to bytes without sign: the one to bytes with a sign, 128 higher."""
    sign = arith.ConstantOp(IntegerAttr(-short.half, short.result.type))
    return [short, sign, arith.XOrIOp(short.result, sign.result)]


def _shorten(op: tensor.Computation, constants: Container[SSAValue]) -> None:
    for inner, found in quantisations(op, constants):
        maybe_nan = found.maybe_nan and found.zero_point != 0
        x, factors, dead = found.x, None, list(found.steps)
        if (quotient := found.quotient) is not None:
            pair = quotient_factors(quotient.divisor, away=found.away, bits=found.element.width.data)
            if pair is not None:
                x, factors = quotient.x, (quotient.divisor, *pair)
                dead.append(quotient.op)
        zero_point = found.zero_point - found.low + found.signed_low
        short = tensor.QuantizeOp(x, zero_point, found.element, maybe_nan=maybe_nan, away=found.away, factors=factors)
        Rewriter.replace_op(inner, _without_sign(short) if found.low == 0 else [short])
        for step in dead:
            if not step.results[0].uses:
                Rewriter.erase_op(step)
