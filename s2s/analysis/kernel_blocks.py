"""Computations of one kernel that walk through a dimension together, block by block: what makes a group, what it keeps.

Consecutive computations whose schedules have `shared` parts are a group. Inside the loop over the blocks each of them
does its block, in order; so a computation may read of another only what lies in the same block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.affine import delinearize, flat_index, ranges, simplify
from s2s.analysis.compute import shape_of
from s2s.dialects import tensor
from s2s.errors import CompilerBug


@dataclass(frozen=True)
class Cut:
    """What the loop over blocks leaves of one dimension: block `b < count` has `size` positions from `first + b * step`
    on. What holds one block has room for `step` positions, also where the last block is shorter."""

    dim: int
    first: int
    step: int
    count: int
    size: int


def shared_blocks(op: tensor.ComputeOp) -> tuple[tuple[int, int], ...]:
    """The dimensions that `op` shares with its neighbours, and the size of a block."""
    return () if op.schedule is None else op.schedule.shared_blocks


def coordinates(
    value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int], domain: Sequence[int]
) -> list[AffineExpr] | None:
    """The point of `domain`, in whose order `value` lies, that an access over a domain of `sizes` reads; None where a
    guard or a division stands in the way."""
    if shape_of(value) == tuple(domain):
        return [simplify(expr, ranges(sizes)) for expr in access.map.data.results]
    if access.is_guarded:
        return None
    position = flat_index(access.map.data.results, shape_of(value))
    return [simplify(expr, ranges(sizes)) for expr in delinearize(position, domain)]


def stays_in_block(
    value: SSAValue,
    access: tensor.AccessAttr,
    sizes: Sequence[int],
    walk: Sequence[tuple[int, int]],
    owner: tensor.ComputeOp,
) -> bool:
    """Whether an access, over a domain of `sizes` that is walked through by `walk`, reads of `value` only what lies in
    the same block of `owner`, in whose domain `value` lies."""
    point = coordinates(value, access, sizes, owner.parallel_sizes)
    if point is None:
        return False
    plain = len(access.division) != len(point) or all(access.division[dim] == 1 for dim, _ in shared_blocks(owner))
    return plain and all(
        point[there] == simplify(AffineDimExpr(here), ranges(sizes))
        for (here, _), (there, _) in zip(walk, shared_blocks(owner), strict=True)
    )


@dataclass(frozen=True)
class Group:
    """Computations that run block by block; a computation on its own is a group without shared dimensions."""

    ops: tuple[tensor.ComputeOp, ...]

    @property
    def depth(self) -> int:
        """How many dimensions are shared."""
        return len(shared_blocks(self.ops[0]))

    @property
    def inner(self) -> list[SSAValue]:
        """The results that only the group knows: one block of each is kept."""
        if not self.depth:
            return []
        results = [result for op in self.ops for result in op.res]
        return [result for result in results if all(use.operation in self.ops for use in result.uses)]

    def full(self, level: int) -> int:
        """How many blocks of the shared dimension number `level` are full in every computation."""
        return min(op.sizes[dim] // size for op in self.ops for dim, size in [shared_blocks(op)[level]])

    def rest(self, level: int) -> bool:
        """Whether a shorter block follows the full ones."""
        walks = [(op.sizes[dim], size) for op in self.ops for dim, size in [shared_blocks(op)[level]]]
        return any(extent > self.full(level) * size for extent, size in walks)

    def verify(self) -> None:
        """Refuse a group whose blocks do not belong together."""
        for level in range(self.depth):
            trips = [-(-op.sizes[dim] // size) for op in self.ops for dim, size in [shared_blocks(op)[level]]]
            if len(set(trips)) > 1:
                raise CompilerBug(f"computations of one kernel share {trips} blocks of a dimension, not equally many")
        owners: dict[SSAValue, tensor.ComputeOp] = {result: op for op in self.ops for result in op.res}
        for op in self.ops:
            if any(table in owners for table in op.tables):
                raise CompilerBug("a table is read anywhere, so it cannot come from a computation that shares blocks")
            for value, access, sizes in operands_of(op):
                if value in owners and not stays_in_block(value, access, sizes, shared_blocks(op), owners[value]):
                    raise CompilerBug(
                        f"access {access.map.data} leaves the block: a shared dimension is read where it is written"
                    )


def operands_of(op: tensor.ComputeOp) -> list[tuple[SSAValue, tensor.AccessAttr, tuple[int, ...]]]:
    """Each operand that is read by an access, with the domain that the access is over."""
    reads = [(value, access, op.sizes) for value, access in zip(op.reads, op.read_accesses, strict=True)]
    points = zip(op.points, op.point_accesses, strict=True)
    return [*reads, *((value, access, op.parallel_sizes) for value, access in points)]


def groups_of(computes: Sequence[tensor.ComputeOp]) -> list[Group]:
    """The computations of a kernel as groups, in order, each verified."""
    groups: list[Group] = []
    for op in computes:
        joins = groups and groups[-1].depth and groups[-1].depth == len(shared_blocks(op))
        if joins:
            groups[-1] = Group((*groups[-1].ops, op))
        else:
            groups.append(Group((op,)))
    for group in groups:
        group.verify()
    return groups


def may_overwrite_in_blocks(group: Group, value: SSAValue) -> bool:
    """Whether the last computation of `group` may write over operand `value` block by block: no computation of the
    group reads of it what another block has written."""
    last = group.ops[-1]
    return all(
        stays_in_block(operand, access, sizes, shared_blocks(op), last)
        for op in group.ops
        for operand, access, sizes in operands_of(op)
        if operand is value
    )
