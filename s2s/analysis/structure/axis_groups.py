"""Match the axes of a tensor with the axes that it has after a reshape."""

from collections.abc import Sequence

from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.types.affine import is_constant, product_of
from s2s.types.size_expressions import simplified
from s2s.types.sizes import Extents, SizeTable


def axis_groups(source: Sequence[int], result: Sequence[int]) -> list[tuple[range, range]]:
    """Return the shortest runs of axes of `source` and of `result` that hold the same elements, from the front.

    `[2, 9, 4]` and `[18, 2, 2]` have the groups `[2, 9]` and `[18]`, `[4]` and `[2, 2]`. Both shapes have as many
    elements, at least one. An axis of one element may be a group without one on the other side.
    """
    found = list[tuple[range, range]]()
    old, new = 0, 0
    while old < len(source) or new < len(result):
        first, sizes = (old, new), [1, 1]
        while first == (old, new) or sizes[0] != sizes[1]:
            if old < len(source) and (sizes[0] <= sizes[1] or new == len(result)):
                sizes[0] *= source[old]
                old += 1
            else:
                sizes[1] *= result[new]
                new += 1
        found.append((range(first[0], old), range(first[1], new)))
    return found


def groups_of_every_run(
    source: Sequence[int], before: Extents, result: Sequence[int], after: Extents, table: SizeTable
) -> list[tuple[range, range]]:
    """Return runs of axes that hold the same elements in every run, where axes have the sizes `before` and `after`.

    With N of 3 at most, `[3, N]` and `[N, 3]` are `[3, 3]` both, and one group: of `[3, 1]` and `[1, 3]`, axis 0 and
    axis 0 hold not the same.
    """
    groups = axis_groups(source, result)

    def is_kept(group: tuple[range, range]) -> bool:
        old, new = (
            _product([table[names[axis]] if names[axis] else AffineConstantExpr(shape[axis]) for axis in axes], table)
            for axes, shape, names in zip(group, (source, result), (before, after), strict=True)
        )
        rest = simplified(old + new * -1, table.bounds)
        return is_constant(rest) and rest.value == 0

    return groups if all(map(is_kept, groups)) else [(range(len(source)), range(len(result)))]


def _product(sizes: Sequence[AffineExpr], table: SizeTable) -> AffineExpr:
    return product_of(sizes, table.bounds) if sizes else AffineConstantExpr(1)
