"""Tensors of tensor expressions: placeholders, and tensors that a formula computes element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import cast

from s2s.errors import InputError
from s2s.tvm.te.expressions import (
    BOOL,
    ComputeOp,
    Expr,
    IterVar,
    Number,
    PlaceholderOp,
    Reduce,
    Size,
    Tensor,
    Var,
    const,
    walk,
)
from s2s.types.dtypes import ELEMENT_TYPES, to_numpy

DTYPES = tuple(str(to_numpy(element)) for element in ELEMENT_TYPES)


def var(name: str = "n", dtype: str = "int32") -> Var:
    """A size that `build` and `lower` are told by their argument `bind`."""
    if dtype not in ("int32", "int64"):
        raise InputError(f"te.var {name}: dtype {dtype}: a size is an int32; leave dtype out")
    return Var(name)


def placeholder(shape: Sequence[Size], dtype: str = "float32", name: str = "placeholder") -> Tensor:
    """A tensor that the caller passes."""
    return Tensor(shape_of(name, shape), dtype_of(name, dtype), PlaceholderOp(name, ()))


def reduce_axis(dom: tuple[Size, Size], name: str = "rv") -> IterVar:
    """A loop variable of a reduction over `dom`, a pair of 0 and the number of steps."""
    first, extent = dom
    if not isinstance(first, int) or first != 0:
        raise InputError(f"te.reduce_axis {name}: starts at {first}; start at 0, and add the offset to the index")
    return IterVar(extent, name, is_reduction=True)


Result = Expr | Number
Formula = (
    Callable[[], Result]
    | Callable[[IterVar], Result]
    | Callable[[IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[IterVar, IterVar, IterVar, IterVar, IterVar, IterVar], Result]
    | Callable[[*tuple[IterVar, ...]], Result]
)
"""The value of an element at its indices."""


def compute(shape: Sequence[Size], fcompute: Formula, name: str = "compute") -> Tensor:
    """The tensor whose element at `i, j, …` is `fcompute(i, j, …)`, an expression.

    A reduction stands outermost in it: `te.sum(…, axis=k)`, with nothing around.
    """
    sizes = shape_of(name, shape)
    names = _index_names(fcompute, len(sizes))
    axis = tuple(IterVar(size, each) for size, each in zip(sizes, names, strict=True))
    result = cast(Callable[..., Result], fcompute)(*axis)
    body = result if isinstance(result, Expr) else const(result)
    inner = [each for each in walk(body) if isinstance(each, Reduce) and each is not body]
    if inner:
        raise InputError(f"{name}: {inner[0].kind} stands inside of a formula; compute it as a tensor of its own")
    return made(name, axis, body)


def made(name: str, axis: tuple[IterVar, ...], body: Expr) -> Tensor:
    """The tensor that `body` computes at each point of `axis`."""
    return Tensor(tuple(each.extent for each in axis), dtype_of(name, body.dtype), ComputeOp(name, axis, body))


def _index_names(function: Callable[..., object], count: int) -> list[str]:
    """Names of loop variables: those of the function's parameters."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters):
        return [f"i{number}" for number in range(count)]
    if len(parameters) != count:
        raise InputError(
            f"te.compute: the function takes {len(parameters)} indices, the shape has {count} dimensions; give it one "
            "parameter for each"
        )
    return [each.name for each in parameters]


def shape_of(name: str, shape: Sequence[Size]) -> tuple[Size, ...]:
    """Sizes of dimensions; a float such as `N / 32` counts where it is whole, as in TVM's tutorials."""
    sizes = tuple(int(size) if isinstance(size, float) and size == int(size) else size for size in shape)
    wrong = [size for size in sizes if not isinstance(size, Expr) and (not isinstance(size, int) or size < 1)]  # pyright: ignore[reportUnnecessaryIsInstance]
    if wrong:
        raise InputError(f"{name}: size {wrong[0]}: a dimension has one element or more; give a positive integer")
    return sizes


def dtype_of(name: str, dtype: str) -> str:
    """The element type `dtype`, after checking that it is one."""
    known = "bool" if dtype == BOOL else dtype
    if known not in DTYPES:
        raise InputError(f"{name}: dtype {dtype} is not known; give {', '.join(DTYPES)}")
    return known
