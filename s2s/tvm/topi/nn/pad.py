"""Padding, and tensors with gaps."""

from collections.abc import Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, IterVar, Tensor, typed
from s2s.tvm.te.tensors import compute


def pad(
    data: Tensor,
    pad_before: Sequence[int],
    pad_after: Sequence[int] | None = None,
    pad_value: Any = 0.0,
    name: str = "PadInput",
    attrs: object = None,
) -> Tensor:
    """The tensor with elements of one value before and behind each dimension."""
    after = list(pad_after if pad_after is not None else pad_before)
    if len(pad_before) != data.ndim or len(after) != data.ndim:
        raise InputError(
            f"topi.nn.pad: {len(pad_before)} and {len(after)} numbers for {data.ndim} dimensions; give one each"
        )
    value = pad_value if isinstance(pad_value, Expr) else typed(
        pad_value if data.dtype.startswith(("float", "bfloat")) else int(pad_value), data.dtype
    )  # fmt: skip
    shape = [before + size + behind for before, size, behind in zip(pad_before, data.shape, after, strict=True)]

    def formula(*indices: IterVar) -> Expr:
        tests: list[Expr] = []
        for index, size, before, behind in zip(indices, data.shape, pad_before, after, strict=True):
            tests += [index >= before] if before else []
            tests += [index < size + before] if behind else []
        element = data(
            *(index - before if before else index for index, before in zip(indices, pad_before, strict=True))
        )
        return operators.if_then_else(operators.all(*tests), element, value) if tests else element

    return compute(shape, formula, name)


def dilate(data: Tensor, strides: Sequence[int], dilation_value: float = 0.0, name: str = "DilatedInput") -> Tensor:
    """The tensor with `stride - 1` elements of one value between neighbours along each dimension."""
    if len(strides) != data.ndim:
        raise InputError(f"topi.nn.dilate: {len(strides)} strides for {data.ndim} dimensions; give one for each")
    shape = [size if stride == 1 else (size - 1) * stride + 1 for size, stride in zip(data.shape, strides, strict=True)]

    def formula(*indices: IterVar) -> Expr:
        moving = [(index, stride) for index, stride in zip(indices, strides, strict=True) if stride > 1]
        element = data(
            *(index // stride if stride > 1 else index for index, stride in zip(indices, strides, strict=True))
        )
        tests = [index % stride == 0 for index, stride in moving]
        return (
            operators.if_then_else(operators.all(*tests), element, typed(dilation_value, data.dtype))
            if tests
            else element
        )

    return compute(shape, formula, name)


def pads_of(padding: Any, kernel: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The elements before and behind each spatial dimension: from a number, one or two each, `VALID` or `SAME`.

    `kernel` are the sizes of the windows, dilated. `SAME` puts the odd element of an even window before: 2 and 1 of 4.
    """
    rank = len(kernel)
    if padding == "VALID":
        return ((0, 0),) * rank
    if padding == "SAME":
        return tuple((size // 2, (size - 1) - size // 2) for size in kernel)
    numbers = [padding] * rank if isinstance(padding, int) else list(padding)
    if len(numbers) == rank:
        return tuple((each, each) for each in numbers)
    if len(numbers) == 2 * rank:
        return tuple(zip(numbers[:rank], numbers[rank:], strict=True))
    raise InputError(
        f"topi: padding {padding}: is no number, nor {rank} or {2 * rank} of them, VALID or SAME; give one of these"
    )


def numbers_for(name: str, value: Any, rank: int = 2) -> tuple[int, ...]:
    """One number for each spatial dimension."""
    numbers = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(numbers) != rank:
        raise InputError(f"topi: {name} {value}: is no number, nor {rank} of them; give one of these")
    return numbers
