"""Operators of two operands, broadcast as numpy does; an operand is a tensor or a number."""

from collections.abc import Callable, Sequence
from typing import Any

from s2s.tvm.te import operators
from s2s.tvm.te.arithmetic import Formula, broadcast_shape, combine, element, rest_of_rounded_down, rounded_down
from s2s.tvm.te.expressions import Binary, Size, Tensor, binary, compare, typed
from s2s.tvm.te.tensors import pointwise


def _signed(name: str, sign: str, doc: str) -> Callable[[Any, Any], Tensor]:
    def function(lhs: Any, rhs: Any) -> Tensor:
        return combine(name, lambda a, b: binary(sign, a, b), lhs, rhs)

    function.__name__, function.__doc__ = name, f"{doc}, element by element."
    return function


def _compared(name: str, sign: str) -> Callable[[Any, Any], Tensor]:
    def function(lhs: Any, rhs: Any) -> Tensor:
        return combine(name, lambda a, b: compare(sign, a, b), lhs, rhs)

    function.__name__, function.__doc__ = name, f"The truth of `lhs {sign} rhs`, element by element."
    return function


def _combined(name: str, formula: Formula, doc: str) -> Callable[[Any, Any], Tensor]:
    def function(lhs: Any, rhs: Any) -> Tensor:
        return combine(name, formula, lhs, rhs)

    function.__name__, function.__doc__ = name, f"{doc}, element by element."
    return function


add, subtract, multiply = _signed("add", "+", "Sums"), _signed("subtract", "-", "Differences"), _signed(
    "multiply", "*", "Products"
)  # fmt: skip
divide, power = _signed("divide", "/", "Quotients"), _signed("power", "pow", "Powers")
floor_divide = _combined("floor_divide", rounded_down, "Quotients rounded down")
floor_mod = _combined("floor_mod", rest_of_rounded_down, "Rests of the division that rounds down")
maximum, minimum = _signed("maximum", "max", "The larger operands"), _signed("minimum", "min", "The smaller operands")
greater, less, equal = _compared("greater", ">"), _compared("less", "<"), _compared("equal", "==")
not_equal, greater_equal = _compared("not_equal", "!="), _compared("greater_equal", ">=")
less_equal = _compared("less_equal", "<=")
logical_and = _combined("logical_and", lambda a, b: operators.all(a, b), "Whether both operands hold")
logical_or = _combined("logical_or", lambda a, b: operators.any(a, b), "Whether an operand holds")
logical_xor = _combined("logical_xor", lambda a, b: compare("!=", a, b), "Whether one operand alone holds")
bitwise_and = _signed("bitwise_and", "&", "The bits that both operands have")
bitwise_or = _signed("bitwise_or", "|", "The bits that an operand has")
bitwise_xor = _signed("bitwise_xor", "^", "The bits that one operand alone has")


def left_shift(x: Any, n: Any) -> Tensor:
    """Integers shifted up by `n` bits, element by element."""
    return combine("left_shift", lambda a, b: binary("<<", a, b), x, n)


def right_shift(x: Any, n: Any) -> Tensor:
    """Integers shifted down by `n` bits, element by element."""
    return combine("right_shift", lambda a, b: binary(">>", a, b), x, n)


def mod(lhs: Any, rhs: Any) -> Tensor:
    """Rests of the division that rounds towards zero, element by element."""
    return combine("mod", lambda a, b: binary("rem", a, b), lhs, rhs)


def logical_not(data: Tensor) -> Tensor:
    """Whether elements do not hold."""
    return pointwise(data.shape, lambda i: compare("==", data(*i), typed(False, "bool")), "T_logical_not")


def bitwise_not(data: Tensor) -> Tensor:
    """The bits that elements do not have."""
    return pointwise(data.shape, lambda i: Binary("^", data(*i), typed(-1, data.dtype), data.dtype), "T_bitwise_not")


def broadcast_to(data: Tensor, shape: Sequence[Size]) -> Tensor:
    """The tensor repeated along dimensions of size 1 so that it has `shape`."""
    broadcast_shape("broadcast_to", data.shape, shape)
    return pointwise(shape, lambda i: element(data, i), "T_broadcast_to")
