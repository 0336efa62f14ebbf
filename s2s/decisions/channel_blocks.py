"""Choose the number of channels in a block, and check whether kernels can compute blocks that the channels do not fill.

A kernel whose result is padded computes whole blocks. Its constants are filled up with zeros along the channels; what
else it reads along them must be padded in the same way.
"""

from collections.abc import Sequence
from math import gcd

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr

from s2s.analysis.network.constants import constant_arguments
from s2s.analysis.structure.compute import shape_of, slots
from s2s.dialects import graph, tensor
from s2s.types.affine import bounds, ranges, simplify

CHANNEL = 1
MIN_BLOCK = 4
"""Channels below which a block is not worth its trouble; a reader walks over at least this many at a time."""
MAX_PADDING = 0.4
"""The part of a padded tensor that may be unused."""


def block_size(channels: int, lanes: int) -> int:
    """Return the block that takes the fewest vectors: a vector or half of one, the smaller if they are equal; 0 for no
    blocks."""
    return min(block_sizes(channels, lanes), key=lambda size: -(-channels // size), default=0)


def block_sizes(channels: int, lanes: int) -> list[int]:
    """Return the possible block sizes: half a vector or a vector, if they do not leave too many lanes unused."""
    return [size for size in (lanes // 2, lanes) if size >= MIN_BLOCK and _may_pad(channels, size)]


def _may_pad(channels: int, block: int) -> bool:
    padded = -(-channels // block) * block
    readable = channels < block or gcd(channels, block) >= min(MIN_BLOCK, block)
    return padded - channels <= MAX_PADDING * padded and readable


def results_of(func: FuncOp) -> list[tuple[int, SSAValue]]:
    """Return the results of a kernel; result `n` is numbered `-1 - n`, as arguments are numbered from 0."""
    last = func.body.block.last_op
    assert isinstance(last, ReturnOp)
    return [(-1 - number, value) for number, value in enumerate(last.arguments)]


def reads_blocks(op: tensor.ComputeOp, argument: SSAValue, block: int) -> bool:
    """Return whether `op` stays within the channels of `argument` where they do not fill their blocks."""
    channels = shape_of(argument)[CHANNEL]
    if channels % block == 0:
        return True
    for operand, access, sizes in _reads(op):
        if operand is argument:
            low, high = bounds(access.map.data.results[CHANNEL], ranges(sizes))
            if low < 0 or high >= channels:
                return False
    return True


def in_whole_blocks(op: tensor.ComputeOp, block: int) -> bool:
    """Return whether the groups of channels that `op` reads, as a grouped convolution does, are the same for all lanes
    of a block."""
    atoms = [atom for access in op.read_accesses for expr in access.map.data.results for atom in expr.dfs()]
    parts = [
        atom.rhs.value
        for atom in atoms
        if isinstance(atom, AffineBinaryOpExpr)
        and atom.kind in (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)
        and CHANNEL in atom.lhs.used_dims()
        and isinstance(atom.rhs, AffineConstantExpr)
    ]
    return not block or all(part % block == 0 for part in parts)


def channel_constants(
    func: FuncOp, op: tensor.ComputeOp, calls: Sequence[graph.CallOp]
) -> list[tuple[BlockArgument, int]] | None:
    """Return the constants of `op` and the axis that its channels run along; None if something else prevents
    padding."""
    constants = constant_arguments(func, {func.sym_name.data: list(calls)})
    found: list[tuple[BlockArgument, int]] = []
    for operand, access, sizes in _reads(op):
        used = [simplify(expr, ranges(sizes)) for expr in access.map.data.results]
        axes = [axis for axis, expr in enumerate(used) if CHANNEL in expr.used_dims()]
        if not axes:
            continue
        if len(axes) > 1 or used[axes[0]] != AffineDimExpr(CHANNEL) or not isinstance(operand, BlockArgument):
            return None
        if operand in constants:
            if access.is_guarded or not operand.has_one_use():
                return None
            found.append((operand, axes[0]))
        elif axes != [CHANNEL] or shape_of(operand)[CHANNEL] != op.sizes[CHANNEL]:
            return None
    return None if op.tables else found


def moving_arguments(func: FuncOp, op: tensor.ComputeOp, calls: Sequence[graph.CallOp]) -> list[BlockArgument]:
    """Return the arguments, without constants, that `op` reads along its channels."""
    constants = constant_arguments(func, {func.sym_name.data: list(calls)})
    return [
        operand
        for operand, access, sizes in _reads(op)
        if isinstance(operand, BlockArgument)
        and operand not in constants
        and any(CHANNEL in simplify(expr, ranges(sizes)).used_dims() for expr in access.map.data.results)
    ]


def _reads(op: tensor.ComputeOp) -> list[tuple[SSAValue, tensor.AccessAttr, tuple[int, ...]]]:
    """Yield every operand with its access and the dimensions of this access."""
    reads = [(operand, access, op.sizes) for operand, access in slots(op.reads, op.read_accesses)]
    return reads + [
        (operand, access, op.parallel_sizes) for operand, access in slots(op.epilogue, op.epilogue_accesses)
    ]
