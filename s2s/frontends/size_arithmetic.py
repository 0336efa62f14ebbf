"""Evaluate operations on constants that hold sizes, as exact expressions of these.

    Gather (Shape (x), 1) = [N]      Add (that, 1) = [N + 1]      Div (that, 2) = [(N + 1) floordiv 2]

The constants are arrays of objects. An operation that moves elements is evaluated on their positions; one that computes
uses the arithmetic of `Size`. Where the result is no expression that is exact at all sizes (a root), there is none, and
the operation becomes one of the run.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import EndsEarly
from s2s.interpret.graph import evaluate
from s2s.types.affine_values import exact_bounds
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.size import Size, proves
from s2s.types.size_expressions import exact_quotient

MAX_EXACT = 1 << 22
"""Up to this number are quotients of whole numbers rounded down in float32 as exact ones are."""
MAX_DIVISOR = 1 << 16


class Inexact(EndsEarly):
    """Raised where a result is no expression of sizes."""


class Ratio:
    """A fraction of a size, as `N * 0.5` is one: `size * factor`."""

    def __init__(self, size: int, factor: Fraction) -> None:
        self.size, self.factor = size, factor

    @property
    def floor(self) -> int:
        """The largest whole number that is not above."""
        return self.size * self.factor.numerator // self.factor.denominator

    @property
    def ceil(self) -> int:
        """The smallest whole number that is not below."""
        return -(-self.size * self.factor.numerator // self.factor.denominator)


def _scaled(size: Any, factor: Fraction) -> Any:
    whole = size.size if isinstance(size, Ratio) else size
    total = factor * (size.factor if isinstance(size, Ratio) else 1)
    if total.denominator > MAX_DIVISOR or not proves(whole * abs(total.numerator), "<", MAX_EXACT):
        raise Inexact
    return whole * total.numerator if total.denominator == 1 else Ratio(whole, total)


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
    if not proves(a, ">=", 0) or b == 0:
        raise Inexact
    return a // int(b)


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
    if isinstance(b, Size):
        return 0 * _whole_quotient(a, b)
    if b == 0:
        raise Inexact
    return a % int(b)


def _larger(a: Any, b: Any) -> Any:
    if proves(a, ">=", b):
        return a
    if proves(b, ">=", a):
        return b
    if isinstance(a, Ratio | float | np.floating) or isinstance(b, Ratio | float | np.floating):
        raise Inexact
    return b + _positive_part(a - b)


def _smaller(a: Any, b: Any) -> Any:
    return -_larger(-a, -b)


def _positive_part(difference: Size) -> int:
    """Return a number where it is above 0, else 0: `n * ((n + k) floordiv k)`, for `n` from `-k` to `k - 1`."""
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


def _whole(rounded: Callable[[Ratio], int]) -> Callable[[Any], Any]:
    return lambda a: rounded(a) if isinstance(a, Ratio) else a


def _plain_sum(a: Any, b: Any) -> Any:
    if isinstance(a, Ratio) or isinstance(b, Ratio):
        raise Inexact
    return (a if isinstance(a, Size) else _integer(a)) + (b if isinstance(b, Size) else _integer(b))


def _integer(number: Any) -> int:
    if float(number) != int(number):
        raise Inexact
    return int(number)


_BINARY: Mapping[type[Operation], Callable[[Any, Any], Any]] = {
    graph.AddOp: lambda a, b: _plain_sum(a, b) if isinstance(a, Size) else _plain_sum(b, a),
    graph.SubOp: lambda a, b: _plain_sum(a, _times(b, -1)) if isinstance(a, Size) else _plain_sum(_times(b, -1), a),
    graph.MulOp: _times,
    graph.ModOp: _rest,
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
    graph.FloorOp: _whole(lambda a: a.floor),
    graph.CeilOp: _whole(lambda a: a.ceil),
}
_MOVES = (graph.SliceOp, graph.ReshapeOp, graph.TransposeOp, graph.BroadcastToOp, graph.ConcatOp, graph.TileOp)
"""Operations whose results are elements of their operands, all of them data."""


def evaluated(op: Operation, operands: Sequence[Array]) -> Array | None:
    """Return the result of `op`, whose types are plain, on constants of which some hold sizes; None where it is no
    expression of sizes."""
    try:
        if isinstance(op, _MOVES):
            return _moved(op, operands, operands)
        if isinstance(op, graph.GatherOp) and operands[1].dtype != object:
            return _moved(op, operands, operands[:1])
        if isinstance(op, graph.SelectOp) and operands[0].dtype != object:
            return _moved(op, operands, operands[1:])
        return _computed(op, operands)
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


def _computed(op: Operation, operands: Sequence[Array]) -> Array | None:
    shape = as_tensor_type(op.results[0].type).get_shape()
    kind = type(op)
    if isinstance(op, graph.CastOp):
        target = to_numpy(as_tensor_type(op.results[0].type).element_type).kind
        if target == "b":
            return None
        rounded = _whole(lambda a: a.floor if proves(a.size, ">=", 0) and a.factor > 0 else _raise())
        values = operands[0].reshape(-1).tolist()
        return _objects([rounded(each) for each in values] if target in "iu" else values, shape)
    if isinstance(op, graph.DivOp):
        is_float = to_numpy(as_tensor_type(op.results[0].type).element_type).kind == "f"
        return _elementwise(_divided if is_float else _quotient, operands, shape)
    if kind in _BINARY:
        return _elementwise(_BINARY[kind], operands, shape)
    if kind in _UNARY:
        return _objects([_UNARY[kind](each) for each in operands[0].reshape(-1).tolist()], shape)
    if isinstance(op, graph.ReduceProdOp | graph.ReduceSumOp) and operands[0].ndim == len(op.axes):
        return _folded(op, operands[0].reshape(-1).tolist(), shape)
    return None


def _folded(op: Operation, values: Sequence[Any], shape: tuple[int, ...]) -> Array:
    total = values[0]
    for each in values[1:]:
        total = _times(total, each) if isinstance(op, graph.ReduceProdOp) else _plain_sum(total, each)
    return _objects([total], shape)


def _raise() -> int:
    raise Inexact


def _elementwise(formula: Callable[[Any, Any], Any], operands: Sequence[Array], shape: tuple[int, ...]) -> Array:
    first, second = (np.broadcast_to(each, shape).reshape(-1).tolist() for each in operands)
    return _objects([formula(a, b) for a, b in zip(first, second, strict=True)], shape)


def _objects(values: Sequence[Any], shape: tuple[int, ...]) -> Array:
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)
