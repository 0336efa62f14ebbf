"""Evaluate operations on constants that hold sizes, as exact expressions of these.

    Gather (Shape (x), 1) = [N]      Add (that, 1) = [N + 1]      Div (that, 2) = [(N + 1) floordiv 2]

The constants are arrays of objects. An operation that moves elements is evaluated on their positions; one that computes
uses the arithmetic of `Size`. Where the result is no expression that is exact at all sizes (a root), there is none, and
the operation becomes one of the run.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import ml_dtypes
import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import EndsEarly
from s2s.interpret.graph import evaluate
from s2s.types.affine import bounds
from s2s.types.affine_values import exact_bounds
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.size import Ratio, Size, proves
from s2s.types.size_expressions import exact_quotient

MAX_DIVISOR = 1 << 16


class Inexact(EndsEarly):
    """Raised where a result is no expression of sizes."""


def _scaled(size: Any, factor: Fraction) -> Any:
    """Return `size * factor`. A ratio is rounded once: `N / 41 * 41` is less than N at some sizes."""
    whole = size.size if isinstance(size, Ratio) else size
    total = factor * (size.factor if isinstance(size, Ratio) else 1)
    is_rounded = isinstance(size, Ratio) and not _is_power_of_two(size.factor.denominator)
    if not isinstance(whole, Size) or total.denominator > MAX_DIVISOR or (is_rounded and not _only_shifts(factor)):
        raise Inexact
    return whole * total.numerator if total.denominator == 1 else Ratio(whole, total)


def _only_shifts(factor: Fraction) -> bool:
    """Whether a float times `factor` is exact: -1, a power of two, or one over it."""
    return _is_power_of_two(abs(factor.numerator)) and _is_power_of_two(factor.denominator)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _fraction(number: Any) -> Fraction:
    if isinstance(number, Size | Ratio):
        raise Inexact
    value = float(number)
    if not np.isfinite(value):
        raise Inexact
    return Fraction(value)


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, Ratio) or isinstance(b, float | np.floating):
        return _scaled(a, _fraction(b))
    if isinstance(b, Ratio) or isinstance(a, float | np.floating):
        return _scaled(b, _fraction(a))
    return a * b


def _quotient(a: Any, b: Any) -> Any:
    """Return an integer quotient, which C rounds towards zero."""
    if isinstance(b, Size):
        return _whole_quotient(a, b)
    divisor = _integer(b)
    if not proves(a, ">=", 0) or divisor == 0:
        raise Inexact
    return a // divisor if divisor > 0 else -(a // -divisor)


def _whole_quotient(a: Any, b: Size) -> int:
    """Return the quotient of two sizes where nothing remains at any size."""
    exact = exact_quotient(a.expr, b.expr, b.ledger.bounds) if isinstance(a, Size) else None
    if exact is None:
        raise Inexact
    return b.ledger.of(exact)


def _divided(a: Any, b: Any) -> Any:
    divisor = _fraction(b)
    if divisor == 0:
        raise Inexact
    return _scaled(a, 1 / divisor)


def _rest(a: Any, b: Any) -> Any:
    """Return a remainder with the sign of `b`."""
    if isinstance(b, Size):
        return 0 * _whole_quotient(a, b)
    divisor = _integer(b)
    if divisor == 0 or isinstance(a, Ratio):
        raise Inexact
    return a % divisor


def _signed_rest(a: Any, b: Any) -> Any:
    """Return a remainder with the sign of `a`, where `a` is not negative: the floored remainder."""
    if not proves(a, ">=", 0):
        raise Inexact
    return _rest(a, b if isinstance(b, Size) else abs(b))


def _larger(a: Any, b: Any) -> Any:
    if proves(a, ">=", b):
        return a
    if proves(b, ">=", a):
        return b
    return b + _positive_part(a, b)


def _smaller(a: Any, b: Any) -> Any:
    if proves(a, ">=", b):
        return b
    if proves(b, ">=", a):
        return a
    return a - _positive_part(a, b)


def _positive_part(a: Any, b: Any) -> int:
    """Return the difference `n` of two numbers where it is above 0, else 0: `n * ((n + k) floordiv k)`, for `n` from
    `-k` to `k - 1`."""
    if isinstance(a, Ratio | float) or isinstance(b, Ratio | float):
        raise Inexact
    difference: Size = a - b
    low, high = exact_bounds(difference.expr, tuple(difference.ledger.bounds))
    span = max(-low, high + 1)
    return difference * ((difference + span) // span)


def _related(relation: str) -> Callable[[Any, Any], bool]:
    def related(a: Any, b: Any) -> bool:
        answer = proves(a, relation, b)
        if answer is None:
            raise Inexact
        return answer

    return related


def _floor(a: Any) -> Any:
    return a.floor if isinstance(a, Ratio) else float(np.floor(a)) if isinstance(a, float) else a


def _ceil(a: Any) -> Any:
    return a.ceil if isinstance(a, Ratio) else float(np.ceil(a)) if isinstance(a, float) else a


def _plain_sum(a: Any, b: Any) -> Any:
    if isinstance(a, Ratio) or isinstance(b, Ratio):
        raise Inexact
    return (a if isinstance(a, Size) else _integer(a)) + (b if isinstance(b, Size) else _integer(b))


def _integer(number: Any) -> int:
    if isinstance(number, Size | Ratio) or not np.isfinite(number) or number != int(number):
        raise Inexact
    return int(number)


def _as_integer(number: Any) -> Any:
    """Return a number of a float type, which rounds towards zero, as an integer."""
    if isinstance(number, Ratio):
        if not proves(number.size, ">=", 0) or number.factor < 0:
            raise Inexact
        return number.floor
    if isinstance(number, Size):
        return number
    if not np.isfinite(number):
        raise Inexact
    return int(number)


_BINARY: Mapping[type[Operation], Callable[[Any, Any], Any]] = {
    graph.AddOp: lambda a, b: _plain_sum(a, b) if isinstance(a, Size) else _plain_sum(b, a),
    graph.SubOp: lambda a, b: _plain_sum(a, _times(b, -1)) if isinstance(a, Size) else _plain_sum(_times(b, -1), a),
    graph.MulOp: _times,
    graph.MaximumOp: _larger,
    graph.MinimumOp: _smaller,
    graph.EqualOp: _related("=="),
    graph.LessOp: _related("<"),
    graph.LessEqualOp: _related("<="),
    graph.GreaterOp: _related(">"),
    graph.GreaterEqualOp: _related(">="),
}
_UNARY: Mapping[type[Operation], Callable[[Any], Any]] = {
    graph.NegOp: lambda a: _times(a, -1),
    graph.FloorOp: _floor,
    graph.CeilOp: _ceil,
}


def evaluated(op: Operation, operands: Sequence[Array]) -> Array | None:
    """Return the result of `op`, whose types are plain, on constants of which some hold sizes; None where it is no
    expression of sizes."""
    try:
        if isinstance(op, graph.MoveInterface):
            return _moved(op, operands, operands)
        if isinstance(op, graph.GatherOp) and operands[1].dtype != object:
            return _moved(op, operands, operands[:1])
        if isinstance(op, graph.SelectOp) and operands[0].dtype != object:
            return _moved(op, operands, operands[1:])
        return _in_range(_computed(op, operands), to_numpy(as_tensor_type(op.results[0].type).element_type))
    except Inexact:
        return None


def _moved(op: Operation, operands: Sequence[Array], data: Sequence[Array]) -> Array:
    """Return a result of elements of `data`, found by moving their numbers."""
    elements = [each for array in data for each in array.reshape(-1).tolist()]
    dtype = to_numpy(as_tensor_type(op.results[0].type).element_type)
    first, numbers = 0, list[Array]()
    for array in operands:
        if not any(array is each for each in data):
            numbers.append(array)
            continue
        numbers.append(np.arange(first, first + array.size).reshape(array.shape).astype(dtype))
        first += array.size
    (places,) = evaluate(op, numbers)
    return _objects([elements[int(place)] for place in places.reshape(-1)], places.shape)


def _in_range(array: Array | None, dtype: np.dtype[Any]) -> Array | None:
    """Return `array` if its elements are exact in `dtype` at all sizes: none wraps around as 256 does in 8 bits, and
    none needs more digits than a float has."""
    if array is None or dtype.kind == "b":
        return array
    if not all(_is_exact(number, dtype) for number in array.reshape(-1).tolist()):
        raise Inexact
    return array


def _is_exact(number: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind in "iu":
        return _is_within(number, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if isinstance(number, float):
        return True
    most = _last_whole(dtype)
    if isinstance(number, Ratio):
        return _is_within(number.size * number.factor.numerator, -most // 4, most // 4)
    return _is_within(number, -most, most)


def _last_whole(dtype: np.dtype[Any]) -> int:
    """Return the whole number up to which a float type holds all. The quotient of two of them, the first of which is
    at most a fourth of it, is rounded down and up as the exact one is."""
    limits = cast("Any", ml_dtypes).finfo(dtype)
    return 2 << int(limits.nmant)


def _is_within(number: int, least: int, most: int) -> bool:
    """Whether a whole number is within limits at all sizes."""
    if not isinstance(number, Size):
        return least <= number <= most
    low, high = bounds(number.expr, number.ledger.bounds)
    return (least <= low and high <= most) or bool(proves(number, ">=", least) and proves(number, "<=", most))


def _computed(op: Operation, operands: Sequence[Array]) -> Array | None:
    result = as_tensor_type(op.results[0].type)
    shape, dtype = result.get_shape(), to_numpy(result.element_type)
    if isinstance(op, graph.CastOp):
        values = operands[0].reshape(-1).tolist()
        return (
            None
            if dtype.kind == "b"
            else _objects(list(map(_as_integer, values)) if dtype.kind in "iu" else values, shape)
        )
    if isinstance(op, graph.DivOp):
        return _elementwise(_quotient if dtype.kind in "iu" else _divided, operands, shape)
    if isinstance(op, graph.ModOp):
        return _elementwise(_rest if op.fmod is None else _signed_rest, operands, shape)
    binary, unary = _BINARY.get(type(op)), _UNARY.get(type(op))
    if binary is not None:
        return _elementwise(binary, operands, shape)
    if unary is not None:
        return _objects([unary(number) for number in operands[0].reshape(-1).tolist()], shape)
    if isinstance(op, graph.ReduceProdOp | graph.ReduceSumOp) and operands[0].ndim == len(op.axes):
        return _folded(op, operands[0].reshape(-1).tolist(), shape)
    return None


def _folded(op: Operation, values: Sequence[Any], shape: tuple[int, ...]) -> Array:
    total = values[0]
    for each in values[1:]:
        total = _times(total, each) if isinstance(op, graph.ReduceProdOp) else _plain_sum(total, each)
    return _objects([total], shape)


def _elementwise(formula: Callable[[Any, Any], Any], operands: Sequence[Array], shape: tuple[int, ...]) -> Array:
    first, second = (np.broadcast_to(each, shape).reshape(-1).tolist() for each in operands)
    return _objects([formula(a, b) for a, b in zip(first, second, strict=True)], shape)


def _objects(values: Sequence[Any], shape: tuple[int, ...]) -> Array:
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)
