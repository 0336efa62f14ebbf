"""Find the innermost reductions of a byte dot product over which an operand is contiguous or evenly strided."""

from collections.abc import Mapping, Sequence
from math import prod

from s2s.dialects import tensor
from s2s.types.affine import bounds, coefficient, flat_index, ranges


def window(op: tensor.ComputeOp, read: int, sizes: Sequence[int], outer: Sequence[int]) -> tuple[int, ...]:
    """Return the extents of the tile of a read that the loops inside of `outer` access, over a domain of `sizes`."""
    box = [(0, 0) if dim in outer else (0, size - 1) for dim, size in enumerate(sizes)]
    spans = [bounds(expr, box) for expr in op.read_accesses[read].map.data.results]
    return tuple(high - low + 1 for low, high in spans)


def groups_of_taps(taps: int) -> int:
    """Return the number of groups of four bytes that a row of `taps` has in memory."""
    return max(1, taps // 2)


def strides(op: tensor.ComputeOp, read: int, extents: Sequence[int]) -> Mapping[int, int]:
    """Return the stride of each dimension of the domain in a read stored with `extents`; dimensions with uneven strides
    are left out."""
    position = flat_index(op.read_accesses[read].map.data.results, extents)
    moves = {dim: coefficient(position, dim, ranges(op.sizes)) for dim in range(len(op.sizes))}
    return {dim: move for dim, move in moves.items() if move is not None}


def run_of(op: tensor.ComputeOp, order: Sequence[int], moves: Mapping[int, int]) -> tuple[int, ...]:
    """Return the last reductions of `order` that step through a read with one common stride, in this order."""
    run: list[int] = []
    length = 1
    for dim in reversed([dim for dim in order if dim >= op.rank and op.sizes[dim] > 1]):
        if dim not in moves or (run and moves[dim] != moves[run[-1]] * length):
            break
        run.insert(0, dim)
        length *= op.sizes[dim]
    return tuple(run)


def fault_of_blocks(sizes: Sequence[int], dims: Sequence[int], group: int, blocks: Mapping[int, int]) -> str | None:
    """Return why the steps of the reductions `dims`, taken as one range in groups, cannot be done in cache blocks; None
    if they can. Of 3 x 8 steps in groups of 4, blocks of 2 along the first one are 16 steps: four whole groups."""
    wide = [dim for dim in dims if sizes[dim] > 1]
    blocked = [dim for dim in wide if dim in blocks]
    if not blocked:
        return None
    if blocked != wide[:1]:
        return f"reductions {wide} are taken as one, of which tile blocks {blocked}; block {wide[0]} alone"
    first, unit = wide[0], prod(sizes[dim] for dim in wide[1:])
    if blocks[first] * unit % group:
        return f"blocks of {blocks[first]} steps of reduction {first} cut groups of {group} steps; take a multiple"
    return None


__all__ = ["fault_of_blocks", "run_of", "strides", "window"]
