"""Number the zero points of integer kernels, which a pack of weights then brings (`--weights pack`).

    %x = arith.extsi %0 : i8 to i32
    %c = arith.constant 83 : i32
    %y = arith.subi %x, %c : i32
    …
    %z = tensor.rescale %s, %m, %n "upward" {offset = -128 : i32} : i32
->
    %c = arith.constant {packed_number = 0 : i64} 83 : i32
    …
    %z = tensor.rescale %s, %m, %n "upward" {packed_number = 1 : i64, offset = -128 : i32} : i32

The numbers stay in the IR, so that ranges and schedules are those of this model; `loop-lower-to-c` writes them to a
table that the kernel reads. A retrained model has the same code where its own numbers ask for the same one.

Zero points are constants that are added to an extended byte, to the sum that a rescale takes, or to its result.
Declined for a zero point of 0, of which the IR has no trace, for numbers of floats, and for the limits of clamps.
"""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.structure.products import numbered
from s2s.dialects import tensor
from s2s.dialects.walk import walk
from s2s.types.hints import isa


class NumberZeroPointsPass(ModulePass):
    name = "tensor-number-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                for number, zero_point in enumerate(list(_zero_points(func))):
                    _number(zero_point, number)


def _zero_points(func: FuncOp) -> Iterator[tensor.RescaleOp | arith.AddiOp | arith.SubiOp]:
    """Return the operations of a kernel that add a zero point."""
    for op in walk(func):
        if isinstance(op, tensor.RescaleOp):
            if op.offset is not None:
                yield op
        elif isinstance(op, arith.AddiOp | arith.SubiOp) and _is_number(op.rhs) and _is_moved(op):
            yield op


def _is_number(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, arith.ConstantOp) and isa(owner.value, IntegerAttr) and value.type == i32


def _is_moved(op: arith.AddiOp | arith.SubiOp) -> bool:
    """Return whether a byte is added to, or what a rescale takes or gives."""
    owner = op.lhs.owner
    if isinstance(owner, tensor.RescaleOp) or (isinstance(owner, arith.ExtSIOp) and owner.input.type == i8):
        return True
    return any(isinstance(use.operation, tensor.RescaleOp) and use.index == 0 for use in op.result.uses)


def _number(op: tensor.RescaleOp | arith.AddiOp | arith.SubiOp, number: int) -> None:
    """Give a zero point its number; a constant that others use too becomes two."""
    if isinstance(op, tensor.RescaleOp):
        op.attributes |= numbered(number)
        return
    constant = op.rhs.owner
    assert isinstance(constant, Operation)
    zero_point = constant.clone()
    zero_point.attributes |= numbered(number)
    Rewriter.insert_op(zero_point, InsertPoint.before(op))
    op.operands[1] = zero_point.results[0]
    if not constant.results[0].uses:
        Rewriter.erase_op(constant)


__all__ = ["NumberZeroPointsPass"]
