"""Group the terms of a flat position by the axes of the tensor, so that the C reads like an index of a tensor.

`1024 * ic + 32 * oh + 32 * kh + ow + kw - 33` is a pixel of a padded image, which a reader knows as
`ic * 1024 + (oh + kh - 1) * 32 + ow + kw - 1`. Terms of one factor belong to one axis; so do those of a strided window:
`64 * oh + 32 * kh` is in row `oh * 2 + kh`. The constant goes to the axes so that what is left for the smaller ones
stays inside of a row; a window may begin before its image, by as much as its padding.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr

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


def axes_of(
    terms: Sequence[tuple[AffineExpr, int]], constant: int, least: Callable[[AffineExpr], int]
) -> tuple[list[Axis], int]:
    """Group terms with positive factors by axes, largest first, and return these with the rest of `constant`.

    `least` returns the lower bound of an atom, 0 if it is unknown.
    """
    axes = _merged(_grouped(terms))
    large = [axis for axis in axes if axis.factor > 1]
    if any(outer.factor % inner.factor for outer, inner in pairwise(large)):
        return axes, constant
    shared: list[Axis] = []
    for position, axis in enumerate(axes):
        if axis.factor == 1:
            shared.append(axis)
            continue
        inner = axes[position + 1 :]
        reach = sum(each.factor * _lowest(each, least) for each in inner)
        reach += sum(each.factor * MAX_PADDING for each in inner if each.is_window)
        rest = (constant + reach) % axis.factor - reach
        shared.append(axis._replace(share=(constant - rest) // axis.factor))
        constant = rest
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


def _lowest(axis: Axis, least: Callable[[AffineExpr], int]) -> int:
    return sum(multiplier * least(atom) for atom, multiplier in axis.atoms)
