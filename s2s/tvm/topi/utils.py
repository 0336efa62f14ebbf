"""Numbers and shapes of TOPI's computes, under TVM's names."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te.expressions import Const, Expr, Number, Size, Tensor, TensorOp, const
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.schedule import Schedule, create_schedule

__all__ = [
    "ceil_div",
    "equal_const_int",
    "get_const_float",
    "get_const_int",
    "get_const_tuple",
    "get_float_tuple",
    "prod",
    "ravel_index",
    "simplify",
    "traverse_inline",
    "unravel_index",
]


def get_const_int(expr: Size) -> int:
    """The number that a size is; refused where it is a variable."""
    if isinstance(expr, Const):
        return int(expr.value)
    if isinstance(expr, int):
        return expr
    raise InputError(f"topi: size {expr} is a variable; give a number")


def get_const_float(expr: Expr | float) -> float:
    """The number that an expression is; refused where it is no constant."""
    if isinstance(expr, Const | int | float):
        return float(expr.value if isinstance(expr, Const) else expr)
    raise InputError(f"topi: {expr} is no constant; give a number")


def equal_const_int(expr: Size, value: int) -> bool:
    """Whether a size is this number; False of a variable."""
    return (int(expr.value) if isinstance(expr, Const) else expr) == value if isinstance(expr, Const | int) else False


def get_const_tuple(in_tuple: Sequence[Size]) -> tuple[Any, ...]:
    """The sizes, constants as plain numbers; variables stay what they are."""
    return tuple(get_const_int(each) if isinstance(each, Const | int) else each for each in in_tuple)


def get_float_tuple(in_tuple: Sequence[Expr | float]) -> tuple[float, ...]:
    """The numbers of some constants."""
    return tuple(map(get_const_float, in_tuple))


def prod(x: Sequence[Size]) -> Size:
    """The product of some sizes, 1 of none."""
    return reduce(lambda a, b: a * b, x, 1)


def simplify(expr: Any) -> Any:
    """A constant as a plain number; anything else as it is, since sizes are bound before they are simplified."""
    return get_const_int(expr) if isinstance(expr, Const) else expr


def ceil_div(a: Size, b: Size) -> Size:
    """`a / b` rounded up."""
    return (a + b - 1) // b


def ravel_index(indices: Sequence[Size], shape: Sequence[Size]) -> Size:
    """The position of an element in row-major order."""
    flat: Size = 0
    for index, size in zip(indices, shape, strict=True):
        flat = flat * size + index
    return flat


def unravel_index(idx: Size, shape: Sequence[Size]) -> list[Any]:
    """The indices of an element by its position in row-major order."""
    indices: list[Size] = []
    for size in reversed(shape):
        indices.insert(0, idx % size)
        idx = idx // size
    return indices


def traverse_inline(s: Schedule, final_op: TensorOp, callback: Callable[[TensorOp], object]) -> None:
    """Inline every formula without a reduction but the last, and call `callback` with each operation, readers first."""
    visited: set[int] = set()

    def visit(op: TensorOp) -> None:
        if id(op) in visited:
            return
        visited.add(id(op))
        if isinstance(op, ComputeOp) and not op.reduce_axis and op not in s.outputs:
            s[op].compute_inline()
        for each in op.input_tensors:
            if each.op.input_tensors:
                visit(each.op)
        callback(op)

    visit(final_op)


def schedule_of(outs: Tensor | Sequence[Tensor]) -> Schedule:
    """A schedule of some tensors in which formulas that only move or combine elements stand in their readers."""
    tensors = [outs] if isinstance(outs, Tensor) else list(outs)
    s = create_schedule([each.op for each in tensors])
    for each in tensors:
        traverse_inline(s, each.op, lambda op: None)
    return s


def zero(dtype: str, value: Number = 0) -> Expr:
    """A number of an element type."""
    return const(float(value) if dtype.startswith(("float", "bfloat")) else value, dtype)
