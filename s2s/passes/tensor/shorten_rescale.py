"""Replace a rescale by a shorter sequence of instructions where the range of its operand allows it.

    %s = arith.addi %acc, %bias : i32
    %r = tensor.rescale %s, %multiplier, %shift "double" : i32
    %z = arith.addi %r, %zp : i32                                // zp = -5
    %q = arith.trunci (arith.minsi (arith.maxsi %z, -128), 127)
->
    %s = arith.addi %acc, %bias overflow<nsw> : i32
    %z = tensor.rescale %s, %multiplier, %shift "negative" {offset = -5 : i32} : i32
    %q = tensor.saturate %z

The weights bound the sum. If it is below 2^30, it can be doubled without overflow, and the high half of one product
then gives the result of the first rounding. A shift that is 0 at every call needs no second rounding. The second one
adds a half, and with it the zero point, shifted to the left: both in the instruction of the product.

Halves of negative numbers go away from zero, unless nobody can tell ("upward"): where a limit from below is at least
the zero point, as after a ReLU, every negative number becomes that limit, rounded either way.

Declined where the sum may be larger, where a shift is to the left, 0 for some channels only or longer than the
offset allows (22, or 15 of sums of constants in pairs), where a multiplier may be negative, and for other roundings.
"""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of, constant_values
from s2s.analysis.numbers.integer_ranges import Interval, apply_intervals
from s2s.analysis.structure.biases import bias_of
from s2s.dialects import tensor
from s2s.passes.context import weights_of
from s2s.types.hints import isa

LIMIT = 2**30
"""Absolute values below this can be doubled in `i32`."""

ZERO_POINTS = 256
"""Offsets of short roundings lie below this in absolute value."""

IN_RANGE = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))

Known = Mapping[SSAValue, Interval]


class ShortenRescalePass(ModulePass):
    name = "tensor-shorten-rescale"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = calls_of(op)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                constants = constant_values(func, calls, weights_of(ctx))
                for compute in func.body.block.ops:
                    if isinstance(compute, tensor.Computation):
                        _shorten(compute, apply_intervals(compute, constants))


def _shorten(op: tensor.Computation, known: Known) -> None:
    sum_of_pairs = _sum_of_pairs(op)
    for inner in list(op.apply.block.ops):
        match inner:
            case arith.AddiOp() | arith.SubiOp() if inner.results[0] in known and inner.results[0].type == i32:
                inner.properties["overflowFlags"] = IN_RANGE
            case tensor.RescaleOp() if inner.rounding.data == "double":
                _shorten_rescale(inner, known, sum_of_pairs)
            case arith.TruncIOp() if inner.result.type == i8:
                _saturate(inner)
            case _:
                pass


def _sum_of_pairs(op: tensor.Computation) -> SSAValue | None:
    """Return the sum of products with its bias, where its constants are pairs of bytes; else None."""
    if not isinstance(op, tensor.ComputeOp) or op.schedule is None or not op.schedule.on(op).in_pairs:
        return None
    bias = bias_of(op)
    return None if bias is None else bias.addition.results[0]


def _shorten_rescale(op: tensor.RescaleOp, known: Known, sum_of_pairs: SSAValue | None) -> None:
    lowest = tensor.LOWEST_SHORT_SHIFT_OF_PAIRS if op.x is sum_of_pairs else tensor.LOWEST_SHORT_SHIFT
    x, multiplier, shift = (known.get(operand) for operand in op.operands)
    if x is None or shift is None or not -LIMIT < x[0] <= x[1] < LIMIT:
        return
    if shift == (0, 0):
        Rewriter.replace_op(op, tensor.RescaleOp(op.x, op.multiplier, op.shift, "high"))
    elif lowest <= shift[0] <= shift[1] < 0 and multiplier is not None and multiplier[0] >= 0:
        _merge_addition(op)


def _merge_addition(op: tensor.RescaleOp) -> None:
    """Take the short form of a rescale, and merge an addition of a constant that follows into it."""
    added, offset = _addition(op)
    last: Operation = op if added is None else added
    rounding = "upward" if _is_limited(last.results[0], offset) else "negative"
    short = tensor.RescaleOp(op.x, op.multiplier, op.shift, rounding, offset or None)
    Rewriter.insert_op(short, InsertPoint.before(op))
    Rewriter.replace_op(last, [], [short.result])
    if added is not None:
        Rewriter.erase_op(op)


def _is_limited(number: SSAValue, least: int) -> bool:
    """Return whether all that read `number` take the same for `least` and for every number below."""
    limits = [
        _constant(use.operation.rhs) if isinstance(use.operation, arith.MaxSIOp) and use.index == 0 else None
        for use in number.uses
    ]
    return all(limit is not None and limit >= least for limit in limits)


def _addition(op: tensor.RescaleOp) -> tuple[arith.AddiOp | None, int]:
    """Return the addition of a constant that is the only use of `op`, and that constant, if it is as small as a zero
    point."""
    uses = list(op.result.uses)
    if len(uses) != 1 or not isinstance(uses[0].operation, arith.AddiOp):
        return None, 0
    added = uses[0].operation
    constant = (added.rhs if added.lhs is op.result else added.lhs).owner
    if not isinstance(constant, arith.ConstantOp) or not isa(constant.value, IntegerAttr):
        return None, 0
    offset = constant.value.value.data
    return (added, offset) if abs(offset) < ZERO_POINTS else (None, 0)


def _saturate(op: arith.TruncIOp) -> None:
    """Replace a clamp to the range of a type and the truncation to it by one saturation; keep a higher lower bound."""
    upper = op.input.owner
    if not isinstance(upper, arith.MinSIOp) or op.input.type != i32 or _constant(upper.rhs) != 127:
        return
    lower = upper.lhs.owner
    if not isinstance(lower, arith.MaxSIOp):
        return
    limit = _constant(lower.rhs)
    if limit is None or not -128 <= limit <= 127:
        return
    saturated = tensor.SaturateOp(lower.lhs if limit == -128 else lower.result)
    Rewriter.replace_op(op, saturated)
    for dead in (upper, lower):
        if not dead.results[0].uses:
            Rewriter.erase_op(dead)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isa(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
