"""Merge the rounding of a rescaled sum, the addition of a zero point, and the clamp to bytes into one operation.

    %r = math.roundeven %v : f32
    %z = arith.addf %r, %zero_point : f32                                // -5.0
    %q = arith.fptosi (arith.minimumf (arith.maximumf %z, -128.0), 127.0) : f32 to i8
->
    %q = tensor.quantize %v {zero_point = -5 : i32}                      // with maybe_nan unless %v is known to be none

Scalar cores without an instruction that rounds to a float call the C library for it: a Cortex-M4 takes 40 instructions
for each element of a quantised layer, and 8 with a conversion that rounds to an integer and saturates, or 12 where `%v`
may be a NaN. It is none where it is computed from integers and constants; and with a zero point of 0, NaN needs no
care, because the conversion makes 0 of it. Cortex-M55 does four at a time.

Declined where the clamp is narrower than bytes, and on targets with vectors of floats.
"""

from collections.abc import Container

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.quantisation import constant_numbers, quantisation_of
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
                    if isinstance(compute, tensor.ComputeOp):
                        _shorten(compute, constants)


def _shorten(op: tensor.ComputeOp, constants: Container[SSAValue]) -> None:
    numbers = constant_numbers(op, constants)
    for inner in list(op.apply.block.ops):
        if isinstance(inner, arith.FPToSIOp) and (found := quantisation_of(inner, numbers)) is not None:
            maybe_nan = found.maybe_nan and found.zero_point != 0
            Rewriter.replace_op(inner, tensor.QuantizeOp(found.x, found.zero_point, maybe_nan=maybe_nan))
            for dead in found.steps:
                if not dead.results[0].uses:
                    Rewriter.erase_op(dead)
