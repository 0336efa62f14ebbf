"""Functions whose sizes are variables, for arrays of given sizes: types are inferred anew.

x = relay.var("x", shape=(relay.Any(), 4))
specialised(relay.Function([x], relay.sum(x, 0)), [(3, 4)])      a function of Tensor[(3, 4), float32]
"""

from collections.abc import Sequence
from typing import cast

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.relay.expr import Expr, Var, written
from s2s.tvm.relay.function import Function, bind
from s2s.tvm.relay.operators import Call
from s2s.tvm.relay.sizes import LEDGER, text_of
from s2s.tvm.relay.ty import TensorType
from s2s.types.size import Size, all_plain, is_size


def is_open(function: Function) -> bool:
    """Whether the size of a parameter is a variable."""
    return any(each.is_typed and not all_plain(each.shape) for each in function.params)


def specialised(function: Function, shapes: Sequence[tuple[int, ...]]) -> Function:
    """The function for parameters of these shapes, one for each; refused where a size has two values, or where the
    program has put a variable of sizes into the function."""
    values: dict[str, int] = {}
    pairs = [
        (each, Var(each.name_hint, TensorType(_shape(each, shape, values), each.dtype)))
        for each, shape in zip(function.params, shapes, strict=True)
        if each.is_typed and not all_plain(each.shape)
    ]
    bound = bind(function.body, cast("list[tuple[Expr, Expr]]", pairs))
    fresh = {id(old): new for old, new in pairs}
    result = Function([fresh.get(id(each), each) for each in function.params], bound)
    for each in written(bound):
        if isinstance(each, Call) and any(is_size(value) for value in each.attrs.values()):
            raise UnsupportedError(f"{each!r}: an attribute is a variable size; give a number, or what reads the shape")
    return result


def _shape(parameter: Var, shape: tuple[int, ...], values: dict[str, int]) -> tuple[int, ...]:
    """A shape that the type of a parameter allows; `values` are values of variables so far."""
    sizes = parameter.shape
    is_right = len(sizes) == len(shape)
    for size, number in zip(sizes, shape, strict=False):
        is_right &= values.setdefault(_text(size), number) == number if isinstance(size, Size) else size == number
    if not is_right:
        wanted = ", ".join(map(text_of, sizes))
        raise InputError(f"input {parameter.name_hint!r}: shape {shape} given, ({wanted}) wanted; reshape it")
    return shape


def _text(size: Size) -> str:
    return LEDGER.describe(size.expr)
