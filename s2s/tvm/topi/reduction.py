"""Reductions over axes."""

from collections.abc import Callable, Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Binary, Expr, IterVar, Tensor, const
from s2s.tvm.te.operators import if_then_else
from s2s.tvm.te.reducers import comm_reducer, max_value, min_value
from s2s.tvm.te.tensors import compute, reduce_axis

Axes = int | Sequence[int] | None
Reduction = Callable[..., Expr]


def real_axes(name: str, rank: int, axis: Axes) -> list[int]:
    """The axes, counted from the first; all of them for None."""
    listed = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    wrong = [each for each in listed if not -rank <= each < rank]
    if wrong:
        raise InputError(f"topi.{name}: axis {wrong[0]}: the tensor has {rank} dimensions; name one of them")
    return sorted({each % rank for each in listed})


def reduced(name: str, data: Tensor, axis: Axes, keepdims: bool, value: Callable[..., Any], fold: Reduction) -> Any:
    """The reduction by `fold` of `value(element, *indices)` over axes, in TVM's shape."""
    axes = real_axes(name, data.ndim, axis)
    loops = [reduce_axis((0, data.shape[each]), f"k{each}") for each in axes]
    kept = [each for each in range(data.ndim) if each not in axes]
    shape = [1 if each in axes else data.shape[each] for each in range(data.ndim)] if keepdims else [
        data.shape[each] for each in kept
    ]  # fmt: skip

    def formula(*indices: IterVar) -> Any:
        places: dict[int, Expr] = dict(zip(axes, loops, strict=True))
        outer = [indices[each] for each in kept] if keepdims else indices
        places |= dict(zip(kept, outer, strict=True))
        point = [places[each] for each in range(data.ndim)]
        return fold(value(data(*point), *(places[each] for each in axes)), axis=loops)

    return compute(shape, formula, f"T_{name}")


def _element(x: Expr, *_: Expr) -> Expr:
    return x


def _plain(name: str, fold: Reduction, doc: str) -> Callable[..., Tensor]:
    def function(data: Tensor, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return reduced(name, data, axis, keepdims, _element, fold)

    function.__name__, function.__doc__ = name, f"{doc} over `axis`, by default over all axes."
    return function


_product = comm_reducer(lambda x, y: x * y, lambda t: const(1, t), "prod")
_all = comm_reducer(lambda x, y: Binary("and", x, y, "bool"), lambda t: const(True, t), "all")
_any = comm_reducer(lambda x, y: Binary("or", x, y, "bool"), lambda t: const(False, t), "any")
sum, prod = _plain("sum", operators.sum, "The sum"), _plain("prod", _product, "The product")
max, min = _plain("max", operators.max, "The greatest element"), _plain("min", operators.min, "The least element")
all, any = _plain("all", _all, "Whether all elements hold"), _plain("any", _any, "Whether an element holds")


def _extreme(name: str, sign: str, start: Callable[[str], Expr]) -> Callable[..., Tensor]:
    def function(data: Tensor, axis: Axes = None, keepdims: bool = False, select_last_index: bool = False) -> Tensor:
        def better(x: Any, y: Any) -> Expr:
            """Whether `x` stays: it is ahead, or as good and at the earlier (or later) place."""
            before = x[0] > y[0] if select_last_index else x[0] < y[0]
            equal = Binary("and", x[1] == y[1], before, "bool")
            return Binary("or", Binary(sign, x[1], y[1], "bool"), equal, "bool")

        fold = comm_reducer(
            lambda x, y: tuple(if_then_else(better(x, y), x[part], y[part]) for part in (0, 1)),
            lambda t0, t1: (const(-1, t0), start(t1)),
            name,
        )
        axes = real_axes(name, data.ndim, axis)
        sizes = [data.shape[each] for each in axes]

        def pair(x: Expr, *places: Expr) -> tuple[Expr, Expr]:
            flat = places[0]
            for size, place in zip(sizes[1:], places[1:], strict=True):
                flat = flat * size + place
            return flat, x

        return reduced(name, data, axis, keepdims, pair, fold)[0]

    function.__name__ = name
    function.__doc__ = f"The place of the {'greatest' if sign == '>' else 'least'} element over `axis`, by default all."
    return function


argmax, argmin = _extreme("argmax", ">", min_value), _extreme("argmin", "<", max_value)
