"""Outline groups of operations as functions."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import FunctionType, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from s2s.analysis.network.functions import DEVICE, KERNEL
from s2s.analysis.numbers.known_values import is_known, is_splat, known_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.types.dtypes import as_tensor_type
from s2s.types.weights import WeightStore


def without_border_reshapes(ops: Sequence[Operation]) -> list[Operation]:
    """The operations of a group without the reshapes at its inputs and output, which need no kernel."""
    kept = dict.fromkeys(ops)
    for op in ops:
        if isinstance(op, graph.ReshapeOp) and op.x.owner not in kept:
            del kept[op]
    while kept and isinstance(last := next(reversed(kept)), graph.ReshapeOp):
        del kept[last]
    return list(kept)


def placed_name(base: str, ops: Sequence[Operation]) -> str:
    """Return the name of a kernel of `ops`, beginning with the device that runs it unless that is the first one."""
    device = ops[-1].attributes.get(DEVICE)
    return f"{device.data}_{base}" if isinstance(device, StringAttr) else base


def outline(name: str, ops: Sequence[Operation], weights: WeightStore) -> FuncOp:
    """Move `ops` into a new kernel and replace them by a call; only the last one may be used outside. One device runs
    all of them."""
    inside = set(ops)
    last = ops[-1]
    operands = _parameters(ops, inside, weights)
    body = Block(arg_types=[operand.type for operand in operands])
    for argument, (operand, role) in zip(body.args, operands.items(), strict=True):
        argument.name_hint = role
        operand.name_hint = operand.name_hint or role
    call = graph.CallOp(name, list(operands), last.result_types)
    copy_provenance(call, *ops)
    block = last.parent_block()
    assert block is not None
    block.insert_op_before(call, last)
    for result, replacement in zip(last.results, call.outputs, strict=True):
        replacement.name_hint = result.name_hint
        result.replace_all_uses_with(replacement)
    _move(ops, inside, dict(zip(operands, body.args, strict=True)), body, weights)
    body.add_op(ReturnOp.create(operands=last.results))
    kind = FunctionType.from_lists([argument.type for argument in body.args], last.result_types)
    device = last.attributes.get(DEVICE)
    for op in ops:
        op.attributes.pop(DEVICE, None)
    return FuncOp.create(
        properties={"sym_name": StringAttr(name), "function_type": kind, "sym_visibility": StringAttr("private")},
        attributes={KERNEL: UnitAttr(), **({} if device is None else {DEVICE: device})},
        regions=[Region(body)],
    )


def _parameters(ops: Sequence[Operation], inside: set[Operation], weights: WeightStore) -> dict[SSAValue, str]:
    """The values that the kernel reads from outside, in order of first use, with a name for each."""
    found: dict[SSAValue, str] = {}
    for op in ops:
        for position, operand in enumerate(op.operands):
            if operand.owner not in inside and not _is_inlined(op, position, weights):
                found.setdefault(operand, _role(op, position, inside))
    return found


def _role(op: Operation, position: int, inside: set[Operation]) -> str:
    """The name of an operand by its role in `op`; a constant row added to a matrix product is its bias."""
    if isinstance(op, graph.AddOp) and is_known(op.operands[position]):
        product = op.operands[1 - position].owner
        shape = as_tensor_type(op.operands[position].type).get_shape()
        if isinstance(product, graph.MatmulOp) and product in inside and prod(shape[:-1]) == 1:
            return "bias"
    return op.role_of(position) if isinstance(op, graph.ParametersInterface) else "x"


def _is_inlined(op: Operation, position: int, weights: WeightStore) -> bool:
    """Whether the kernel holds a copy of the constant at `position` of the operands: it is a scalar that is used
    elementwise, or the one number that fills a tensor which a scatter updates."""
    operand = op.operands[position]
    if isinstance(op, graph.ScatterFamilyOp) and position == 0:
        value = known_value(operand, weights)
        return value is not None and is_splat(value)
    if not is_known(operand) or as_tensor_type(operand.type).element_count() != 1:
        return False
    return fusion_kind(op) <= FusionKind.BROADCAST and not isinstance(op, graph.BatchNormOp)


def _move(
    ops: Sequence[Operation],
    inside: set[Operation],
    arguments: dict[SSAValue, BlockArgument],
    body: Block,
    weights: WeightStore,
) -> None:
    """Move `ops` from their block into `body`, and let them read its arguments and copies of constants."""
    copies: dict[SSAValue, SSAValue] = {}
    for op in ops:
        op.detach()
        for position, operand in enumerate(op.operands):
            if operand.owner in inside:
                continue
            if not _is_inlined(op, position, weights):
                op.operands[position] = arguments[operand]
                continue
            if operand not in copies:
                copies[operand] = _copy(operand, body, weights)
            op.operands[position] = copies[operand]
        body.add_op(op)


def _copy(constant: SSAValue, body: Block, weights: WeightStore) -> SSAValue:
    """Add a constant to `body`: one of many equal numbers is broadcast there."""
    value = known_value(constant, weights)
    assert value is not None
    one = value.size == 1
    copy = graph.ConstantOp(value if one else value.reshape(-1)[:1].reshape([1] * value.ndim))
    copy.y.name_hint = constant.name_hint
    body.add_op(copy)
    if one:
        return copy.y
    whole = graph.BroadcastToOp(copy.y, value.shape)
    body.add_op(whole)
    return whole.y
