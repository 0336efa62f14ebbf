"""Merge the bias of a sum with the initial value that takes off its zero point.

    tensor.compute … epilogue(%bias …, %start …) schedule #tensor.schedule<[…, init_from<1>]> … apply {
      %v = arith.addi %acc, %bias
->
    tensor.compute … epilogue(%bias …) schedule #tensor.schedule<[…, init_from<0>]> … apply {

where the calls pass `bias + start`: each result saves an addition and a load.

With `start = -zero_point * sum(w)` no sum on the way exceeds the bound of `s2s.analysis.numbers.accumulators`: of each
product either `(x - zero_point) * w` or `-zero_point * w` is in it, and no zero point exceeds `max |x - zero_point|`.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FunctionType, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from s2s.analysis.structure.biases import BiasWithStart, bias_with_start
from s2s.dialects import graph, tensor
from s2s.passes.tensor.lower_to_loop.pairs import replace_weight, weight_of
from s2s.schedules.directives import InitFrom
from s2s.types.weights import WeightStore


def merge_biases(
    func: FuncOp, constants: frozenset[SSAValue], calls: Sequence[graph.CallOp], store: WeightStore
) -> None:
    """Merge the biases of all computations of a kernel, whose constant arguments are `constants`."""
    for op in list(func.body.block.ops):
        if isinstance(op, tensor.ComputeOp) and (both := bias_with_start(op, constants)) is not None:
            _merge(func, op, both, calls, store)


def _merge(
    func: FuncOp, op: tensor.ComputeOp, both: BiasWithStart, calls: Sequence[graph.CallOp], store: WeightStore
) -> None:
    bias, number = both
    kept, start = op.epilogue[bias.number], op.epilogue[number]
    assert isinstance(kept, BlockArgument)
    assert isinstance(start, BlockArgument)
    for call in calls:
        one, other = (store.get(weight_of(call, each.index).weight_name.data) for each in (kept, start))
        total = (one.astype(np.int64) + other.astype(np.int64)).astype(np.int32)
        replace_weight(call, kept.index, total, "start", store)
        _drop(call, start.index)
    bias.addition.results[0].replace_all_uses_with(op.apply.block.args[0])
    Rewriter.erase_op(bias.addition)
    _drop_point(op, number, bias.number - (bias.number > number))
    func.body.block.erase_arg(start)
    types = [each.type for each in func.body.block.args]
    func.function_type = FunctionType.from_lists(types, func.function_type.outputs.data)


def _drop(call: graph.CallOp, number: int) -> None:
    """Leave out an operand of a call, and the weight that it is, if nothing else uses that."""
    weight = weight_of(call, number)
    call.operands = [operand for place, operand in enumerate(call.operands) if place != number]
    if not weight.y.uses:
        Rewriter.erase_op(weight)


def _drop_point(op: tensor.ComputeOp, number: int, bias: int) -> None:
    """Leave out operand `number` of the epilogue; sums start from operand `bias` of the other ones."""
    assert op.schedule is not None
    epilogue = [operand for place, operand in enumerate(op.epilogue) if place != number]
    accesses = list(op.accesses)
    del accesses[len(op.reads) + number]
    segments = [len(op.reads), len(epilogue), len(op.tables)]
    operands = [*op.reads, *epilogue, *op.tables]
    op.apply.block.erase_arg(op.apply.block.args[len(op.inits) + number])
    others = [each for each in op.schedule.directives if not isinstance(each, InitFrom)]
    op.properties["schedule"] = tensor.ScheduleAttr.of([*others, InitFrom.of(bias)])
    op.properties["accesses"] = ArrayAttr(accesses)
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)
    op.operands = operands


__all__ = ["merge_biases"]
