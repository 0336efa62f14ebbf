"""Fold the zero point of cached bytes into the initial values of the accumulators.

    tensor.compute [64, 16 | 9] reads(%x …, %w …) epilogue(%b …) schedule #tensor.schedule<[… cache_read<0 at 1 as i8>]>
->
    %s = graph.weight "w_start" : tensor<16xi32>                     // main
    tensor.compute [64, 16 | 9] reads(%x …, %w …) epilogue(%b …, %s at (p, o) -> (o))
                                           schedule #tensor.schedule<[… cache_read<0 at 1 as i8>, init_from<1>]>

with `s[o] = -zero point * sum(w[o, …])`, each weight less its own zero point; unsigned products have a zero point that
is 128 higher. The regions of the computation do not change, and none uses the new operand: where a schedule caches
bytes unmodified, with the zero point stored as padding, `tensor-lower-to-loop` starts the accumulators from it.

    sum over all steps of cached * w - zero point * sum(w)  =  sum over steps inside of (x - zero point) * w

Declined where neither bytes are cached nor products unsigned, and for a zero point of 0. Where the bytes of `w` are
cached, the zero point of `x` stays in the products.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FunctionType, ModuleOp, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.raw_bytes import fault_of_raw_bytes, named_read, zero_point
from s2s.analysis.structure.roles import constant_axes, roles_of
from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug
from s2s.passes.context import weights_of
from s2s.schedules.directives import InitFrom
from s2s.types.dtypes import tensor_type
from s2s.types.weights import WeightStore


class FoldZeroPointsIntoInitsPass(ModulePass):
    name = "tensor-fold-zero-points-into-inits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = calls_of(op)
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                constants = constant_arguments(func, calls)
                add_inits(func, constants, calls.get(func.sym_name.data, []), weights_of(ctx))


def add_inits(func: FuncOp, constants: frozenset[SSAValue], calls: Sequence[graph.CallOp], store: WeightStore) -> None:
    """Fold the zero points of all computations of a kernel."""
    for op in list(func.body.block.ops):
        if isinstance(op, tensor.ComputeOp):
            _add_init(func, op, constants, calls, store)


def _add_init(
    func: FuncOp,
    op: tensor.ComputeOp,
    constants: frozenset[SSAValue],
    calls: Sequence[graph.CallOp],
    store: WeightStore,
) -> None:
    state = None if op.schedule is None else op.schedule.on(op)
    if state is None or state.init_from is not None:
        return
    if (fault := fault_of_raw_bytes(op, state, constants)) is not None:
        raise CompilerBug(f"{func.sym_name.data}: {fault}; the verifier refuses that")
    roles, named = roles_of(op, constants) if state.takes_raw_bytes else None, named_read(state)
    offset = 0 if roles is None else zero_point(op, state, roles.x if named is None else named)
    if roles is None or offset == 0:
        return
    (channel,) = (*roles.both, *roles.w_only)
    w, axes = op.reads[roles.w], constant_axes(op, roles.w, channel)
    assert isinstance(w, BlockArgument)
    assert axes is not None
    type = tensor_type(i32, (op.sizes[channel],))
    argument = func.body.block.insert_arg(type, len(func.body.block.args))
    argument.name_hint = "start"
    for call in calls:
        weight = call.operands[w.index].owner
        assert isinstance(weight, graph.WeightOp)
        values = store.get(weight.weight_name.data).astype(np.int64)
        others = tuple(axis for axis in range(values.ndim) if axis != axes[0])
        sums = offset * (values + roles.w_offset).sum(axis=others)
        name = store.add(f"{weight.weight_name.data}_start", sums.astype(np.int32))
        start = graph.WeightOp(name, type, store.hash(name))
        start.y.name_hint = f"{weight.y.name_hint}_start" if weight.y.name_hint else None
        Rewriter.insert_op(start, InsertPoint.before(call))
        call.operands = [*call.operands, start.y]
    _add_point(op, argument, channel)
    func.function_type = FunctionType.from_lists(
        [each.type for each in func.body.block.args], func.function_type.outputs.data
    )


def _add_point(op: tensor.ComputeOp, argument: BlockArgument, channel: int) -> None:
    """Append an operand to the epilogue of `op` that depends on `channel` alone; its accumulators start from it."""
    assert op.schedule is not None
    access = tensor.AccessAttr.of(AffineMap(op.rank, 0, (AffineDimExpr(channel),)))
    operands = [*op.reads, *op.epilogue, argument, *op.tables]
    op.apply.block.insert_arg(i32, len(op.inits) + len(op.epilogue))
    op.properties["schedule"] = op.schedule.adding(InitFrom.of(len(op.epilogue)))
    op.properties["accesses"] = ArrayAttr([*op.accesses, access])
    segments = [len(op.reads), len(op.epilogue) + 1, len(op.tables)]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)
    op.operands = operands
