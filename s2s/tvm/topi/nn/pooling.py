"""Pools."""

from collections.abc import Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, IterVar, Tensor, const
from s2s.tvm.te.reducers import min_value
from s2s.tvm.te.tensors import compute, reduce_axis
from s2s.tvm.topi.nn.pad import pad
from s2s.tvm.topi.utils import get_const_int


def _pool(
    name: str,
    data: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    pool_type: str,
    ceil_mode: bool,
    places: Sequence[int],
    count_include_pad: bool,
) -> Tensor:
    rank = len(kernel)
    if pool_type not in ("max", "avg"):
        raise InputError(f"topi.nn.{name}: pool_type {pool_type}: is not known; give max or avg")
    if len(padding) != 2 * rank or len(stride) != rank or len(dilation) != rank:
        raise InputError(
            f"topi.nn.{name}: {len(stride)} strides and {len(padding)} paddings are given; give {rank} and {2 * rank}"
        )
    before, behind = [0] * data.ndim, [0] * data.ndim
    sizes = [get_const_int(each) for each in data.shape]
    shape = list(sizes)
    for n, place in enumerate(places):
        extra = stride[n] - 1 if ceil_mode else 0
        before[place], behind[place] = padding[n], padding[rank + n] + extra
        reach = (kernel[n] - 1) * dilation[n] + 1
        shape[place] = (sizes[place] + before[place] + behind[place] - reach) // stride[n] + 1
    start = min_value(data.dtype) if pool_type == "max" else const(0, data.dtype)
    padded = pad(data, before, behind, start, "pad_temp") if any(before) or any(behind) else data
    loops = [reduce_axis((0, size), f"rv{n}") for n, size in enumerate(kernel)]

    def window(*i: IterVar) -> Expr:
        at: list[Expr] = list(i)
        for n, place in enumerate(places):
            at[place] = i[place] * stride[n] + loops[n] * dilation[n]
        value = padded(*at)
        return operators.max(value, axis=loops) if pool_type == "max" else operators.sum(value, axis=loops)

    pooled = compute(shape, window, f"pool_{pool_type}" if pool_type == "max" else "pool_sum")
    if pool_type == "max":
        return pooled

    def mean(*i: IterVar) -> Expr:
        """The sum by the number of elements in the window; elements of padding count where they are to be included."""
        count: Any = 1
        for n, place in enumerate(places):
            low = 0 if count_include_pad else padding[n]
            high = sizes[place] + padding[n] + (padding[rank + n] if count_include_pad else 0)
            first = i[place] * stride[n]
            if dilation[n] == 1:
                least = operators.max(first, const(low))
                count = count * (operators.min(first + kernel[n], const(high)) - least)
            else:
                inside = [_inside(first + step * dilation[n], low, high) for step in range(kernel[n])]
                count = count * sum(inside[1:], inside[0])
        floats = data.dtype.startswith("float")
        divisor = operators.max(count, const(1)).astype(data.dtype)
        return pooled(*i) / divisor if floats else operators.truncdiv(pooled(*i), divisor)

    return compute(shape, mean, "pool_avg")


def _inside(place: Expr, low: int, high: int) -> Expr:
    return operators.if_then_else(operators.all(place >= low, place < high), const(1), const(0))


def _places(layout: str, letters: str) -> list[int]:
    if any(layout.count(each) != 1 or each.lower() in layout for each in letters):
        raise InputError(
            f"topi.nn: layout {layout}: does not name each of {', '.join(letters)} once; give one that does"
        )
    return [layout.index(each) for each in letters]


def pool1d(
    data: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCW",
    count_include_pad: bool = True,
) -> Tensor:
    """The greatest or mean element of each window along the width."""
    places = _places(layout, "W")
    return _pool("pool1d", data, kernel, stride, dilation, padding, pool_type, ceil_mode, places, count_include_pad)


def pool2d(
    data: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    pool_type: str,
    ceil_mode: bool = False,
    layout: str = "NCHW",
    count_include_pad: bool = True,
) -> Tensor:
    """The greatest or mean element of each window over height and width; padding is top, left, bottom, right."""
    places = _places(layout, "HW")
    return _pool("pool2d", data, kernel, stride, dilation, padding, pool_type, ceil_mode, places, count_include_pad)


def adaptive_pool(data: Tensor, output_size: Sequence[int], pool_type: str, layout: str = "NCHW") -> Tensor:
    """The greatest or mean element of each part of height and width, which the parts divide evenly."""
    places = _places(layout, "HW")
    sizes = [get_const_int(data.shape[each]) for each in places]
    if any(size % wanted for size, wanted in zip(sizes, output_size, strict=True)):
        raise InputError(f"topi.nn.adaptive_pool: {list(output_size)} do not divide {sizes}; use relay's")
    kernel = [size // wanted for size, wanted in zip(sizes, output_size, strict=True)]
    return _pool("adaptive_pool", data, kernel, kernel, [1, 1], [0] * 4, pool_type, False, places, True)


def global_pool(data: Tensor, pool_type: str, layout: str = "NCHW") -> Tensor:
    """The greatest or mean element over height and width."""
    return adaptive_pool(data, [1, 1], pool_type, layout)
