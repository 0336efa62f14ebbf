"""Tensors that functions outside of the expressions compute: packed functions, and functions of C.

    C = te.extern((n, m), [A, B], lambda ins, outs: te.call_packed("app.matmul", ins[0], ins[1], outs[0]), name="C")

The call becomes an operation `graph.extern`, as a custom operator of a model does. Stages before and after it are
kernels of their own.
"""

from collections.abc import Callable, Sequence
from typing import cast, overload

from s2s.errors import InputError
from s2s.tvm.te.buffers import Buffer, Call, Calls, Pointer, calls_of
from s2s.tvm.te.expressions import Expr, Size, Tensor
from s2s.tvm.te.extern_call import ExternCall
from s2s.tvm.te.tensors import dtype_of, shape_of

Formula = Callable[[list[Buffer], list[Buffer]], Call | Calls]


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

    `fcompute(ins, outs)` returns `te.call_packed(…)`, `te.call_extern(…)`, or one of them in an `ir_builder`. Without
    `dtype` the outputs have the element type that all inputs share.
    """
    several = bool(shape) and isinstance(shape[0], Sequence)
    shapes = cast("Sequence[Sequence[Size]]", shape if several else [shape])
    types = _types(name, inputs, len(shapes), dtype)
    outputs = tuple((shape_of(name, each), type) for each, type in zip(shapes, types, strict=True))
    ins = [Buffer(each.name, each.shape, each.dtype) for each in inputs]
    outs = [Buffer(name, *each) for each in outputs]
    made = calls_of(fcompute(ins, outs))
    if len(made) != 1:
        raise InputError(f"te.extern {name}: fcompute returned {len(made)} calls; put them into one function")
    call = made[0]
    arguments = [each.buffer if isinstance(each, Pointer) else each for each in call.arguments]
    numbers = tuple(each for each in arguments if call.packed and isinstance(each, int | float | Expr))
    given = arguments[: len(arguments) - len(numbers)]
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
    outside = ExternCall(
        name, call.function, operands, outputs, packed=call.packed, source=call.source, numbers=numbers
    )
    return list(outside.outputs) if several else outside.outputs[0]


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
