"""Group the terms of a flat position by the axes of the tensor, so that the C reads like an index of a tensor.

`1024 * ic + 32 * oh + 32 * kh + ow + kw - 33` is a pixel of a padded image, which a reader knows as
`ic * 1024 + (oh + kh - 1) * 32 + ow + kw - 1`. Indices of one factor belong to one axis; so do those of a strided
window that begins before its image: `64 * oh + 32 * kh - 32` is in row `oh * 2 + kh - 1`. An axis has a constant of its
own only where it is the padding of a window, as in `(oh - 1) * 768 + (ow - 1) * 32 + oc`; all else is one constant
behind the terms: `oc * 40 + k * 4 + 1024`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr

from s2s.types.affine import Range

MAX_PADDING = 3
"""The largest distance at which a window begins before its image: the padding of a 7 x 7 window."""
MAX_STRIDE = 4
"""Terms whose factors differ by less than this ratio, as a stride causes, belong to one axis."""


class Axis(NamedTuple):
    """`(sum of multiplier * atom + share) * factor`"""

    factor: int
    atoms: tuple[tuple[AffineExpr, int], ...]
    share: int = 0

    @property
    def is_window(self) -> bool:
        """Whether two indices move along the axis, as an output position and a tap do."""
        return len(self.atoms) > 1

    @property
    def parts(self) -> list["Axis"]:
        """The axis without a stride: an axis for each multiplier."""
        multipliers = dict.fromkeys(multiplier for _, multiplier in self.atoms)
        return [
            Axis(self.factor * stride, tuple((atom, 1) for atom, multiplier in self.atoms if multiplier == stride))
            for stride in multipliers
        ]


def axes_of(
    terms: Sequence[tuple[AffineExpr, int]], constant: int, bounds_of: Callable[[AffineExpr], Range]
) -> tuple[list[Axis], int]:
    """Group terms with positive factors by axes, outermost first, and return these with the rest of `constant`.

    `bounds_of` returns the bounds of an atom; the lower one is 0 and the upper one large if they are unknown.
    """
    axes = _merged(_grouped(terms))
    large = [axis for axis in axes if axis.factor > 1]
    if any(outer.factor % inner.factor for outer, inner in pairwise(large)):
        return sorted(_grouped(terms), key=lambda axis: -_reach(axis, bounds_of)), constant
    shared: list[Axis] = []
    for position, axis in enumerate(axes):
        if axis.factor == 1:
            shared.append(axis)
            continue
        before = sum(inner.factor * (MAX_PADDING + _lowest(inner, bounds_of)) for inner in axes[position + 1 :])
        rest = (constant + before) % axis.factor - before
        share = (constant - rest) // axis.factor
        is_padding = -MAX_PADDING <= share < 0 and rest <= 0  # of a window whose taps are written out
        if (axis.is_window and share < 0) or is_padding:
            shared.append(axis._replace(share=share))
            constant = rest
        else:
            shared += axis.parts
    return shared, constant


def _grouped(terms: Sequence[tuple[AffineExpr, int]]) -> list[Axis]:
    """Group terms by factor, largest factor first."""
    by_factor: dict[int, list[tuple[AffineExpr, int]]] = {}
    for atom, factor in sorted(terms, key=lambda term: -term[1]):
        by_factor.setdefault(factor, []).append((atom, 1))
    return [Axis(factor, tuple(atoms)) for factor, atoms in by_factor.items()]


def _merged(groups: Sequence[Axis]) -> list[Axis]:
    """Merge pairs of groups whose factors differ by a stride into one axis."""
    found: list[Axis] = []
    open_group: Axis | None = None
    for group in groups:
        if open_group is None:
            open_group = group
            continue
        stride, rest = divmod(open_group.factor, group.factor)
        if rest == 0 and stride <= MAX_STRIDE:
            atoms = tuple((atom, multiplier * stride) for atom, multiplier in open_group.atoms)
            found.append(Axis(group.factor, (*atoms, *group.atoms)))
            open_group = None
        else:
            found.append(open_group)
            open_group = group
    return found if open_group is None else [*found, open_group]


def _lowest(axis: Axis, bounds_of: Callable[[AffineExpr], Range]) -> int:
    return sum(multiplier * bounds_of(atom)[0] for atom, multiplier in axis.atoms)


def _reach(axis: Axis, bounds_of: Callable[[AffineExpr], Range]) -> int:
    """Return how far the indices of an axis move the position."""
    return axis.factor * sum(multiplier * (bounds_of(atom)[1] - bounds_of(atom)[0]) for atom, multiplier in axis.atoms)
