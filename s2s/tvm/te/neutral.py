"""Whether a point of a reduction that reads outside of a tensor may be skipped: where it adds nothing.

te.sum(te.if_then_else(j + k >= 1, A[j + k - 1], 0.0) * W[k], axis=k)     j + k = 0 adds 0: skipped
te.sum(te.if_then_else(j + k >= 1, A[j + k - 1], 2.0) * W[k], axis=k)     j + k = 0 adds 2 * W[k]: not skipped
te.max(te.if_then_else(j + k >= 1, A[j + k - 1], 0.0), axis=k)            j + k = 0 gives 0: not skipped
"""

from s2s.tvm.te.expressions import Binary, Cast, Const, Expr, Read, Select, walk
from s2s.tvm.te.operations import Reduce
from s2s.tvm.te.reducers import max_value, min_value


def adds_nothing_without(reduction: Reduce, read: Read) -> bool:
    """Return whether a reduction leaves its accumulator as it is wherever `read` is outside of its tensor.

    The least finite number counts as nothing for `max`, and the greatest for `min`, as paddings of pools have them.
    """
    value = reduction.value
    if reduction.reducer is not None:
        return False
    if reduction.kind == "sum":
        return _is_zero(value, read)
    other = _chosen(value, read)
    if not isinstance(other, Const):
        return False
    if reduction.kind == "max":
        return other.value <= _number(min_value(other.dtype))
    return other.value >= _number(max_value(other.dtype))


def _number(expr: Expr) -> int | float:
    assert isinstance(expr, Const)
    return expr.value


def _chosen(expr: Expr, read: Read) -> Expr:
    """The expression without the choices that `read` stands on one side of."""
    while isinstance(expr, Select):
        on_true, on_false = (_reads(side, read) for side in (expr.true_value, expr.false_value))
        if on_true == on_false:
            return expr
        expr = expr.false_value if on_true else expr.true_value
    return expr


def _reads(expr: Expr, read: Read) -> bool:
    return any(part is read for part in walk(expr))


def _is_zero(expr: Expr, read: Read) -> bool:
    """Whether an expression is 0 where `read` is outside of its tensor."""
    match _chosen(expr, read):
        case Const() as number:
            return number.value == 0
        case Cast() as cast:
            return _is_zero(cast.x, read)
        case Binary() as binary if binary.sign == "*":
            return _is_zero(binary.a, read) or _is_zero(binary.b, read)
        case Binary() as binary if binary.sign in ("+", "-"):
            return _is_zero(binary.a, read) and _is_zero(binary.b, read)
        case _:
            return False
