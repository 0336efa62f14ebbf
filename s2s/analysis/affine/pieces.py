"""Split a dimension of the domain into pieces, each of which is tiled without a test inside.

A guard that depends on the dimension changes its value at few positions (where padding ends, where one input of a
concatenation ends). Between them its value is known, and the tile runs without tests. Where it is undecided (the border
of a padded convolution) there are two ways: the piece runs point by point, with clipped reduction bounds; or it is a
fixed tile, at a constant position, for which every guard is decided at compile time.
"""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine.guards import Constraint, Holds
from s2s.support.frozen import frozen
from s2s.types.affine import Range, linear


@frozen
class Piece:
    """Positions `start … stop - 1` of a dimension in steps of `tile`; `lanes > 1` means vectors of that many lanes.

    A `fixed` piece is one tile across a border, whose guards are decided for each point and step of the reduction.
    """

    start: int
    stop: int
    tile: int
    lanes: int = 1
    fixed: bool = False

    @property
    def count(self) -> int:
        """Number of tiles, all of which are full."""
        return (self.stop - self.start) // self.tile


def cut(
    dim: int, box: Sequence[Range], tile: int, lanes: int, guards: Sequence[Constraint], *, overlap: bool = False
) -> list[Piece]:
    """Split dimension `dim` into pieces, in order, at the guards that depend on it.

    With `overlap` the last vector of a segment may recompute earlier points in order to be full.
    """
    stop = box[dim][1] + 1
    guards = [guard for guard in guards if guard.holds(box) is Holds.MAYBE]
    edges = {0, stop}
    for constraint in guards:
        edges |= {edge for edge in _edges(constraint, dim, box) if 0 < edge < stop}
    marks = sorted(edges)
    pieces: list[Piece] = []
    for low, high in pairwise(marks):
        single = Piece(low, high, 1)
        pieces += [single] if _is_open(single, dim, box, guards) else _tiles(low, high, tile, lanes, overlap)
    return pieces


def cut_fixed(dim: int, box: Sequence[Range], tile: int, guards: Sequence[Constraint]) -> list[Piece] | None:
    """Return the pieces of a dimension with fixed tiles at its borders; None if a border is wider than a tile."""
    point_by_point = cut(dim, box, 1, 1, guards)
    inside = [piece for piece in point_by_point if not _is_open(piece, dim, box, guards)]
    stop = box[dim][1] + 1
    if len(inside) > 1:
        return None
    low, high = (inside[0].start, inside[0].stop) if inside else (stop, stop)
    if stop <= tile:
        return [Piece(0, stop, stop, fixed=True)]
    if low > tile or stop - high > tile:
        return None
    pieces = [Piece(0, tile, tile, fixed=True)] if low else []
    start = tile if low else 0
    full = start + (high - start) // tile * tile
    if full > start:
        pieces.append(Piece(start, full, tile))
    if stop - full > tile:
        pieces.append(Piece(full, stop - tile, stop - tile - full))
        full = stop - tile
    if full < stop:
        pieces.append(Piece(full, stop, stop - full, fixed=stop > high))
    return pieces


def _is_open(piece: Piece, dim: int, box: Sequence[Range], guards: Sequence[Constraint]) -> bool:
    segment = [(piece.start, piece.stop - 1) if k == dim else full for k, full in enumerate(box)]
    return any(dim in guard.expr.used_dims() and guard.holds(segment) is Holds.MAYBE for guard in guards)


def _edges(constraint: Constraint, dim: int, box: Sequence[Range]) -> list[int]:
    """Positions of `dim` at which `constraint` may change between false, undecided and true."""
    if constraint.modulus:
        return []
    form = linear(constraint.expr, box)
    factor = form.terms.get(AffineDimExpr(dim), 0)
    if factor == 0 or any(dim in atom.used_dims() for atom in form.terms if not isinstance(atom, AffineDimExpr)):
        return []
    rest = form.plus(type(form)(0, {AffineDimExpr(dim): 1}), -factor)
    low = high = rest.constant
    for atom, scale in rest.terms.items():
        if not isinstance(atom, AffineDimExpr):
            return []
        ends = [scale * end for end in box[atom.position]]
        low, high = low + min(ends), high + max(ends)
    # The constraint is true if factor * d + low >= 0, and false if factor * d + high < 0.
    if factor > 0:
        return [-(low // factor), -(high // factor)]
    return [low // -factor + 1, high // -factor + 1]


def _tiles(low: int, high: int, tile: int, lanes: int, overlap: bool) -> list[Piece]:
    """Split `[low, high)` into full tiles and a rest; along vectors the rest overlaps, or is a partial vector."""
    full = low + (high - low) // tile * tile
    pieces = [Piece(low, full, tile, lanes)] if full > low else []
    if full < high:
        whole = -(-(high - full) // lanes) * lanes
        start = high - whole if overlap and high - low >= whole else full
        pieces.append(Piece(start, high, high - start, lanes))
    return pieces
