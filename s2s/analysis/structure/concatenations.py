"""Recognise kernels that concatenate tensors or slice a tensor, where each operand or slice is contiguous in memory."""

from math import prod

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import body_ops, own_position, shape_of
from s2s.dialects import tensor
from s2s.types.affine import flat_index, linear, ranges


def joined_axis(func: FuncOp) -> int | None:
    """Return the axis along which kernel `func` concatenates its arguments in order, if each is contiguous in the
    result; else None."""
    op = _only_compute(func)
    if op is None or len(op.epilogue) < 2 or list(op.epilogue) != list(func.body.block.args):
        return None
    if not _picks_the_one_in_bounds(op):
        return None
    whole = shape_of(op.res[0])
    parts = [shape_of(value) for value in op.epilogue]
    axis = next((each for each, size in enumerate(whole) if parts[0][each : each + 1] != (size,)), None)
    if axis is None or prod(whole[:axis]) != 1 or sum(part[axis] for part in parts) != whole[axis]:
        return None
    if any(part[:axis] + part[axis + 1 :] != whole[:axis] + whole[axis + 1 :] for part in parts):
        return None
    start = 0
    for number, part in enumerate(parts):
        if _offset(op, number) != start:
            return None
        start += prod(part)
    return axis


def cut_start(func: FuncOp) -> tuple[int, ...] | None:
    """Return the start of the slice that kernel `func` copies out of its argument, if the slice is contiguous; else
    None."""
    op = _only_compute(func)
    if op is None or list(op.epilogue) != list(func.body.block.args) or len(op.epilogue) != 1 or body_ops(op):
        return None
    part, whole = shape_of(op.res[0]), shape_of(op.epilogue[0])
    if op.epilogue_accesses[0].is_guarded or _offset(op, 0) is None or len(part) != len(whole) or part == whole:
        return None
    first = [expr.eval([0] * op.rank, []) for expr in op.epilogue_accesses[0].map.data.results]
    return tuple(first)


def _only_compute(func: FuncOp) -> tensor.ComputeOp | None:
    """Return the only computation of a kernel if it does nothing but copy elements; else None."""
    if func.is_declaration:
        return None
    ops = list(func.body.block.ops)
    op = ops[0]
    if len(ops) != 2 or not isinstance(op, tensor.ComputeOp) or not isinstance(ops[1], ReturnOp):
        return None
    is_plain = op.reduce is None and not op.reads and not op.tables and len(op.res) == 1
    return op if is_plain and op.parallel_sizes == shape_of(op.res[0]) else None


def _offset(op: tensor.ComputeOp, number: int) -> int | None:
    """Return the distance from an element of epilogue operand `number` to its copy in the result; None if it is not
    constant."""
    access = op.epilogue_accesses[number]
    if any(divisor > 1 for divisor in access.division):
        return None
    bound = ranges(op.parallel_sizes)
    there = linear(flat_index(access.map.data.results, shape_of(op.epilogue[number])), bound)
    distance = linear(own_position(op.parallel_sizes), bound).plus(there, -1)
    return None if distance.terms else distance.constant


def _picks_the_one_in_bounds(op: tensor.ComputeOp) -> bool:
    """Return whether the result is `x0` where that is in bounds, else `x1` where that is, and so on to the last
    operand."""
    arguments = op.apply.block.args
    last = op.apply.block.last_op
    if not isinstance(last, tensor.YieldOp) or len(arguments) != len(op.epilogue):
        return False
    if any(not isinstance(inner, tensor.InBoundsOp | arith.SelectOp) for inner in body_ops(op)):
        return False
    value: SSAValue = last.arguments[0]
    for argument in arguments[:-1]:
        pick = value.owner
        if not isinstance(pick, arith.SelectOp) or pick.lhs is not argument:
            return False
        asked = pick.cond.owner
        if not isinstance(asked, tensor.InBoundsOp) or asked.value is not argument:
            return False
        value = pick.rhs
    return value is arguments[-1]
