"""Rewrite one kernel for operands and results that are stored in blocks of channels."""

from collections.abc import Mapping, Sequence
from math import gcd

from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineMap,
)
from xdsl.rewriter import Rewriter

from s2s.analysis.network.begins import begins_of, state_begins
from s2s.analysis.structure.compute import dim_names, slots
from s2s.analysis.structure.renumber import renumber
from s2s.decisions.channel_blocks import CHANNEL, MIN_BLOCK
from s2s.dialects import tensor
from s2s.types.affine import linear, ranges, simplify
from s2s.types.dtypes import AnyTensor, as_tensor_type, is_integer, tensor_type


def blocked_shape(shape: Sequence[int], block: int) -> tuple[int, ...]:
    """`[N, C, H, W]` as `[N, ceil(C / block), H, W, block]`."""
    return (shape[0], -(-shape[1] // block), *shape[2:], block)


def blocked_type(type: Attribute, block: int) -> AnyTensor:
    """Return the type of a tensor of `type` in blocks of channels."""
    old = as_tensor_type(type)
    return tensor_type(old.element_type, blocked_shape(old.get_shape(), block))


class BlockKernel:
    """Rewrites one kernel; `blocks` maps each blocked argument or result to its block size.

    `in_order` has sums over channels that now are contiguous taken along them, for schedules that keep the order of the
    domain.
    """

    def __init__(self, func: FuncOp, blocks: Mapping[int, int], *, in_order: bool = False) -> None:
        self.func, self.blocks, self.in_order = func, blocks, in_order

    def run(self) -> None:
        """Rewrite the signature and the computations."""
        entry = self.func.body.block
        for number, argument in enumerate(entry.args):
            if number in self.blocks:
                self._read_blocks(argument, self.blocks[number])
        last = entry.last_op
        assert isinstance(last, ReturnOp)
        for number, value in enumerate(last.arguments):
            if -1 - number in self.blocks:
                self._write_blocks(value, self.blocks[-1 - number])
        for op in entry.ops:
            if isinstance(op, tensor.ComputeOp):
                while (divided := _divided_dim(op)) is not None:
                    split_dim(op, *divided)
                if self.in_order:
                    _sum_along_lanes(op, [entry.args[number] for number in self.blocks if number >= 0])
        self.func.function_type = FunctionType.from_lists(
            [argument.type for argument in entry.args], [value.type for value in last.arguments]
        )

    def _read_blocks(self, argument: BlockArgument, block: int) -> None:
        new_type = blocked_type(argument.type, block)
        for op in dict.fromkeys(use.operation for use in argument.uses):
            if isinstance(op, tensor.ComputeOp):
                operands = [*op.reads, *op.epilogue]
                accesses = [
                    self._blocked_access(access, op, number, block) if operand is argument else access
                    for number, (operand, access) in enumerate(zip(operands, op.accesses, strict=True))
                ]
                op.properties["accesses"] = ArrayAttr(accesses)
            if isinstance(op, tensor.ScatterOp):
                reads = [
                    _in_blocks(access, op.sizes, block) if operand is argument else access
                    for operand, access in zip(op.epilogue, op.accesses, strict=True)
                ]
                op.properties["accesses"] = ArrayAttr(reads)
        Rewriter.replace_value_with_new_type(argument, new_type)
        if begins := begins_of(self.func, argument):
            state_begins(self.func, argument, (begins[0], "", *begins[2:], ""))

    def _blocked_access(
        self, access: tensor.AccessAttr, op: tensor.ComputeOp, number: int, block: int
    ) -> tensor.AccessAttr:
        return _in_blocks(access, op.sizes if number < len(op.reads) else op.parallel_sizes, block)

    def _write_blocks(self, value: SSAValue, block: int) -> None:
        """Split the channel dimension of the producer, and move the lane dimension behind the pixels."""
        op = value.owner
        if isinstance(op, tensor.ScatterOp):
            return self._insert_blocks(op, block)
        assert isinstance(op, tensor.ComputeOp)
        new_type = blocked_type(value.type, block)
        split_dim(op, CHANNEL, block, inner_at=op.rank)
        Rewriter.replace_value_with_new_type(value, new_type)
        return None

    def _insert_blocks(self, op: tensor.ScatterOp, block: int) -> None:
        """Write the new frames of a window in blocks, channel by channel in the innermost loop."""
        self._write_blocks(op.base, block)
        Rewriter.replace_value_with_new_type(op.res, op.base.type)
        order = [*(dim for dim in range(len(op.sizes)) if dim != CHANNEL), CHANNEL]
        mapping = tensor.Renumbering.permuting(order, op.sizes, len(op.sizes))
        into = _in_blocks(op.into, op.sizes, block)
        op.properties["into"] = mapping.access(into, parallel=True)
        op.properties["accesses"] = ArrayAttr([mapping.access(access, parallel=True) for access in op.accesses])
        op.properties["domain"] = tensor.integers(mapping.sizes)


def _in_blocks(access: tensor.AccessAttr, sizes: Sequence[int], block: int) -> tensor.AccessAttr:
    """Return an access of a tensor as one of the tensor in blocks of channels."""
    n, c, *place = access.map.data.results
    results = tuple(simplify(expr, ranges(sizes)) for expr in (n, c // block, *place, c % block))
    return tensor.AccessAttr.of(AffineMap(access.map.data.num_dims, 0, results), guarded=access.is_guarded)


def _sum_along_lanes(op: tensor.ComputeOp, blocked: Sequence[SSAValue]) -> None:
    """Put the reduction over the channels of a blocked read behind the others: `[ic, kh, kw]` becomes `[kh, kw, ic]`.

    Sums of integers are the same in any order; sums of floats keep theirs.
    """
    if op.reduce is None or any(not is_integer(tensor.element_type(value)) for value in op.reads):
        return
    lasts = [access.map.data.results[-1] for value, access in slots(op.reads, op.read_accesses) if value in blocked]
    lanes = {last.position for last in lasts if isinstance(last, AffineDimExpr) and last.position >= op.rank}
    if len(lanes) == 1:
        [lane] = lanes
        order = [*(dim for dim in range(len(op.sizes)) if dim != lane), lane]
        names = dim_names(op)
        renumber(op, tensor.Renumbering.permuting(order, op.sizes, op.rank), [names[dim] for dim in order])


def _divided_dim(op: tensor.ComputeOp) -> tuple[int, int] | None:
    """Return a dimension that some access map still divides by the block size, and the size to split it by: the block
    size, or their greatest common divisor where the dimension is no multiple of it."""
    for access in op.accesses:
        for expr in access.map.data.results:
            for atom in linear(expr, ranges(op.sizes)).terms:
                if not isinstance(atom, AffineBinaryOpExpr) or not isinstance(atom.lhs, AffineDimExpr):
                    continue
                dim, block = atom.lhs.position, atom.rhs
                divides = atom.kind in (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
                if not divides or not isinstance(block, AffineConstantExpr):
                    continue
                part = gcd(op.sizes[dim], block.value)
                if part == block.value or part >= MIN_BLOCK:
                    return dim, part
    return None


def split_dim(op: tensor.ComputeOp, dim: int, block: int, inner_at: int | None = None) -> None:
    """Split `dim` of `op` into blocks, at its old position, and lanes, at `inner_at` (by default right behind).

    If `dim` is no multiple of `block`, the new dimensions cover the whole last block.
    """
    inner, names = dim + 1 if inner_at is None else inner_at, dim_names(op)
    names.insert(inner, f"{names[dim]}{block}")
    renumber(op, tensor.Renumbering.splitting(dim, block, inner, op.sizes, op.rank), names)
