"""Operators that move elements."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te import operators
from s2s.tvm.te.arithmetic import element, is_one
from s2s.tvm.te.expressions import Expr, IterVar, Size, Tensor, const
from s2s.tvm.te.operators import if_then_else
from s2s.tvm.te.tensors import compute, pointwise, reduce_axis
from s2s.tvm.topi.utils import get_const_int, prod, ravel_index, unravel_index, zero


def _axis(name: str, axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise InputError(f"topi.{name}: axis {axis}: there are {rank} dimensions; name one of them")
    return axis % rank


def expand_dims(a: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    """The tensor with dimensions of size 1 before dimension `axis`."""
    place = _axis("expand_dims", axis, a.ndim + 1)
    shape = [*a.shape[:place], *[1] * num_newaxis, *a.shape[place:]]
    return pointwise(shape, lambda i: a(*i[:place], *i[place + num_newaxis :]), "T_expand_dims")


def squeeze(a: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """The tensor without dimensions of size 1: the named ones, or all."""
    named = [axis] if isinstance(axis, int) else axis
    gone = {each for each in range(a.ndim) if is_one(a.shape[each])} if named is None else {
        _axis("squeeze", each, a.ndim) for each in named
    }  # fmt: skip
    shape = [size for each, size in enumerate(a.shape) if each not in gone]

    def formula(*indices: IterVar) -> Expr:
        rest = iter(indices)
        return a(*(0 if each in gone else next(rest) for each in range(a.ndim)))

    return compute(shape, formula, "T_squeeze")


def transpose(a: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """The tensor with its dimensions in the order `axes`, by default reversed."""
    order = list(reversed(range(a.ndim))) if axes is None else [_axis("transpose", each, a.ndim) for each in axes]
    if sorted(order) != list(range(a.ndim)):
        raise InputError(f"topi.transpose: axes {axes} are no order of {a.ndim} dimensions; name each once")
    return pointwise(
        [a.shape[each] for each in order], lambda i: a(*(i[order.index(n)] for n in range(a.ndim))), "T_transpose"
    )


def flip(a: Tensor, axis: int = 0) -> Tensor:
    """The tensor with one axis reversed."""
    place = _axis("flip", axis, a.ndim)
    return pointwise(
        a.shape, lambda i: a(*(a.shape[n] - 1 - each if n == place else each for n, each in enumerate(i))), "T_flip"
    )


def reshape(a: Tensor, newshape: Sequence[Size]) -> Tensor:
    """The elements in row-major order in another shape."""
    sizes = [get_const_int(each) if not isinstance(each, Expr) else each for each in newshape]
    numbers = [each for each in (*sizes, *a.shape) if isinstance(each, int)]
    if len(numbers) == len(sizes) + a.ndim and prod(sizes) != prod(a.shape):
        raise InputError(f"topi.reshape: {list(a.shape)} does not have the elements of {sizes}; give another shape")
    return pointwise(sizes, lambda i: a(*unravel_index(ravel_index(i, sizes), a.shape)), "T_reshape")


def concatenate(a_tuple: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Tensors one after the other along an axis."""
    first = a_tuple[0]
    place = _axis("concatenate", axis, first.ndim)
    starts: list[Size] = [0]
    for each in a_tuple:
        starts.append(starts[-1] + each.shape[place])
    shape = [starts[-1] if n == place else size for n, size in enumerate(first.shape)]

    def formula(*indices: IterVar) -> Expr:
        def part(number: int) -> Expr:
            moved = [each - starts[number] if n == place else each for n, each in enumerate(indices)]
            return a_tuple[number](*moved)

        value = part(len(a_tuple) - 1)
        for number in reversed(range(len(a_tuple) - 1)):
            value = if_then_else(indices[place] < starts[number + 1], part(number), value)
        return value

    return compute(shape, formula, "T_concatenate")


def stack(a: Sequence[Tensor], axis: int) -> Tensor:
    """Tensors side by side along a new axis."""
    return concatenate([expand_dims(each, axis) for each in a], axis)


def split(ary: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    """Parts of a tensor along an axis: equal ones by their number, or parts between places."""
    place = _axis("split", axis, ary.ndim)
    size = get_const_int(ary.shape[place])
    if isinstance(indices_or_sections, int):
        if size % indices_or_sections:
            raise InputError(f"topi.split: {indices_or_sections} sections do not divide {size}; give places")
        step = size // indices_or_sections
        bounds = list(range(0, size + 1, step))
    else:
        bounds = [0, *indices_or_sections, size]
    return [_part(ary, place, low, high) for low, high in pairwise(bounds)]


def _part(a: Tensor, place: int, low: int, high: int) -> Tensor:
    shape = [high - low if n == place else size for n, size in enumerate(a.shape)]
    return pointwise(shape, lambda i: a(*(each + low if n == place else each for n, each in enumerate(i))), "T_split")


def strided_slice(
    a: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    slice_mode: str = "end",
) -> Tensor:
    """The elements from `begin` to `end` in steps, by the rules of slices in Python; `size` reads `end` as a length."""
    places = [_axis("strided_slice", each, a.ndim) for each in (axes or range(len(begin)))]
    steps = list(strides or [1] * len(begin))
    firsts, sizes = [0] * a.ndim, list(a.shape)
    jumps = [1] * a.ndim
    for number, place in enumerate(places):
        extent = get_const_int(a.shape[place])
        last = end[number] if slice_mode == "end" else _last(begin[number], end[number], extent)
        step = steps[number] if slice_mode == "end" and number < len(steps) else 1
        chosen = range(extent)[slice(begin[number], last, step)]
        if not chosen:
            raise InputError(f"topi.strided_slice: nothing is left of axis {place}; give other bounds")
        firsts[place], sizes[place], jumps[place] = chosen.start, len(chosen), chosen.step
    return pointwise(sizes, lambda i: a(*(each * jumps[n] + firsts[n] for n, each in enumerate(i))), "T_strided_slice")


def _last(begin: int, length: int, extent: int) -> int:
    return extent if length < 0 else begin + length


def take(a: Tensor, indices: Tensor, axis: int | None = None, batch_dims: int = 0, mode: str = "clip") -> Tensor:
    """The elements, or slices along `axis`, at `indices`; indices outside are clipped."""
    if batch_dims or mode not in ("clip", "fast"):
        raise InputError(
            f"topi.take: mode {mode}, batch_dims {batch_dims}: take clips, without batches; use relay.take"
        )
    if axis is None:
        flat = reshape(a, [prod(a.shape)])
        return pointwise(indices.shape, lambda i: flat(indices(*i)), "T_take")
    place = _axis("take", axis, a.ndim)
    shape = [*a.shape[:place], *indices.shape, *a.shape[place + 1 :]]

    def formula(*i: IterVar) -> Expr:
        return a(*i[:place], indices(*i[place : place + indices.ndim]), *i[place + indices.ndim :])

    return compute(shape, formula, "T_take")


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`x` where the condition is not zero, else `y`."""
    from s2s.tvm.te.arithmetic import broadcast_shape

    shape = broadcast_shape("where", condition.shape, broadcast_shape("where", x.shape, y.shape))

    def formula(*i: IterVar) -> Expr:
        test = element(condition, i)
        holds = test if test.dtype == "bool" else test != zero(test.dtype)
        return if_then_else(holds, element(x, i), element(y, i))

    return compute(shape, formula, "T_where")


def repeat(a: Tensor, repeats: int, axis: int) -> Tensor:
    """The tensor with each slice along an axis repeated."""
    place = _axis("repeat", axis, a.ndim)
    shape = [size * repeats if n == place else size for n, size in enumerate(a.shape)]
    return pointwise(
        shape, lambda i: a(*(each // repeats if n == place else each for n, each in enumerate(i))), "T_repeat"
    )


def tile(a: Tensor, reps: Sequence[int]) -> Tensor:
    """The tensor repeated as a whole along each axis."""
    rank = max(a.ndim, len(reps))
    sizes, times = [1] * (rank - a.ndim) + list(a.shape), [1] * (rank - len(reps)) + list(reps)

    def formula(*i: IterVar) -> Expr:
        indices: list[Any] = [each % sizes[n] for n, each in enumerate(i)]
        return a(*indices[rank - a.ndim :])

    return compute([size * times[n] for n, size in enumerate(sizes)], formula, "T_tile")


def one_hot(indices: Tensor, on_value: Any, off_value: Any, depth: int, axis: int, dtype: str) -> Tensor:
    """A vector for each index, `on_value` at that place and `off_value` elsewhere."""
    place = _axis("one_hot", axis, indices.ndim + 1)
    shape = [*indices.shape[:place], depth, *indices.shape[place:]]
    on, off = const(on_value, dtype), const(off_value, dtype)

    def formula(*i: IterVar) -> Expr:
        return if_then_else(indices(*i[:place], *i[place + 1 :]) == i[place].astype(indices.dtype), on, off)

    return compute(shape, formula, "T_one_hot")


def arange(start: int, stop: int | None = None, step: int = 1, dtype: str = "float32") -> Tensor:
    """The numbers from `start` to `stop` in steps; from 0 to `start` where there is no stop."""
    first, last = (0, start) if stop is None else (start, stop)
    count = len(range(first, last, step))
    return compute((count,), lambda i: (i * step + first).astype(dtype), "T_arange")


def matmul(a: Tensor, b: Tensor, transp_a: bool = False, transp_b: bool = False) -> Tensor:
    """The product of two matrices, either of them transposed first."""
    rows, depth = reversed(a.shape) if transp_a else a.shape
    columns = b.shape[0 if transp_b else 1]
    k = reduce_axis((0, depth), "k")

    def formula(i: IterVar, j: IterVar) -> Expr:
        return operators.sum((a(k, i) if transp_a else a(i, k)) * (b(j, k) if transp_b else b(k, j)), axis=k)

    return compute((rows, columns), formula, "T_matmul")


def layout_transform(array: Tensor, src_layout: str, dst_layout: str, schedule_rule: str = "None") -> Tensor:
    """The tensor in another order of its dimensions, such as `NCHW` to `NHWC`."""
    if sorted(src_layout) != sorted(dst_layout) or not src_layout.isalpha():
        raise InputError(
            f"topi.layout_transform: {src_layout} to {dst_layout}: blocked layouts are the compiler's; reshape and "
            "transpose"
        )
    return transpose(array, [src_layout.index(each) for each in dst_layout])
