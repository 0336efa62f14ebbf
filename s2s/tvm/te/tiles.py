"""`compute_at` of a tensor of which its reader needs more than one element: both do one tile after the other.

    xo, xi = s[C].split(x, factor=8)      # C[x, y] = sum_k B[x, k] * W[k, y]
    s[B].compute_at(s[C], xo)
->
    B tile_and_fuse<0 by 8>, C tile_and_fuse<0 by 1>      rows 8 * xo to 8 * xo + 7 of B, then those of C

The loops of the reader down to the one that is named are the loops over tiles. What one step of them reads of the
tensor is the tile of that: for `C[x, y] = B[x, y] + B[x + 1, y]` with x in steps of 8 the rows 8 * xo to 8 * xo + 8, a
tile of 8 rows that overlaps the next one by a row, which both compute.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir.affine import AffineExpr

from s2s.dialects.tensor import FusedTile
from s2s.tvm.te.expressions import IterVar, Read, walk
from s2s.tvm.te.loops import Loops, affine
from s2s.tvm.te.nests import Nest
from s2s.types.affine import bounds, coefficient, ranges

Tiles = Mapping[int, Sequence[FusedTile]]
"""The tiles of nests that have any, by their number."""


def tiles_of(nests: Sequence[Nest], loops: Sequence[Loops]) -> Tiles:
    """The tiles that `compute_at` asks for."""
    found: dict[int, Sequence[FusedTile]] = {}
    for number, nest in enumerate(nests):
        if nest.attached is None:
            continue
        parent = next(place for place, each in enumerate(nests) if each.tensor.op is nest.attached[0].op)
        reader = _Reader(nest, loops[parent], nest.attached[1])
        if nests[parent].attached is not None:
            raise reader.refusal("that is computed inside of another tensor itself; attach both to the last one")
        found[number] = reader.tiles(loops[number])
        mine = [FusedTile(dim, 1, 0, 0) for dim in reader.dims]
        if found.setdefault(parent, mine) != mine:
            raise reader.refusal("another tensor is computed at another loop of it; name the same loop")
    return found


class _Reader:
    """The nest that reads a tensor which is computed inside of its loops down to `scope`."""

    def __init__(self, nest: Nest, loops: Loops, scope: IterVar) -> None:
        self._nest, self._loops = nest, loops
        leaves = loops.nest.leaves
        outer = leaves[: next(place for place, leaf in enumerate(leaves) if leaf is scope) + 1]
        parts = [leaf for leaf in outer if leaf.is_reduction or not _is_one(leaf, loops)]
        if parts:
            raise self.refusal(
                f"loop {parts[0]} is a reduction, fused, or of a split that leaves a rest; name a loop outside of it"
            )
        self.dims = [loops.dim(leaf) for leaf in outer]
        """The dimensions of the reader that its loops over tiles run over."""

    def refusal(self, fact: str) -> Exception:
        """The error for a `compute_at` that the directives cannot say."""
        return self._nest.refusal(f"compute_at inside of {self._loops.nest.name}: {fact}")

    def tiles(self, own: Loops) -> list[FusedTile]:
        """The tiles of the tensor, one for each loop over tiles."""
        places = self._places()
        return [self._tile(own, level, places) for level in range(len(self.dims))]

    def _places(self) -> list[list[AffineExpr]]:
        """The indices of all reads, as expressions over the domain of the reader."""
        nest = self._loops.nest
        parts = [part for part in (nest.reduction, nest.epilogue) if part is not None]
        reads = [each for part in parts for each in walk(part) if isinstance(each, Read)]
        found: list[list[AffineExpr]] = []
        for read in reads:
            if read.tensor.op is self._nest.tensor.op:
                places = [affine(index, self._loops) for index in read.indices]
                if any(place is None for place in places):
                    raise self.refusal("it is read at an index that is no sum of multiples of loops; compute it alone")
                found.append([place for place in places if place is not None])
        return found

    def _tile(self, own: Loops, level: int, places: Sequence[Sequence[AffineExpr]]) -> FusedTile:
        """The tile along the axis that moves with one loop over tiles."""
        dim, sizes = self.dims[level], self._loops.sizes
        box = ranges([1 if other in self.dims else size for other, size in enumerate(sizes)])
        moves = {
            (axis, step)
            for read in places
            for axis, place in enumerate(read)
            if (step := coefficient(place, dim, ranges(sizes))) != 0
        }
        if len(moves) != 1 or not all(step is not None and step > 0 for _, step in moves):
            raise self.refusal(
                f"loop {self._loops.domain[dim]} moves no axis of it, or several, or unevenly; name an outer loop"
            )
        [(axis, step)] = moves
        assert step is not None
        low, high = zip(*(bounds(read[axis], box) for read in places), strict=True)
        before, after = max(-min(low), 0), max(max(high) - step + 1, 0)
        loop = self._nest.axis[axis]
        if not _is_one(loop, own) or own.size(loop) != step * sizes[dim]:
            raise self.refusal(
                f"its tiles are {step} of axis {loop}, which is split itself or has not {sizes[dim]} of them; leave "
                "the axis whole, or compute it alone"
            )
        if (before or after) and len(self.dims) > 1:
            raise self.refusal("its tiles overlap, which they can along one loop only; name the outermost loop")
        return FusedTile(own.dim(loop), step, before, after)


def _is_one(loop: IterVar, loops: Loops) -> bool:
    """Whether a loop is a dimension of a domain."""
    return any(each is loop for each in loops.domain)
