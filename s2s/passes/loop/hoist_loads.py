"""Move loads of constants out of loops that do not change their place.

    loop.for %oc = 0 to 64 {
      loop.for %oh = 0 to 25 {
        …
        %m = loop.load %multiplier[affine_map<(d0) -> (d0)>(%oc)] : memref<64xi32> -> i32
->
    loop.for %oc = 0 to 64 {
      %m = loop.load %multiplier[affine_map<(d0) -> (d0)>(%oc)] : memref<64xi32> -> i32
      loop.for %oh = 0 to 25 {
        …

A C compiler that is short of registers keeps the address of a constant and loads it in each pass, and computes anew
what follows from it; a number that is loaded before the loop costs a load from the stack at most.

So are the constants of a window loaded, which stay in registers while its rows come by, if there are registers for all.

Declined for what is no constant in all calls, for other vectors, for loops that may run no pass, and for parallel
loops, which threads divide.
"""

from collections.abc import Hashable, Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLELIZE, SERIAL
from s2s.dialects.walk import walk
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.support.frozen import frozen

MAX_ROWS = 7
"""Rows of constants that stay in registers: one of eight is left for the window."""


@frozen
class HoistLoadsPass(ModulePass):
    name = "loop-hoist-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, calls in kernels_of_main(op):
            hoisted: dict[Hashable, loop.LoadOp] = {}
            for load in list(_loads(kernel, calls)):
                outside = _outermost(load)
                if outside is not None:
                    _hoist(load, outside, hoisted)


def _loads(kernel: FuncOp, calls: Sequence[CallOp]) -> Iterator[loop.LoadOp]:
    """Yield the loads of single integers, and of few rows of windows, from the constants of a kernel."""
    constants = {arg for arg in kernel.args if all(_is_weight(call.arguments[arg.index]) for call in calls)}
    for op in walk(kernel):
        if isinstance(op, loop.LoadOp) and op.buffer in constants and _fits(op):
            yield op


def _fits(op: loop.LoadOp) -> bool:
    """Return whether a load gives one number, or one of few rows of a window."""
    return isinstance(op.result.type, IntegerType) or (_is_row(op) and _rows_beside(op) <= MAX_ROWS)


def _is_row(op: Operation) -> bool:
    """Return whether all that reads a vector multiplies it as the constants of a row of a window."""
    uses = list(op.results[0].uses) if isinstance(op, loop.LoadOp) else []
    products = [use.operation for use in uses if isinstance(use.operation, loop.IntrinsicOp) and use.index == 2]
    return 0 < len(uses) == len([each for each in products if each.intrinsic.form.data == "dot_window"])


def _rows_beside(op: loop.LoadOp) -> int:
    """Return the number of rows of constants that are loaded in the block of `op`."""
    return sum(map(_is_row, op.parent.ops)) if op.parent is not None else 0


def _is_weight(value: SSAValue) -> bool:
    return isinstance(value.owner, loop.WeightOp)


def _outermost(load: loop.LoadOp) -> loop.ForOp | None:
    """Return the outermost loop that a load may leave; None if it stays."""
    outside, op = None, load.parent_op()
    while isinstance(op, loop.ForOp) and _may_leave(load, op):
        outside, op = op, op.parent_op()
    return outside


def _may_leave(load: loop.LoadOp, around: loop.ForOp) -> bool:
    is_serial = around.kind.data == SERIAL and PARALLELIZE not in around.attributes
    return is_serial and bool(around.trips) and not any(_is_inside(index, around) for index in load.indices)


def _is_inside(value: SSAValue, around: loop.ForOp) -> bool:
    op: Operation | None = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    while op is not None and op is not around:
        op = op.parent_op()
    return op is around


def _hoist(load: loop.LoadOp, outside: loop.ForOp, hoisted: dict[Hashable, loop.LoadOp]) -> None:
    """Put a load before a loop, once for all that read the same place there."""
    key = outside, load.buffer, load.map, tuple(load.indices), load.result.type
    if key in hoisted:
        Rewriter.replace_op(load, [], [hoisted[key].result])
        return
    load.detach()
    Rewriter.insert_op(load, InsertPoint.before(outside))
    hoisted[key] = load
