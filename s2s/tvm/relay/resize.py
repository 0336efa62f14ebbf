"""Resizing as TVM documents it: the positions that each output reads, and their weights, axis by axis.

Five rows are resized to three with `half_pixel`: output 1 is at `(1 + 0.5) * 5 / 3 - 0.5 = 2`.
"""

from collections.abc import Sequence

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import cast, select
from s2s.frontends.resample import Floats, Taps, coordinates, cubic_kernel, linear_kernel, nearest_taps, weighted_taps
from s2s.frontends.resample import read_taps as read
from s2s.interpret.graph.work import MAX_FOLDED_ELEMENTS
from s2s.support.frozen import frozen
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.formula import Formula
from s2s.types.dtypes import Array

METHODS = ("nearest_neighbor", "linear", "cubic")
ROUNDINGS = {
    "round": "round_prefer_ceil",
    "round_prefer_floor": "round_prefer_floor",
    "round_prefer_ceil": "round_prefer_ceil",
    "floor": "floor",
    "ceil": "ceil",
}
"""The roundings to the nearest position, by the names of `s2s.frontends.resample`."""
MODES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
"""How positions of the result are mapped to the data."""
TOLERANCE = 1e-5
"""TVM takes a position this close to an element for that element where it rounds up or down."""


@frozen
class Resizing:
    """The choices that all axes of a resize share; the operator checks their names when it is made."""

    operator: str
    method: str
    mode: str
    rounding: str
    cubic_alpha: float
    excludes_outside: bool
    extrapolation: float

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("method", self.method, METHODS),
            ("coordinate_transformation_mode", self.mode, MODES),
            ("rounding_method", self.rounding or "floor", ROUNDINGS),
        ):
            if value not in choices:
                raise InputError(
                    f"relay.image.{self.operator}: {name} {value!r} is not known; give one of {', '.join(choices)}"
                )

    def taps(self, size: int, count: int, region: tuple[float, float]) -> Taps:
        """The positions and weights of `count` outputs along an axis of `size`."""
        at = coordinates(self.mode, size, count / size, count, region)
        if self.mode == "pytorch_half_pixel" and count == 1:
            at = np.zeros(1)
        if self.method == "nearest_neighbor":
            return self._nearest(at, size)
        if self.method == "cubic":
            kernel, reach = cubic_kernel(1.0, self.cubic_alpha, False)
        else:
            kernel, reach = linear_kernel(1.0, False)
        return weighted_taps(at, size, kernel, reach, self.excludes_outside and self.method == "cubic")

    def _nearest(self, at: Floats, size: int) -> Taps:
        rounding = self.rounding or ("round" if self.mode == "align_corners" else "floor")
        shift = {"floor": TOLERANCE, "ceil": -TOLERANCE}.get(rounding, 0.0)
        taps = nearest_taps(at + shift, size, ROUNDINGS[rounding])
        return Taps(taps.index, taps.weight, (at < 0) | (at > size - 1))


@frozen
class _Operator:
    """An operator of relay as the formulas of importers see the node of a model."""

    builder: Builder
    name: str

    def invalid(self, fact: str, way_out: str) -> InputError:
        return InputError(f"relay.{self.name}: {fact}; {way_out}")

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        return UnsupportedError(f"relay.{self.name}: {fact}; {way_out}")

    def require_small(self, count: int, what: str) -> None:
        if count > MAX_FOLDED_ELEMENTS:
            raise self.invalid(f"{what} has {count} elements, more than {MAX_FOLDED_ELEMENTS}", "make it smaller")

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        return self.builder.constant(np.asarray(values, dtype))

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        return self.builder.table(values, shape)


def resized(
    data: Expr, axes: Sequence[int], sizes: Sequence[int], roi: Sequence[float], resizing: Resizing, dtype: str
) -> Expr:
    """`data` with `sizes` along `axes`, as `dtype`; `roi` holds the starts of the region along the axes, then the ends.

    Integers are interpolated as float32 and rounded towards zero.
    """
    regions = zip(roi[: len(axes)], roi[len(axes) :], strict=True)
    taps = [
        resizing.taps(data.shape[axis], size, region) for axis, size, region in zip(axes, sizes, regions, strict=True)
    ]
    outside = np.zeros([1] * len(data.shape), np.bool_)
    if resizing.mode == "tf_crop_and_resize":
        for axis, each in zip(axes, taps, strict=True):
            outside = outside | each.outside.reshape([-1 if dim == axis else 1 for dim in range(len(data.shape))])

    def write(builder: Builder, values: Sequence[Value]) -> list[Value]:
        node, x = _Operator(builder, f"image.{resizing.operator}"), values[0]
        if resizing.method != "nearest_neighbor":
            x = cast(x, np.result_type(x.dtype if x.is_float else np.float32, np.float32))
        for axis, each in zip(axes, taps, strict=True):
            x = read(node, x, axis, each)
        if outside.any():
            x = select(node.constant(outside), x.like(resizing.extrapolation), x)
        return [cast(x, np.dtype(dtype))]

    return Formula(resizing.operator, write, [data]).results[0]
