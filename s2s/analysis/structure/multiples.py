"""Say which sizes of a run an axis can be divided into equal parts at, where it cannot at all of them.

Of `(N + 1) floordiv 2` elements, blocks of 2 are whole for N = 4, 8, 12, …: `--dim N=4..640:+4`.
"""

from collections.abc import Iterator

from s2s.errors import UnsupportedError
from s2s.types.affine import AffineExpr
from s2s.types.sizes import SizeRange, SizeTable

MAX_STEPS = 256
"""The greatest multiple of the step of a size that is tried."""


class IndivisibleError(UnsupportedError):
    """An axis cannot be divided into equal parts at all sizes of a run."""


def is_multiple(expr: AffineExpr, of: int, table: SizeTable) -> bool:
    """Return whether `expr` is known to be a multiple of `of` at all sizes."""
    form = table.form(expr)
    return all(number % of == 0 for number in (form.constant, *form.terms.values()))


def indivisible(axis: int, name: str, of: int, table: SizeTable) -> IndivisibleError:
    """Return the error that parts of `of` elements do not divide an axis of size `name` in every run."""
    return IndivisibleError(
        f"divides axis {axis}, whose size {name} varies, into parts of {of}, and some are not whole; "
        f"{advice(table[name], of, table)}"
    )


def advice(expr: AffineExpr, of: int, table: SizeTable) -> str:
    """Return the way out where `expr` has to be a multiple of `of` and is not."""
    used = sorted(expr.used_dims())
    if len(used) == 1:
        name, size = list(table.given.items())[used[0]]
        for found in _steps(size):
            points = ([0] * dim + [value] + [0] * len(table.given) for dim in used for value in found.values)
            if all(expr.eval(point[: len(table.given)], []) % of == 0 for point in points):
                return f"let it go by steps, --dim {name}={found}"
    return f"give sizes that are multiples of {of} by steps, --dim NAME=A..B:+{of}, or constant ones"


def _steps(size: SizeRange) -> Iterator[SizeRange]:
    """Yield the sizes of `size` that go by greater steps, multiples first."""
    for count in range(2, MAX_STEPS + 1):
        step = count * size.step
        for first in sorted(size.values[:count], key=lambda first: (first % step != 0, first)):
            values = range(first, size.most + 1, step)
            if len(values) > 1:
                yield SizeRange(first, values[-1], step=step)
