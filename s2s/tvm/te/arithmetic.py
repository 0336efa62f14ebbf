"""Arithmetic on tensors, broadcast as numpy does: `A + B` is a tensor that a formula computes."""

from collections.abc import Callable, Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.te.expressions import Const, Expr, Number, Size, Tensor, binary, typed
from s2s.tvm.te.operators import floor
from s2s.tvm.te.tensor_arithmetic import provide_arithmetic
from s2s.tvm.te.tensors import compute, pointwise

Formula = Callable[[Any, Any], Expr]
NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "floor_mod"}
"""What tensors are called that an operation of Python makes."""


def is_one(size: Size) -> bool:
    """Whether a size is the number 1."""
    return (size.value if isinstance(size, Const) else size) == 1 if isinstance(size, Const | int) else False


def _numbers(size: Size) -> int | None:
    return int(size.value) if isinstance(size, Const) else size if isinstance(size, int) else None


def broadcast_shape(name: str, a: Sequence[Size], b: Sequence[Size]) -> tuple[Size, ...]:
    """The shape of two that are broadcast together; sizes that are variables are taken to be equal."""
    rank = max(len(a), len(b))
    sizes: list[Size] = []
    for x, y in zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b), strict=True):
        numbers = _numbers(x), _numbers(y)
        if not is_one(x) and not is_one(y) and None not in numbers and numbers[0] != numbers[1]:
            raise InputError(f"topi.{name}: shapes {list(a)} and {list(b)} do not broadcast; reshape one")
        sizes.append(y if is_one(x) else x)
    return tuple(sizes)


def element(tensor: Tensor, indices: Sequence[Expr]) -> Expr:
    """The element of a tensor that is broadcast to the shape that `indices` are of."""
    last = indices[len(indices) - tensor.ndim :]
    return tensor(*(0 if is_one(size) else index for size, index in zip(tensor.shape, last, strict=True)))


def rounded_down(a: Expr | Number, b: Expr | Number) -> Expr:
    """`a / b` rounded down, of integers or floats."""
    quotient = binary("/", a, b)
    return floor(quotient) if is_float(quotient.dtype) else binary("//", a, b)


def rest_of_rounded_down(a: Expr | Number, b: Expr | Number) -> Expr:
    """`a - rounded_down(a, b) * b`."""
    down = rounded_down(a, b)
    return binary("-", a, down * b) if is_float(down.dtype) else binary("%", a, b)


def combine(name: str, formula: Formula, a: Any, b: Any) -> Tensor:
    """The tensor of `formula` on broadcast operands; of two numbers, the number."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        return formula(a, b)  # pyright: ignore[reportReturnType]
    dtype = a.dtype if isinstance(a, Tensor) else b.dtype
    shape = broadcast_shape(name, *(each.shape if isinstance(each, Tensor) else () for each in (a, b)))

    def value(operand: Any, indices: Sequence[Expr]) -> Expr:
        return element(operand, indices) if isinstance(operand, Tensor) else typed(operand, dtype)

    return pointwise(shape, lambda indices: formula(value(a, indices), value(b, indices)), f"T_{name}")


def _arithmetic(sign: str, a: Any, b: Any) -> Tensor:
    """The tensor of an operation of Python on tensors and numbers, or of a conversion."""
    if sign == "astype":
        return compute(a.shape, _converted(a, b), "T_cast")
    formulas = {"//": rounded_down, "%": rest_of_rounded_down}
    return combine(NAMES[sign], formulas.get(sign, lambda x, y: binary(sign, x, y)), a, b)


def _converted(tensor: Tensor, dtype: str) -> Callable[[*tuple[Any, ...]], Expr]:
    return lambda *indices: tensor(*indices).astype(dtype)


provide_arithmetic(_arithmetic)
