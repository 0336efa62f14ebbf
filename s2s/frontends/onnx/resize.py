"""Resize and Upsample, axis by axis."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import floor, isfinite

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    broadcast_to,
    cast,
    checked_shape,
    clamp,
    equal,
    maximum,
    minimum,
    reshape,
    select,
    take,
)
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.resample import (
    COORDINATES,
    Taps,
    coordinates,
    cubic_kernel,
    linear_kernel,
    nearest_taps,
    read_taps,
    scaled_size,
    weighted_taps,
)
from s2s.frontends.sampling import within
from s2s.frontends.weighted_reads import MAX_TAPS, Kernel, read_weighted
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.size import Size, alike, all_plain, greatest, integer_of, proves

_INDEX, _PLACE, _EXACT = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.float64)


@frozen
class _Axis:
    """How one axis is resized."""

    axis: int
    count: int
    scale: float
    roi: tuple[float, float]
    sized: bool = False
    """Whether the model states the size, from which the scale follows."""

    def stays(self, size: int) -> bool:
        """Whether an axis of `size` is read as it is, at any size. Pictures and channels are not resized."""
        return alike([self.count], [size]) and (self.axis < 2 if self.sized else self.scale == 1)


def _upsample(node: Node) -> Value:
    x = node.input(0)
    if node.since >= 9 and node.input(1).array is None:
        return _late_scales(node, x, list(range(x.rank)), node.input(1), "asymmetric")
    scales = node.known_reals(1, "scales") if node.since >= 9 else node.reals("scales")
    axes = _scaled_axes(node, x, list(range(x.rank)), scales, None)
    return _resample(node, x, axes, "asymmetric", "floor")


def _resize(node: Node) -> Value:
    x = node.input(0)
    if node.since < 11:
        if node.input(1).array is None:
            return _late_scales(node, x, list(range(x.rank)), node.input(1), "asymmetric")
        axes = _scaled_axes(node, x, list(range(x.rank)), node.known_reals(1, "scales"), None)
        return _resample(node, x, axes, "asymmetric", "floor")
    chosen = [node.axis(axis, x.rank) for axis in node.integers("axes", list(range(x.rank)))]
    mode = node.choice("coordinate_transformation_mode", *COORDINATES)
    cropped = mode == "tf_crop_and_resize"
    late = cropped and node.input(1).array is None
    roi = node.known_reals(1, "roi") if cropped and not late else None
    given = node.optional(2)
    if given is not None and given.array is None and given.shape == (len(chosen),) and not cropped:
        return _late_scales(node, x, chosen, given, mode)
    policy, wanted = node.text("keep_aspect_ratio_policy", "stretch"), node.optional(3)
    if policy != "stretch" and wanted is not None and wanted.array is None and not cropped:
        return _late_scales(node, x, chosen, _late_ratio(node, x, chosen, wanted, policy), mode)
    scales, sizes = _given(node, 2), _given(node, 3)
    if (scales is None) == (sizes is None):
        raise node.invalid("needs exactly one of scales and sizes", "give one of them")
    if scales is not None:
        axes = _scaled_axes(node, x, chosen, [float(scale) for scale in scales], roi)
    else:
        assert sizes is not None
        axes = _sized_axes(node, x, chosen, [integer_of(size) for size in sizes], roi)
    return _crop(node, x, axes) if late else _resample(node, x, axes, mode, node.text("nearest_mode"))


def _given(node: Node, position: int) -> Array | None:
    """An operand that counts as left out when it is empty."""
    if node.optional(position) is None:
        return None
    array = node.known(position, "scales" if position == 2 else "sizes")
    return array.reshape(-1) if array.size else None


def _scaled_axes(node: Node, x: Value, chosen: list[int], scales: list[float], roi: list[float] | None) -> list[_Axis]:
    if len(scales) != len(chosen) or any(not isfinite(scale) or scale <= 0 for scale in scales):
        raise node.invalid(f"scales {scales} do not fit {len(chosen)} axes", "give a positive scale for each axis")
    counts = [_floor_product(x.shape[axis], scale) for axis, scale in zip(chosen, scales, strict=True)]
    return _axes(node, chosen, counts, scales, roi)


def _floor_product(size: int, factor: float) -> int:
    """Return the largest whole number that is not above `size * factor`."""
    if not isinstance(size, Size):
        return floor(size * factor)
    scaled = scaled_size(size, factor)
    return floor(float(size) * factor) if scaled is None else scaled


def _sized_axes(node: Node, x: Value, chosen: list[int], sizes: list[int], roi: list[float] | None) -> list[_Axis]:
    if len(sizes) != len(chosen) or any(size < 1 for size in sizes):
        raise node.invalid(f"sizes {sizes} do not fit {len(chosen)} axes", "give a positive size for each axis")
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    scales = [_ratio(size, x.shape[axis]) for axis, size in zip(chosen, sizes, strict=True)]
    if policy in ("not_larger", "not_smaller"):
        scale = min(scales) if policy == "not_larger" else max(scales)
        scales = [scale] * len(chosen)
        sizes = [floor(scale * x.shape[axis] + 0.5) for axis in chosen]
    return _axes(node, chosen, sizes, scales, roi, sized=policy == "stretch")


def _ratio(size: int, before: int) -> float:
    """The ratio of two sizes, at the greatest ones if they vary: what depends on it is computed in the run."""
    most, least = greatest([size, before])
    return most / least


def _axes(
    node: Node,
    chosen: list[int],
    counts: list[int],
    scales: list[float],
    roi: list[float] | None,
    *,
    sized: bool = False,
) -> list[_Axis]:
    checked_shape(tuple(counts), node.place)
    if any(count < 1 for count in counts):
        raise node.invalid(f"sizes {counts} hold no element", "enlarge the scales")
    if roi is None:
        roi = [0.0] * len(chosen) + [1.0] * len(chosen)
    if len(roi) != 2 * len(chosen) or not all(map(isfinite, roi)):
        raise node.invalid(f"roi {roi} does not fit {len(chosen)} axes", "give a start and an end for each axis")
    starts, ends = roi[: len(chosen)], roi[len(chosen) :]
    regions = zip(starts, ends, strict=True)
    return [_Axis(*entry, sized) for entry in zip(chosen, counts, scales, regions, strict=True)]


def _resample(node: Node, x: Value, axes: list[_Axis], mode: str, nearest_mode: str) -> Value:
    """`x` resized along `axes`, one after the other; positions outside are replaced in the crop modes."""
    y = x if x.is_float or node.text("mode") == "nearest" else cast(x, np.dtype(np.float32))
    outside = np.zeros([1] * x.rank, np.bool_)
    for axis in axes:
        if node.builder.varies and _depends_on_size(node, axis, x.shape[axis.axis], mode):
            y = _at_any_size(node, y, axis, mode)
            continue
        if not all_plain([x.shape[axis.axis], axis.count]) and node.text("mode") == "nearest" and not axis.sized:
            y = _repeated(node, y, axis, mode, nearest_mode)
            continue
        taps = _taps(node, axis, x.shape[axis.axis], mode, nearest_mode)
        y = read_taps(node, y, axis.axis, taps)
        if mode == "tf_crop_and_resize":
            shape = [axis.count if dim == axis.axis else 1 for dim in range(x.rank)]
            outside = outside | taps.outside.reshape(shape)
    if outside.any():
        y = select(node.constant(outside), y.like(node.real("extrapolation_value", 0.0)), y)
    return cast(y, x.dtype)


def _repeated(node: Node, x: Value, axis: _Axis, mode: str, nearest_mode: str) -> Value:
    """`x` with elements repeated a whole number of times along an axis of varying size: the elements of the greatest
    size, as far as there are any."""
    most, count = greatest([x.shape[axis.axis], axis.count])
    places = _taps(node, replace(axis, count=count), most, mode, nearest_mode).index[:, 0]
    table: Value = node.table(places, [axis.count])
    if not np.array_equal(places, np.arange(count) // int(axis.scale)):
        table = minimum(table, node.builder.sizes(x.shape[axis.axis] - 1, _INDEX))
    return emit(graph.GatherOp, x, table, axis=axis.axis)


def _depends_on_size(node: Node, axis: _Axis, size: int, mode: str) -> bool:
    """Whether what a position reads depends on the size, and is few elements. Elements that are repeated a whole
    number of times are the same ones at every size; how many a smoothed one reads must not depend on the size."""
    if node.text("mode") == "nearest" and not axis.sized and axis.scale == floor(axis.scale):
        return mode == "align_corners"
    if mode == "tf_crop_and_resize":
        return False
    shrinks = proves(axis.count, ">=", size) is not True if axis.sized else axis.scale < 1
    smooth = node.flag("antialias", False) and node.text("mode") != "nearest" and shrinks
    return not smooth or (not axis.sized and 2 * _kernel(node, axis.scale).reach <= MAX_TAPS)


def _at_any_size(node: Node, x: Value, axis: _Axis, mode: str) -> Value:
    """`x` resized along an axis whose size may vary from run to run."""
    if axis.stays(x.shape[axis.axis]):
        return x
    size, count = (node.builder.sizes(number, _EXACT) for number in (x.shape[axis.axis], axis.count))
    scale = count / size if axis.sized else axis.scale
    steps = node.counted(axis.count, _EXACT)
    at = _late_coordinates(mode, steps, size, scale, count)
    kind = node.choice("mode", "nearest", "linear", "cubic", "bilinear")
    if _weighs(node):
        excluded = node.flag("exclude_outside", False)
        return read_weighted(x, axis.axis, at, size, _kernel(node, axis.scale), excluded=excluded)
    return _read(node, x, axis.axis, at, kind, size - 1)


def _weighs(node: Node) -> bool:
    """Whether weights of more than two elements, or of inner elements only, are summed."""
    mode = node.choice("mode", "nearest", "linear", "cubic", "bilinear")
    smooth = node.flag("antialias", False) or node.flag("exclude_outside", False)
    return mode == "cubic" or (mode != "nearest" and smooth)


def _kernel(node: Node, scale: float | Value, least: float = 1.0) -> Kernel:
    """The weights of a resize by `scale`, which is at least `least`; the smoothed ones are as wide as a step."""
    antialias = node.flag("antialias", False)
    factor = 1.0 if not antialias else minimum(scale, 1) if isinstance(scale, Value) else min(scale, 1.0)
    cubic = node.real("cubic_coeff_a", -0.75) if node.text("mode") == "cubic" else None
    return Kernel(factor, cubic, normalised=antialias, least=min(least, 1.0))


def _read_by_weights(node: Node, x: Value, axis: int, at: Value, kernel: Kernel) -> Value:
    """`x` at the places `at` along `axis`, which a run computes, from as many elements as the kernel reaches."""
    if 2 * kernel.reach > MAX_TAPS:
        raise node.unsupported(
            f"smooths {2 * kernel.reach} elements at places of run time", f"smooth at most {MAX_TAPS}, by larger scales"
        )
    size = node.builder.sizes(x.shape[axis], at.dtype)
    return read_weighted(x, axis, at, size, kernel, excluded=node.flag("exclude_outside", False))


def _crop(node: Node, x: Value, axes: list[_Axis]) -> Value:
    """`x` read at places between the ends of a region that is computed at run time, axis by axis."""
    roi = node.input(1)
    if roi.shape != (2 * len(axes),):
        raise node.invalid(f"roi {list(roi.shape)} does not fit {len(axes)} axes", "give a start and an end for each")
    mode = node.choice("mode", "nearest", "linear", "cubic", "bilinear")
    y = x if x.is_float or mode == "nearest" else cast(x, np.dtype(np.float32))
    outside: Value | None = None
    for number, axis in enumerate(axes):
        start, end = (take(roi, 0, place, 1) for place in (number, number + len(axes)))
        at = _places(node, axis, x.shape[axis.axis], cast(start, _PLACE), cast(end, _PLACE))
        if _weighs(node):
            y = _read_by_weights(node, y, axis.axis, at, _kernel(node, axis.scale))
        else:
            y = _read(node, y, axis.axis, at, mode)
        beyond = emit(graph.LogicalNotOp, within(at, 0, x.shape[axis.axis] - 1))
        column = reshape(beyond, [axis.count if dim == axis.axis else 1 for dim in range(x.rank)])
        outside = column if outside is None else emit(graph.LogicalOrOp, outside, column)
    if outside is not None:
        y = select(outside, y.like(node.real("extrapolation_value", 0.0)), y)
    return cast(y, x.dtype)


def _late_ratio(node: Node, x: Value, chosen: list[int], sizes: Value, policy: str) -> Value:
    """The scale of all axes that keeps the aspect ratio of `x` within sizes of run time, or around them."""
    if sizes.shape != (len(chosen),):
        raise node.invalid(f"sizes {list(sizes.shape)} do not fit {len(chosen)} axes", "give a size for each axis")
    node.declared_shape("sizes")
    ratios = cast(sizes, _EXACT) / node.builder.sizes([x.shape[axis] for axis in chosen], _EXACT)
    outer = graph.ReduceMinOp if policy == "not_larger" else graph.ReduceMaxOp
    return broadcast_to(emit(outer, ratios, axes=[0], keepdims=True), [len(chosen)])


def _late_scales(node: Node, x: Value, chosen: list[int], scales: Value, mode: str) -> Value:
    """`x` resized to the declared shape by scales that are computed at run time, axis by axis."""
    shape, kind = node.declared_shape("scales"), node.choice("mode", "nearest", "linear", "cubic", "bilinear")
    if len(shape) != x.rank:
        raise node.invalid(f"its result has the declared shape {list(shape)} for {list(x.shape)}", "fix the shape")
    scales = cast(scales, _EXACT)
    y = x if x.is_float or kind == "nearest" else cast(x, _PLACE)
    for number, axis in enumerate(chosen):
        scale = reshape(take(scales, 0, number, 1), [])
        steps = node.counted(shape[axis], _EXACT)
        at = _late_coordinates(mode, steps, x.shape[axis], scale, shape[axis])
        if _weighs(node):
            y = _read_by_weights(node, y, axis, at, _kernel(node, scale, shape[axis] / x.shape[axis]))
        else:
            y = _read(node, y, axis, at, kind)
    return cast(y, x.dtype)


def _late_coordinates(mode: str, steps: Value, size: Value | int, scale: Value | float, count: Value | int) -> Value:
    """What `coordinates` computes of a scale or of sizes that are known at run time."""
    length = scale * size
    match mode:
        case "align_corners":
            length = length if isinstance(length, Value) else steps.like(length)
            one = equal(length, 1)
            return select(one, 0 * steps, steps * (size - 1) / select(one, length, length - 1))
        case "asymmetric":
            return steps / scale
        case "tf_half_pixel_for_nn":
            return (steps + 0.5) / scale
        case "pytorch_half_pixel":
            length = length if isinstance(length, Value) else steps.like(length)
            return select(equal(length, 1), 0 * steps - 0.5, (steps + 0.5) / scale - 0.5)
        case "half_pixel_symmetric":
            return (1 - count / length) * (size / 2) + (steps + 0.5) / scale - 0.5
        case _:
            return (steps + 0.5) / scale - 0.5


def _places(node: Node, axis: _Axis, size: int, start: Value, end: Value) -> Value:
    """What `coordinates` computes of a region, as a value."""
    length = axis.scale * size
    if length == 1:
        return broadcast_to((start + end) * ((size - 1) / 2), [axis.count])
    steps = np.arange(axis.count) * ((size - 1) / (length - 1))
    return node.constant(steps, _PLACE) * (end - start) + start * (size - 1)


def _read(node: Node, x: Value, axis: int, at: Value, mode: str, last: Value | int | None = None) -> Value:
    """`x` at the places `at` along `axis`, of which `last` is the last one."""
    last = x.shape[axis] - 1 if last is None else last

    def read(place: Value) -> Value:
        inside = clamp(place, 0, last) if isinstance(last, int) else maximum(minimum(place, last), 0)
        return emit(graph.GatherOp, x, cast(inside, _INDEX), axis=axis)

    if mode == "nearest":
        name = node.choice("nearest_mode", *_ROUNDED) if node.has("nearest_mode") else "floor"
        return read(_ROUNDED[name if node.since >= 11 else "floor"](at))
    base, column = _floor(at), [at.shape[0] if d == axis else 1 for d in range(x.rank)]
    ratio = at - base
    near, far = (reshape(cast(weight, x.dtype), column) for weight in (1 - ratio, ratio))
    return read(base) * near + read(base + 1) * far


def _floor(x: Value) -> Value:
    return emit(graph.FloorOp, x)


def _ceil(x: Value) -> Value:
    return emit(graph.CeilOp, x)


_ROUNDED: Mapping[str, Callable[[Value], Value]] = {
    "round_prefer_floor": lambda at: _ceil(at - 0.5),
    "round_prefer_ceil": lambda at: _floor(at + 0.5),
    "floor": _floor,
    "ceil": _ceil,
}


def _taps(node: Node, axis: _Axis, size: int, mode: str, nearest_mode: str) -> Taps:
    if not all_plain([size, axis.count]):
        raise node.unsupported("reads other elements at other sizes", "give scales, or the axis a constant size")
    node.require_small(axis.count, "a resized axis")
    at = coordinates(mode, size, axis.scale, axis.count, axis.roi)
    kind = node.choice("mode", "nearest", "linear", "cubic", "bilinear")
    if kind == "nearest":
        if nearest_mode not in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            raise node.invalid(f"nearest_mode is {nearest_mode!r}", "use a mode that ONNX defines")
        return nearest_taps(at, size, nearest_mode)
    antialias = node.flag("antialias", False)
    if kind == "cubic":
        kernel, reach = cubic_kernel(axis.scale, node.real("cubic_coeff_a", -0.75), antialias)
    else:
        kernel, reach = linear_kernel(axis.scale, antialias)
    return weighted_taps(at, size, kernel, reach, node.flag("exclude_outside", False))


IMPORTERS: Mapping[str, Importer] = {
    "Resize": _resize,
    "Upsample": _upsample,
}
