"""Running sums and products along an axis, for importers of every format."""

from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import pad, reshape, transpose
from s2s.frontends.networks import Values, scan
from s2s.types.size import Size, is_empty

SHORT = 32
"""Elements up to which every sum is computed for itself, without one waiting for the other."""
LONG_SLICE = 16
"""Elements of a slice from which on a step of its own is worth its call."""
_WIDE = ("float32", "float64", "int32", "int64")
"""Element types that sums are kept in."""


def running_sum(x: Value, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Value:
    """`y[i] = x[0] + … + x[i]` along `axis`, without `x[i]` if exclusive, from the end if reverse.

    A long axis is walked step by step, and so is one whose size may vary: each step adds a slice to the sum of those
    before, in the same order. Where slices are long in memory, each position of the axes before has a walk of its own;
    else the axis is moved to the front.
    """
    size = x.shape[axis] if x.rank else 0
    is_short = not isinstance(size, Size) and size <= SHORT
    if x.array is not None or is_short or x.dtype.name not in _WIDE or is_empty(x.shape):
        return emit(graph.CumsumOp, x, axis=axis, exclusive=exclusive, reverse=reverse)
    is_constant = not any(isinstance(each, Size) for each in x.shape)
    if axis and is_constant and prod(x.shape[axis + 1 :]) >= LONG_SLICE:
        return _by_position(x, axis, exclusive=exclusive, reverse=reverse)

    def step(_: Builder, carried: Values, slices: Values, __: Values) -> tuple[Values, Values]:
        total = carried[0] + slices[0]
        return [total], [carried[0] if exclusive else total]

    perm = [axis, *(dim for dim in range(x.rank) if dim != axis)]
    rows = transpose(x, perm)
    start = x.builder.filled(0, rows.shape[1:], x.dtype)
    walked = (0, 1) if reverse else ()
    _, (sums,) = scan(x.builder, "running_sum", step, carried=[start], scanned=[rows], steps=size, backward=walked)
    return transpose(sums, [perm.index(dim) for dim in range(x.rank)])


def _by_position(x: Value, axis: int, *, exclusive: bool, reverse: bool) -> Value:
    """Running sums along `axis`, one after the other for each position of the axes before."""

    def step(_: Builder, __: Values, slices: Values, ___: Values) -> tuple[Values, Values]:
        return [], [running_sum(slices[0], 0, exclusive=exclusive, reverse=reverse)]

    positions = prod(x.shape[:axis])
    rows = reshape(x, [positions, *x.shape[axis:]])
    _, (sums,) = scan(x.builder, "running_sums", step, carried=[], scanned=[rows], steps=positions)
    return reshape(sums, x.shape)


def running_product(x: Value, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Value:
    """Products over windows of 1, 2, 4, … elements, each from two of the window before."""

    def shifted(value: Value, distance: int) -> Value:
        low, high = [0] * x.rank, [0] * x.rank
        near, far = (high, low) if reverse else (low, high)
        near[axis], far[axis] = distance, -distance
        return pad(value, low, high, value=1)

    x = shifted(x, 1) if exclusive else x
    distance = 1
    while distance < x.shape[axis]:
        x = x * shifted(x, distance)
        distance *= 2
    return x
