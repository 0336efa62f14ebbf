"""`comm_reducer`: reductions that a program defines, of single values or of tuples.

argmax = te.comm_reducer(
    lambda x, y: (te.if_then_else(x[1] >= y[1], x[0], y[0]), te.if_then_else(x[1] >= y[1], x[1], y[1])),
    lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
    name="argmax",
)
T0, T1 = te.compute((m,), lambda i: argmax((idx[i, k], val[i, k]), axis=k), name="T")
"""

from collections.abc import Callable, Sequence
from functools import reduce as fold
from typing import Any, cast

import numpy as np

from s2s.errors import InputError
from s2s.passes.graph.lower_to_tensor.conversion import limits
from s2s.tvm.te.expressions import Cast, Const, Expr, IterVar, Number, const
from s2s.tvm.te.operations import Pack, Reduce, Reducer, Slot
from s2s.tvm.te.operators import if_then_else
from s2s.types.dtypes import from_numpy

Tuple = tuple[Expr, ...]
Combine = Callable[[Any, Any], Any]
"""Two values, or two tuples, as one."""
Identity = (
    Callable[[str], Any]
    | Callable[[str, str], Any]
    | Callable[[str, str, str], Any]
    | Callable[[*tuple[str, ...]], Any]
)
"""The values that change nothing, from the element types."""


def min_value(dtype: str) -> Expr:
    """The least value of an element type; of floats the least that is finite."""
    return const(_finite(dtype, 0), dtype)


def max_value(dtype: str) -> Expr:
    """The greatest value of an element type; of floats the greatest that is finite."""
    return const(_finite(dtype, 1), dtype)


def infinity(dtype: str) -> Expr:
    """Infinity of a float type."""
    if np.dtype(dtype).kind != "f":
        raise InputError(f"te.infinity: {dtype} has none; give a float type")
    return const(np.inf, dtype)


def _finite(dtype: str, side: int) -> Number:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return float(np.finfo(kind).max) * (1 if side else -1)
    return limits(from_numpy(kind))[side]


def comm_reducer(fcombine: Combine, fidentity: Identity, name: str = "reduce") -> Callable[..., Expr]:
    """Return a reduction by an associative and commutative function of two values, or of two tuples.

    `fidentity` takes the element types and returns the values that change nothing, constants.
    """

    def reducer(
        expr: Expr | Sequence[Expr],
        axis: IterVar | Sequence[IterVar] | Expr | None,
        where: Expr | None = None,
        init: object = None,
        *args: Expr,
    ) -> Expr:
        """Reduce `expr`, a value or a tuple, over loops, where a condition holds; or combine several values."""
        if init is not None and isinstance(where, Expr):
            return _combined(fcombine, [expr, axis, where, init, *args])
        if init is not None:
            raise InputError(f"{name}: init: a reduction starts from its identity; combine the result with {init}")
        if axis is None or (isinstance(axis, Expr) and not (isinstance(axis, IterVar) and axis.is_reduction)):
            return _combined(fcombine, [each for each in (expr, axis, where, *args) if each is not None])
        values = tuple(expr) if isinstance(expr, Sequence) else (expr,)
        loops = (axis,) if isinstance(axis, IterVar) else tuple(axis)
        wrong = [each for each in loops if not each.is_reduction]
        if wrong or not loops:
            raise InputError(
                f"{name}: axis {wrong or 'of no loop'} is no reduction; name loop variables of te.reduce_axis"
            )
        made = _reducer(fcombine, fidentity, name, [each.dtype for each in values])
        if where is not None:
            neutral = zip(values, made.identity, strict=True)
            values = tuple(if_then_else(where, each, const(number, each.dtype)) for each, number in neutral)
        return Reduce(name, values[0] if len(values) == 1 else Pack(values), loops, made)

    return reducer


def _combined(fcombine: Combine, values: Sequence[Any]) -> Expr:
    return fold(fcombine, values)


def _reducer(fcombine: Combine, fidentity: Identity, name: str, dtypes: Sequence[str]) -> Reducer:
    """The combination as expressions of slots."""
    left, right = (tuple(Slot(f"{side}{i}", each) for i, each in enumerate(dtypes)) for side in ("lhs", "rhs"))
    one = len(dtypes) == 1
    results = _tuple(fcombine(left[0], right[0]) if one else fcombine(left, right))
    identity = _tuple(cast(Callable[..., Any], fidentity)(*dtypes))
    if len(results) != len(dtypes) or len(identity) != len(dtypes):
        raise InputError(
            f"{name}: combines {len(dtypes)} values into {len(results)}, {len(identity)} identities; return as many"
        )
    for each, dtype in zip(results, dtypes, strict=True):
        if each.dtype != dtype:
            raise InputError(f"{name}: combines {dtype} into {each.dtype}; convert it with astype")
    return Reducer(name, left, right, results, tuple(_number(name, each) for each in identity))


def _tuple(values: Any) -> Tuple:
    listed = cast(Sequence[Any], values if isinstance(values, tuple | list) else (values,))
    return tuple(each if isinstance(each, Expr) else const(each) for each in listed)


def _number(name: str, value: Expr) -> Number:
    while isinstance(value, Cast):
        value = value.x
    if not isinstance(value, Const):
        raise InputError(f"{name}: identity {value} is no constant; give numbers")
    return value.value
