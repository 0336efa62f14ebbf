"""Reductions over some dimensions, by default over all, under TVM's names."""

from collections.abc import Callable
from math import prod as product

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Tuple
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.op import Axes, axes_of
from s2s.tvm.relay.operators import operator
from s2s.types.size import Size


def chosen_axes(axis: Axes, rank: int, exclude: bool) -> list[int]:
    """Return the dimensions that are reduced; with `exclude`, all others than `axis`."""
    axes = axes_of(axis, rank)
    return [place for place in range(rank) if place not in axes] if exclude else axes


def _reduction(name: str, operation: type[Operation], what: str) -> Callable[..., Expr]:
    def apply(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Expr:
        if data.dtype == "bool" and name in ("sum", "prod"):  # whether one is true, and whether all are
            return (any if name == "sum" else all)(data, axis, keepdims, exclude)
        axes = chosen_axes(axis, len(data.shape), exclude)
        return call(operation, data, axes=axes, keepdims=keepdims)

    apply.__doc__ = what
    apply.__name__ = name
    return operator(name)(apply)


sum = _reduction("sum", graph.ReduceSumOp, "The sum over `axis`, by default over all.")
mean = _reduction("mean", graph.ReduceMeanOp, "The mean over `axis`, by default over all.")
max = _reduction("max", graph.ReduceMaxOp, "The largest over `axis`, by default over all.")
min = _reduction("min", graph.ReduceMinOp, "The smallest over `axis`, by default over all.")
prod = _reduction("prod", graph.ReduceProdOp, "The product over `axis`, by default over all.")


@operator("all")
def all(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Expr:
    """Whether all elements over `axis` are true."""
    return op.cast(min(data.astype("bool").astype("uint8"), axis, keepdims, exclude), "bool")


@operator("any")
def any(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Expr:
    """Whether an element over `axis` is true."""
    return op.cast(max(data.astype("bool").astype("uint8"), axis, keepdims, exclude), "bool")


def _argument(name: str, operation: type[Operation], what: str) -> Callable[..., Expr]:
    def apply(
        data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, select_last_index: bool = False
    ) -> Expr:
        axes = chosen_axes(axis, len(data.shape), exclude)
        if len(axes) == 1:
            axis_of_data = axes[0]
            return _argument_along(operation, data, axis_of_data, keepdims, select_last_index)
        kept = [place for place in range(len(data.shape)) if place not in axes]
        shape = [data.shape[place] for place in kept]
        rows = op.reshape(op.transpose(data, [*kept, *axes]), [*shape, product(data.shape[place] for place in axes)])
        places = _argument_along(operation, rows, len(kept), False, select_last_index)
        if not keepdims:
            return places
        return op.reshape(places, [1 if place in axes else size for place, size in enumerate(data.shape)])

    apply.__doc__ = what
    apply.__name__ = name
    return operator(name)(apply)


def _argument_along(operation: type[Operation], data: Expr, axis: int, keepdims: bool, last: bool) -> Expr:
    return call(operation, data, axis=axis, keepdims=keepdims, select_last=last, element_type=i32)


argmax = _argument(
    "argmax", graph.ArgmaxOp, "The position (int32) of the largest over `axis`, by default in all, row by row."
)
argmin = _argument(
    "argmin", graph.ArgminOp, "The position (int32) of the smallest over `axis`, by default in all, row by row."
)


def logsumexp(data: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """The logarithm of the sum of exponentials, computed without overflow."""
    largest = max(data, axis, keepdims=True)
    found = op.log(sum(op.exp(data - largest), axis, keepdims=True)) + largest
    return found if keepdims else op.squeeze(found, axes_of(axis, len(data.shape)))


@operator("variance")
def variance(
    data: Expr,
    axis: Axes = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Expr:
    """The mean square of the distance from the mean; `unbiased` divides by one less than the number of elements."""
    center = mean(data, axis, keepdims=True, exclude=exclude) if with_mean is None else with_mean
    apart = data - center
    squares = mean(apart * apart, axis, keepdims=keepdims, exclude=exclude)
    if not unbiased:
        return squares
    return squares * _bessel(product(data.shape[place] for place in chosen_axes(axis, len(data.shape), exclude)))


def _bessel(count: int) -> float:
    """`n / (n - 1)`; of a size that is a variable the factor at its greatest value, as no type depends on it, and the
    factor is computed anew once the size is a number."""
    number = count.value if isinstance(count, Size) else count
    if number < 2:
        raise InputError("relay.variance: unbiased of one element divides by zero; leave unbiased out")
    return number / (number - 1)


def std(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False) -> Expr:
    """The square root of the variance."""
    return op.sqrt(variance(data, axis, keepdims, exclude, unbiased))


def mean_variance(
    data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False
) -> Tuple:
    """The mean and the variance."""
    return Tuple([mean(data, axis, keepdims, exclude), variance(data, axis, keepdims, exclude, unbiased)])


def mean_std(
    data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False
) -> Tuple:
    """The mean and the square root of the variance."""
    return Tuple([mean(data, axis, keepdims, exclude), std(data, axis, keepdims, exclude, unbiased)])


@operator("cumsum")
def cumsum(data: Expr, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None) -> Expr:
    """Sums of everything up to each position along `axis`, without one of all elements row by row."""
    source = op.reshape(data, [-1]) if axis is None else data
    source = source if dtype is None else source.astype(dtype)
    place = op.axes_of(0 if axis is None else axis, len(source.shape))[0]
    return call(graph.CumsumOp, source, axis=place, exclusive=exclusive is True)
