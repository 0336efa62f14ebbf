"""Renumber the dimensions of a domain: insert, permute, split or merge them, by one mapping for all attributes."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor.attributes import AccessAttr
from s2s.types.affine import at_dims, linear, ranges, simplify


class Renumbering(NamedTuple):
    """Each old dimension of a domain as an affine expression over the new ones.

    a dimension in front of (i, j)          i = d1                  j = d2
    (i, j) becomes (j, i)                   i = d1                  j = d0
    j is split into blocks of 8             i = d0                  j = d1 * 8 + d2
    i and j, of 20, are merged              i = d0 floordiv 20      j = d0 mod 20
    """

    old: tuple[AffineExpr, ...]
    sizes: tuple[int, ...]
    """Sizes of the new dimensions, parallel ones first."""
    rank: int
    """Number of new parallel dimensions."""

    @staticmethod
    def inserting(front: Sequence[int], sizes: Sequence[int], rank: int) -> "Renumbering":
        """Insert parallel dimensions of sizes `front` before all others."""
        count = len(front)
        old = tuple(AffineDimExpr(count + dim) for dim in range(len(sizes)))
        return Renumbering(old, (*front, *sizes), count + rank)

    @staticmethod
    def removing(count: int, sizes: Sequence[int], rank: int) -> "Renumbering":
        """Remove the first `count` dimensions, of one position each."""
        gone: list[AffineExpr] = [AffineConstantExpr(0)] * count
        left = [AffineDimExpr(dim) for dim in range(len(sizes) - count)]
        return Renumbering((*gone, *left), tuple(sizes[count:]), rank - count)

    @staticmethod
    def permuting(order: Sequence[int], sizes: Sequence[int], rank: int) -> "Renumbering":
        """Permute: new dimension number `n` is old dimension `order[n]`."""
        old = tuple(AffineDimExpr(order.index(dim)) for dim in range(len(order)))
        return Renumbering(old, tuple(sizes[dim] for dim in order), rank)

    @staticmethod
    def splitting(dim: int, block: int, inner: int, sizes: Sequence[int], rank: int) -> "Renumbering":
        """Split `dim` into its blocks, at its old place, and the position in a block, as new dimension number
        `inner`."""
        new = [-(-size // block) if d == dim else size for d, size in enumerate(sizes)]
        new.insert(inner, block)
        old: list[AffineExpr] = [AffineDimExpr(d if d < inner else d + 1) for d in range(len(sizes))]
        old[dim] = AffineDimExpr(dim) * block + AffineDimExpr(inner)
        return Renumbering(tuple(old), tuple(new), rank + (dim < rank))

    @staticmethod
    def merging(dim: int, sizes: Sequence[int], rank: int) -> "Renumbering":
        """Merge dimensions `dim` and `dim + 1`."""
        inner, joint = sizes[dim + 1], AffineDimExpr(dim)
        after = (AffineDimExpr(d) for d in range(dim + 1, len(sizes) - 1))
        old = (*(AffineDimExpr(d) for d in range(dim)), joint // inner, joint % inner, *after)
        new = (*sizes[:dim], sizes[dim] * inner, *sizes[dim + 2 :])
        return Renumbering(old, new, rank - (dim + 1 < rank))

    @property
    def inserted(self) -> tuple[int, ...]:
        """The new dimensions that do not come from an old one."""
        used = {dim for expr in self.old for dim in expr.used_dims()}
        return tuple(dim for dim in range(len(self.sizes)) if dim not in used)

    def dims(self, dim: int) -> tuple[int, ...]:
        """Return the new dimensions of old dimension `dim`, outermost first; none if it was removed."""
        expr = self.old[dim]
        found = expr.used_dims()
        if len(found) < 2:
            return tuple(found)
        factors = linear(expr, [(0, 1 << 30)] * len(self.sizes)).terms
        return tuple(sorted(found, key=lambda new: -factors[AffineDimExpr(new)]))

    def keeps(self, dim: int) -> bool:
        """Return whether old dimension `dim` is unchanged but for its number."""
        return isinstance(self.old[dim], AffineDimExpr)

    def extents(self, dim: int, size: int) -> dict[int, int]:
        """Return the extents along the new dimensions of `size` positions of old dimension `dim`.

        Of `j = d1 * 8 + d2`, 32 positions are 4 along `d1` and 8 along `d2`; 12 are no whole number of blocks.
        """
        found = self.dims(dim)
        if len(found) < 2:
            return dict.fromkeys(found, size)
        outer, inner = found
        block = self.sizes[inner]
        if size % block and block % size:
            raise VerifyException(f"{size} positions of dimension {dim} are no whole blocks of {block}")
        return {outer: max(1, size // block), inner: min(size, block)}

    def extents_of_all(self, sizes: Sequence[tuple[int, int]]) -> dict[int, int]:
        """`extents` of several old dimensions.

        Of `i = d0 floordiv 20`, `j = d0 mod 20`, 3 positions of `i` and 20 of `j` are 60 along `d0`; 3 and 4 would lie
        in rows apart, and are refused.
        """
        given, total = dict(sizes), dict[int, int]()
        for dim, size in sizes:
            for new, extent in self.extents(dim, size).items():
                total[new] = extent * total.get(new, 1)
            expr = self.old[dim]
            if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.FloorDiv and size > 1:
                assert isinstance(expr.rhs, AffineConstantExpr)
                if given.get(dim + 1, 1) != expr.rhs.value:
                    raise VerifyException(f"{size} positions of dimension {dim} lie apart after it is merged")
        return total

    def order(self, order: Sequence[int]) -> list[int]:
        """Return the order of the new dimensions that keeps `order`; inserted ones come first."""
        return list(dict.fromkeys([*self.inserted, *(new for dim in order for new in self.dims(dim))]))

    def access(self, access: AccessAttr, *, parallel: bool = False) -> AccessAttr:
        """Rewrite `access` over the new dimensions, or over the parallel ones only."""
        count = self.rank if parallel else len(self.sizes)
        if count == access.map.data.num_dims and all(
            expr == AffineDimExpr(dim) for dim, expr in enumerate(self.old[:count])
        ):
            return access
        box = ranges(self.sizes[:count])
        results = tuple(simplify(at_dims(expr, self.old), box) for expr in access.map.data.results)
        return AccessAttr.of(AffineMap(count, 0, results), guarded=access.is_guarded, divisors=access.division)
