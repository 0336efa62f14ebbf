"""Tensors made from sizes and numbers, and questions about sizes."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

import operator
from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, prod, sqrt, trunc
from typing import Any

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Scalar, Value, emit
from s2s.frontends.formulas import broadcast_to, cast, select
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import typed
from s2s.types.dtypes import Array, from_numpy
from s2s.types.size import Size, greatest, integer_of


def _filled(node: Node, shape: Sequence[int], number: Scalar) -> Value:
    """A constant of one number; a number that is a size is one of the run."""
    if isinstance(number, Size):
        return broadcast_to(node.builder.scalar(number, from_numpy(node.result_dtype())), shape)
    return node.builder.filled(number, shape, node.result_dtype())


def _full(node: Node) -> Value:
    value = node.operand("fill_value")
    if isinstance(value, Value) and value.array is None:
        return broadcast_to(cast(value, node.result_dtype()), node.integers("size"))
    return _filled(node, node.integers("size"), node.number("fill_value"))


def _full_like(node: Node) -> Value:
    return _filled(node, node.value("self").shape, node.number("fill_value"))


def _fill(node: Node) -> Value:
    x = node.value("self")
    return broadcast_to(typed(node, node.operand("value"), x.dtype), x.shape)


def _sized(number: Scalar) -> Importer:
    """Tensors of a shape that is given. What `empty` holds is not stated: zeros here."""
    return lambda node: _filled(node, node.integers("size"), number)


def _like(number: Scalar) -> Importer:
    return lambda node: _filled(node, node.value("self").shape, number)


def _arange(node: Node) -> Value:
    start, step = (node.number(name) if node.has(name) else other for name, other in (("start", 0), ("step", 1)))
    end = node.number("end")
    if any(isinstance(number, float) for number in (start, end, step)):
        count = max(0, ceil((end - start) / step))
        node.require_small(count, "a range")
        return node.constant((np.arange(count) * step + start).astype(node.result_dtype()))
    count = max(0, integer_of(-((start - end) // step)))
    node.require_small(count, "a range")
    numbers = node.counted_up(count, np.dtype(np.int64))
    numbers = numbers if step == 1 else numbers * step
    return cast(numbers if start == 0 else numbers + start, node.result_dtype())


def _linspace(node: Node) -> Value:
    node.require_small(node.integer("steps"), "a range")
    return node.constant(np.linspace(node.real("start"), node.real("end"), node.integer("steps")), node.result_dtype())


def _scalar_tensor(node: Node) -> Value:
    return node.builder.scalar(node.number("s"), from_numpy(node.result_dtype()))


def _triangle(keep: Callable[[np.ndarray[tuple[int, ...], np.dtype[np.bool_]], int], Array]) -> Importer:
    def importer(node: Node) -> Value:
        x = node.value("self")
        kept = keep(np.ones(greatest(x.shape[-2:]), np.bool_), node.integer("diagonal"))
        return select(node.table(kept, x.shape[-2:]), x, 0)

    return importer


def _triangle_places(places: Callable[[int, int, int], tuple[np.ndarray[Any, Any], ...]]) -> Importer:
    def importer(node: Node) -> Value:
        rows, columns = node.integer("row"), node.integer("col")
        node.require_small(rows * columns, "a triangle")
        return node.constant(np.stack(places(rows, node.integer("offset"), columns)), node.result_dtype())

    return importer


def _size(node: Node) -> int:
    x = node.value("self")
    return x.shape[node.axis("dim", x.rank)]


def _count(node: Node) -> int:
    return prod(node.value("self").shape)


def _stride(node: Node) -> int:
    """Of a dense tensor."""
    x = node.value("self")
    return prod(x.shape[node.axis("dim", x.rank) + 1 :])


def _dense(node: Node) -> bool:
    """Whether a tensor is contiguous: all of them are."""
    return True


def _zero(node: Node) -> int:
    return 0


def _nothing(node: Node) -> None:
    """An assertion: sizes are known here, and have been checked; numbers are not, as in `torch.compile`."""


def _whole(function: Callable[[Any], float]) -> Callable[[Any], float]:
    """A function that rounds, or makes a float; a size stays what it is."""
    return lambda number: number if isinstance(number, Size) else function(number)


def _python(function: Callable[..., Any]) -> Importer:
    """Arithmetic on sizes."""
    return lambda node: function(*(node.number(name) for name in node.arguments))


def _power(node: Node) -> Any:
    """A power of a size, which a run computes where the exponent is no whole number."""
    base, exponent = (node.number(name) for name in node.arguments)
    is_whole = isinstance(exponent, int) and exponent >= 0
    return base**exponent if is_whole or not isinstance(base, Size) else _as_number(node, base) ** exponent


def _root(node: Node) -> Any:
    (number,) = (node.number(name) for name in node.arguments)
    return emit(graph.SqrtOp, _as_number(node, number)) if isinstance(number, Size) else sqrt(number)


def _as_number(node: Node, size: Any) -> Value:
    """A size as a scalar of float32 that the run computes."""
    return node.builder.scalar(size, from_numpy(np.dtype(np.float32)))


IMPORTERS: Mapping[str, Importer] = {
    "_assert_async": _nothing,
    "_assert_scalar": _nothing,
    "_assert_tensor_metadata": _nothing,
    "arange": _arange,
    "empty": _sized(0),
    "empty_like": _like(0),
    "empty_permuted": _sized(0),
    "empty_strided": _sized(0),
    "fill": _fill,
    "full": _full,
    "full_like": _full_like,
    "linspace": _linspace,
    "new_empty": _sized(0),
    "new_empty_strided": _sized(0),
    "new_full": _full,
    "new_ones": _sized(1),
    "new_zeros": _sized(0),
    "ones": _sized(1),
    "ones_like": _like(1),
    "scalar_tensor": _scalar_tensor,
    "sym_constrain_range_for_size": _nothing,
    "sym_is_contiguous": _dense,
    "sym_numel": _count,
    "sym_size": _size,
    "sym_storage_offset": _zero,
    "sym_stride": _stride,
    "tril": _triangle(np.tril),
    "tril_indices": _triangle_places(np.tril_indices),
    "triu": _triangle(np.triu),
    "triu_indices": _triangle_places(np.triu_indices),
    "zeros": _sized(0),
    "zeros_like": _like(0),
}
PYTHON: Mapping[str, Importer] = {
    "add": _python(operator.add),
    "and_": _python(operator.and_),
    "ceil": _python(_whole(ceil)),
    "eq": _python(operator.eq),
    "floor": _python(_whole(floor)),
    "floordiv": _python(operator.floordiv),
    "ge": _python(operator.ge),
    "gt": _python(operator.gt),
    "le": _python(operator.le),
    "lt": _python(operator.lt),
    "mod": _python(operator.mod),
    "mul": _python(operator.mul),
    "ne": _python(operator.ne),
    "neg": _python(operator.neg),
    "pow": _power,
    "sub": _python(operator.sub),
    "sym_float": _python(_whole(float)),
    "sym_int": _python(_whole(int)),
    "sym_max": _python(max),
    "sym_min": _python(min),
    "_sym_sqrt": _root,
    "sym_not": _python(operator.not_),
    "truediv": _python(operator.truediv),
    "trunc": _python(_whole(trunc)),
}
"""Functions of Python and torch on sizes, which are numbers here."""
