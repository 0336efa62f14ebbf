"""How one dimension of the domain is cut into pieces that are each tiled without a test inside.

A guard that depends on the dimension changes its answer at few positions (where padding ends, where one input of a
concatenation ends). Between them the answer is known and the tile runs without tests; where it stays open (the border
of a padded convolution) the piece runs point by point, with clipped reduction bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.affine import Range, linear
from s2s.passes.tensor.lower_to_loop.guards import Constraint, Holds


@dataclass(frozen=True)
class Piece:
    """Positions `start … stop - 1` of a dimension, `tile` at a time; `lanes > 1` means in vectors of so many lanes."""

    start: int
    stop: int
    tile: int
    lanes: int = 1

    @property
    def count(self) -> int:
        """Number of tiles, all of them full."""
        return (self.stop - self.start) // self.tile


def cut(
    dim: int, box: Sequence[Range], tile: int, lanes: int, guards: Sequence[Constraint], *, overlap: bool = False
) -> list[Piece]:
    """The pieces of dimension `dim`, in order, for the guards that matter to it.

    With `overlap` the last vector of a segment may step back over points that are done already, to be a full one.
    """
    stop = box[dim][1] + 1
    edges = {0, stop}
    for constraint in guards:
        edges |= {edge for edge in _edges(constraint, dim, box) if 0 < edge < stop}
    marks = sorted(edges)
    pieces: list[Piece] = []
    for low, high in pairwise(marks):
        segment = [(low, high - 1) if k == dim else full for k, full in enumerate(box)]
        open_guard = any(
            dim in constraint.expr.used_dims() and constraint.holds(segment) is Holds.MAYBE for constraint in guards
        )
        pieces += [Piece(low, high, 1)] if open_guard else _tiles(low, high, tile, lanes, overlap)
    return pieces


def _edges(constraint: Constraint, dim: int, box: Sequence[Range]) -> list[int]:
    """Positions of `dim` at which `constraint` may go between never, maybe and always."""
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
    # factor * d + low >= 0 makes it certain, factor * d + high < 0 impossible.
    if factor > 0:
        return [-(low // factor), -(high // factor)]
    return [low // -factor + 1, high // -factor + 1]


def _tiles(low: int, high: int, tile: int, lanes: int, overlap: bool) -> list[Piece]:
    """`[low, high)` as full tiles and a rest; a rest of a vector dimension overlaps, or is a vector partly filled."""
    full = low + (high - low) // tile * tile
    pieces = [Piece(low, full, tile, lanes)] if full > low else []
    if full < high:
        whole = -(-(high - full) // lanes) * lanes
        start = high - whole if overlap and high - low >= whole else full
        pieces.append(Piece(start, high, high - start, lanes))
    return pieces
