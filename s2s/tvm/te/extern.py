"""Tensors that functions outside of the expressions compute: packed functions, and functions of C.

    C = te.extern((n, m), [A, B], lambda ins, outs: te.call_packed("app.matmul", ins[0], ins[1], outs[0]), name="C")

The call becomes an operation `graph.extern`, as a custom operator of a model does. Stages before and after it are
kernels of their own.
"""

from collections.abc import Callable, Sequence
from typing import NoReturn, cast, overload

from s2s.c_syntax.reserved import is_function_name
from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import Size, Tensor, TensorOp
from s2s.tvm.te.extern_call import ExternCall
from s2s.tvm.te.tensors import dtype_of, shape_of


@frozen(eq=False)
class Buffer:
    """The memory of an input or output of the function, as its call names it."""

    name: str
    shape: tuple[Size, ...]
    dtype: str

    @property
    def data(self) -> "Buffer":
        """The first element; a function of C takes a pointer to it."""
        return self

    def access_ptr(self, access_mask: str) -> "Buffer":
        """The first element, under another name that TVM has for it."""
        return self


@frozen
class Call:
    """What `call_packed` and `call_extern` describe."""

    function: str
    arguments: tuple[object, ...]
    packed: bool
    source: str | None


def call_packed(name: str, *args: object, source: str | None = None) -> Call:
    """A call of a packed function on tensors, first the ones that it reads, then the ones that it writes, and on
    numbers.

    It is the function that `register_func` has registered; in firmware one of the C registry or linked C, which
    `source` may define.
    """
    return Call(name, args, packed=True, source=source)


def call_extern(dtype: str, func_name: str, *args: object, source: str | None = None) -> Call:
    """A call of a C function on pointers to elements: first written ones, then read ones.

    `source` is C that defines it; without it, the project that the C goes into supplies it. The function returns
    nothing, so `dtype` changes nothing.
    """
    if not is_function_name(func_name):
        raise InputError(f"te.call_extern: {func_name!r} is no name of a C function; give an identifier")
    return Call(func_name, args, packed=False, source=source)


def decl_tensor_intrin(op: TensorOp, fcompute: object, *_: object, **__: object) -> NoReturn:
    """Refused: `tensorize` takes an entry of the target's table of intrinsics, by its name."""
    raise UnsupportedError(
        f"te.decl_tensor_intrin {op.name}: blocks are computed by intrinsics of the target's table; describe yours in "
        "a target file ([[intrinsic]]), or call a function of C on whole tensors by te.extern"
    )


Formula = Callable[[list[Buffer], list[Buffer]], Call]


@overload
def extern(
    shape: Sequence[Size], inputs: Sequence[Tensor], fcompute: Formula, name: str = "extern", dtype: str | None = None
) -> Tensor: ...
@overload
def extern(
    shape: Sequence[Sequence[Size]],
    inputs: Sequence[Tensor],
    fcompute: Formula,
    name: str = "extern",
    dtype: str | Sequence[str] | None = None,
) -> list[Tensor]: ...
def extern(
    shape: Sequence[Size] | Sequence[Sequence[Size]],
    inputs: Sequence[Tensor],
    fcompute: Formula,
    name: str = "extern",
    dtype: str | Sequence[str] | None = None,
) -> Tensor | list[Tensor]:
    """The tensor, or for several shapes the list of tensors, that the function named by `fcompute` computes.

    `fcompute(ins, outs)` returns `te.call_packed(…)` or `te.call_extern(…)`. Without `dtype` the outputs have the
    element type that all inputs share.
    """
    several = bool(shape) and isinstance(shape[0], Sequence)
    shapes = cast("Sequence[Sequence[Size]]", shape if several else [shape])
    types = _types(name, inputs, len(shapes), dtype)
    outputs = tuple((shape_of(name, each), type) for each, type in zip(shapes, types, strict=True))
    ins = [Buffer(each.name, each.shape, each.dtype) for each in inputs]
    outs = [Buffer(name, *each) for each in outputs]
    call = fcompute(ins, outs)
    if not isinstance(call, Call):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"te.extern {name}: fcompute returned {call!r}; return te.call_packed(…) or te.call_extern(…)")
    numbers = tuple(each for each in call.arguments if call.packed and isinstance(each, int | float))
    given = list(call.arguments[: len(call.arguments) - len(numbers)])
    written = given[len(given) - len(outs) :] if call.packed else given[: len(outs)]
    read = given[: len(given) - len(outs)] if call.packed else given[len(outs) :]
    if [id(each) for each in written] != [id(each) for each in outs] or not all(
        any(each is one for one in ins) for each in read
    ):
        order = "first inputs, then all outputs, then numbers" if call.packed else "first all outputs, then inputs"
        raise InputError(
            f"te.extern {name}: {call.function} takes {order}, each in its order; put other arguments into it"
        )
    operands = tuple(inputs[next(place for place, one in enumerate(ins) if one is each)] for each in read)
    made = ExternCall(name, call.function, operands, outputs, packed=call.packed, source=call.source, numbers=numbers)
    return list(made.outputs) if several else made.outputs[0]


def _types(name: str, inputs: Sequence[Tensor], count: int, dtype: str | Sequence[str] | None) -> list[str]:
    """The element type of each output."""
    if dtype:
        listed = [dtype] * count if isinstance(dtype, str) else list(dtype)
        if len(listed) != count:
            raise InputError(f"te.extern {name}: {len(listed)} types for {count} outputs; give one for each")
        return [dtype_of(name, each) for each in listed]
    found = {each.dtype for each in inputs}
    if len(found) != 1:
        raise InputError(f"te.extern {name}: its inputs have {len(found)} element types; give dtype")
    return [*found] * count
