"""Reading between the elements of a tensor, at positions computed by the network."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, concat, maximum, minimum, reshape, select, take, transpose, unsqueeze
from s2s.support.frozen import frozen

_INDEX = np.dtype(np.int64)
_FLOAT, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


@frozen
class Tap:
    """Along one axis: which element each position reads, and with which weight (None: one)."""

    index: Value
    weight: Value | None


def _floor(x: Value) -> Value:
    return emit(graph.FloorOp, x)


def _and(a: Value, b: Value) -> Value:
    return emit(graph.LogicalAndOp, a, b)


def size_of(x: Value, axis: int, like: Value) -> Value | int:
    """The size of an axis of `x`; if sizes vary from run to run, as a number of the type of `like`."""
    size = x.shape[axis]
    return x.builder.sizes(size, like.dtype) if x.builder.varies else size


def limited(x: Value, high: Value | float) -> Value:
    """`x` limited to `[0, high]`."""
    return maximum(minimum(x, high), 0) if isinstance(high, Value) else clamp(x, 0, high)


def within(x: Value, low: float, high: Value | float) -> Value:
    """Whether `low <= x <= high`."""
    bounds = (bound if isinstance(bound, Value) else x.like(bound) for bound in (low, high))
    return _and(emit(graph.GreaterEqualOp, x, next(bounds)), emit(graph.LessEqualOp, x, next(bounds)))


def reflect(x: Value, low: float, high: Value | float) -> Value:
    """`x` mirrored at `low` and `high` until it lies between them.

    The remainder is taken of the distance from `low`, which is exact; a remainder of a negative number is rounded.
    """
    length = high - low
    if not isinstance(length, Value):
        if length <= 0:
            return x * 0 + low
        folded = emit(graph.ModOp, emit(graph.AbsOp, x - low), x.like(2 * length))
        return minimum(folded, 2 * length - folded) + low
    one = emit(graph.LessEqualOp, length, length.like(0))
    folded = emit(graph.ModOp, emit(graph.AbsOp, x - low), select(one, length.like(1), 2 * length))
    return select(one, x * 0 + low, minimum(folded, 2 * length - folded) + low)


def tap_at(
    at: Value, size: Value | int, weight: Value | None, padding: str, bounds: tuple[float, Value | float]
) -> Tap:
    """The element at the whole number `at`; one beyond the border is replaced as `padding` says."""
    if padding == "reflection":
        at = reflect(at, *bounds)
    elif padding == "zeros":
        inside = cast(within(at, 0, size - 1), at.dtype)
        weight = inside if weight is None else weight * inside
    return Tap(cast(limited(at, size - 1), _INDEX), weight)


def linear_taps(at: Value, size: Value | int, padding: str, bounds: tuple[float, Value | float]) -> list[Tap]:
    """The two elements around each position, weighted by nearness."""
    base = _floor(at)
    ratio = at - base
    return [
        tap_at(base, size, 1 - ratio, padding, bounds),
        tap_at(base + 1, size, ratio, padding, bounds),
    ]


def cubic_taps(at: Value, size: Value | int, padding: str, bounds: tuple[float, Value | float]) -> list[Tap]:
    """Keys' cubic with the parameter -0.75."""
    base = _floor(at)
    ratio = at - base
    a = -0.75

    def near(x: Value) -> Value:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Value) -> Value:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = (far(ratio + 1), near(ratio), near(1 - ratio), far(2 - ratio))
    return [tap_at(base + (k - 1), size, weight, padding, bounds) for k, weight in enumerate(weights)]


def of_one_type(x: Value, grid: Value) -> tuple[Value, Value]:
    """Both as floats of one type, which holds the elements of `x` exactly where a float does."""
    if x.dtype == grid.dtype:
        return x, grid
    wide = _DOUBLE if _DOUBLE in (x.dtype, grid.dtype) or (not x.is_float and x.dtype.itemsize >= 4) else _FLOAT
    return cast(x, wide), cast(grid, wide)


def read_tap(image: Value, taps: Sequence[Tap]) -> Value:
    """`image[n, i…, c] * weight` at the indices of one tap per axis; indices and weights are `[n, p…]`."""
    last = taps[0].index.rank
    index = concat([unsqueeze(tap.index, [last]) for tap in taps], last)
    picked = emit(graph.GatherNdOp, image, index, batch_dims=1)
    weights = [tap.weight for tap in taps if tap.weight is not None]
    if not weights:
        return picked
    weight = weights[0]
    for other in weights[1:]:
        weight = weight * other
    return picked * unsqueeze(weight, [last])


def sum_reads(image: Value, taps: Sequence[Sequence[Tap]]) -> Value:
    """The interpolated image: all combinations of one tap per axis, added up."""
    parts = [read_tap(image, combination) for combination in product(*taps)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def channels_last(x: Value) -> Value:
    """`x[N, C, …]` as `[N, …, C]`."""
    return transpose(x, [0, *range(2, x.rank), 1])


def channels_first(x: Value) -> Value:
    """`x[N, …, C]` as `[N, C, …]`."""
    return transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def grid_sample(x: Value, grid: Value, mode: str, padding: str, corners: bool, *, rounds_first: bool = False) -> Value:
    """`x[N, C, …]` at the places of `grid[N, …, axes]`, of which -1 and 1 are the borders; the last axis comes first.

    `mode` is nearest, or ends in linear or cubic; `padding` is zeros, border or reflection. With `corners` the borders
    are the centres of the outermost elements. The nearest element, of two the even one, is taken of the reflected
    place: -1.5 reflects to 0.5, which is 0. With `rounds_first` the place is rounded before: -1.5 is -2, which reflects
    to 1.
    """
    spatial = x.rank - 2
    taps: list[list[Tap]] = []
    for axis in range(spatial):
        size = size_of(x, 2 + axis, grid)
        place = reshape(take(grid, grid.rank - 1, spatial - 1 - axis, 1), grid.shape[:-1])  # the grid says x, y, z
        bounds = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
        at = (place + 1) / 2 * (size - 1) if corners else ((place + 1) * size - 1) / 2
        at = emit(graph.RoundOp, at) if mode == "nearest" and rounds_first else at
        if padding == "border" and not mode.endswith("cubic"):  # of a cubic the elements are clamped, not the place
            at = select(within(at, *bounds), at, limited(at, size - 1))
        elif padding == "reflection":
            at = reflect(at, *bounds)
        if mode == "nearest":
            at = at if rounds_first else emit(graph.RoundOp, at)
            taps.append([tap_at(at, size, None, padding, bounds)])
        elif mode.endswith("linear"):
            taps.append(linear_taps(at, size, padding, bounds))
        else:
            taps.append(cubic_taps(at, size, padding, bounds))
    return cast(channels_first(sum_reads(channels_last(x), taps)), x.dtype)
