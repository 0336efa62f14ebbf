"""Load the zero points of kernels from a constant, which a pack of weights brings (`--weights pack`).

    func.func private @conv(%y: memref<64xi8>, %x: memref<64xi8>) {
      loop.cache_read … {fill = 83 : i64, packed_number = 0 : i64}
      tensor.rescale … "upward" {offset = -128 : i32, packed_number = 1 : i64}
    }
    func.func @main(…) { func.call @conv(%y, %x) }
->
    func.func private @conv(%y: memref<64xi8>, %x: memref<64xi8>, %zero_points: memref<2xi32>) {
      %0 = loop.load %zero_points[0] {packed_number = 0 : i64}
      %1 = loop.load %zero_points[1] {packed_number = 1 : i64}
      … as it was; what is an `arith.constant` with a number becomes the loaded one
    }
    func.func @main(…) { %z = loop.weight "conv/zero_points" : memref<2xi32>    func.call @conv(%y, %x, %z) }

`tensor-number-zero-points` has numbered them. Operations that hold a zero point as an attribute keep it, and get the
place in the constant as their number; `loop-lower-to-c` writes what is loaded there. Zero points of one number in two
forms, as 83 in one operation and -83 in another, have two places.

Declined for kernels that inner networks call.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, ModuleOp, StringAttr, i32
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.structure.products import number_of, numbered
from s2s.dialects import loop, tensor
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.passes.context import weights_of
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.types.hints import isa
from s2s.types.weights import WeightStore


class LoadZeroPointsPass(ModulePass):
    name = "loop-load-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        for kernel, calls in list(kernels_of_main(op)):
            numbered_ops = [inner for inner in walk(kernel) if number_of(inner) is not None]
            if numbered_ops:
                _load(kernel, calls, numbered_ops, store)


def _load(kernel: FuncOp, calls: Sequence[CallOp], ops: Sequence[Operation], store: WeightStore) -> None:
    values = list(dict.fromkeys((number_of(op), _value(op)) for op in ops))
    places = {value: place for place, value in enumerate(values)}
    table = np.array([value for _, value in values], np.int32)
    type, block = MemRefType(i32, [len(table)]), kernel.body.block
    argument = block.insert_arg(type, len(block.args))
    argument.name_hint = "zero_points"
    loads = [loop.LoadOp(argument, AffineMap(0, 0, (AffineConstantExpr(place),)), (), i32) for place in places.values()]
    for place, load in enumerate(loads):
        load.result.name_hint = f"zero_point{place}"
        load.attributes |= numbered(place)
    for op in ops:
        place = places[number_of(op), _value(op)]
        op.attributes |= numbered(place)
        if isinstance(op, arith.ConstantOp):
            Rewriter.replace_op(op, [], [loads[place].result])
    Rewriter.insert_op(loads, InsertPoint.at_start(block))
    kernel.function_type = FunctionType.from_lists(
        [buffer.type for buffer in block.args], kernel.function_type.outputs.data
    )
    name = store.add(f"{kernel.sym_name.data}/zero_points", table)
    for call in calls:
        weight = loop.WeightOp(StringAttr(name), StringAttr(store.hash(name)), type)
        weight.result.name_hint = "zero_points"
        Rewriter.insert_op(weight, InsertPoint.before(call))
        call.operands = [*call.operands, weight.result]


def _value(op: Operation) -> int:
    """Return the number that `op` is or adds, or that it stores for padding."""
    match op:
        case arith.ConstantOp(value=value) if isa(value, IntegerAttr):
            return value.value.data
        case tensor.RescaleOp():
            return op.added
        case loop.CacheReadOp():
            return op.stored if op.is_as_stored else op.offset.value.data
        case loop.ExtendOp():
            return op.offset.value.data
        case _:
            raise CompilerBug(f"{op.name} adds no zero point")


__all__ = ["LoadZeroPointsPass"]
