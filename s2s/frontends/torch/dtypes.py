"""Element types: torch's names for them, and the type that operands of different types have in common."""

from collections.abc import Iterable

import ml_dtypes
import numpy as np

from s2s.errors import UnsupportedError
from s2s.frontends.builder import Scalar, Value
from s2s.frontends.torch.program import NUMPY

Number = np.dtype[np.generic]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)


def numpy_dtype(name: str, where: str) -> Number:
    """The numpy type of a type of torch."""
    found = BFLOAT16 if name == "bfloat16" else NUMPY.get(name)
    if found is None:
        raise UnsupportedError(f"{where}: element type {name} is not supported; use floats, integers or bool")
    return found


def is_float(dtype: Number) -> bool:
    """Whether `dtype` is a floating-point type; ml_dtypes' are of kind `V`."""
    return dtype.kind == "f" or dtype == BFLOAT16


def category(dtype: Number) -> int:
    """0 for bool, 1 for integers, 2 for floats."""
    return 2 if is_float(dtype) else 0 if dtype == BOOL else 1


def promote(a: Number, b: Number) -> Number:
    """The type in which torch combines tensors of types `a` and `b`: int64 and float16 give float16."""
    if category(a) != category(b):
        return a if category(a) > category(b) else b
    if BFLOAT16 in (a, b) and a != b:
        other = b if a == BFLOAT16 else a
        return FLOAT32 if other.itemsize == 2 else other
    return a if a == b else np.promote_types(a, b)


def common_dtype(operands: Iterable[Value | Scalar]) -> Number:
    """The type in which an operator computes: tensors go before tensors of rank 0, and these before numbers.

    A lower tier changes the type only by its category: `int8[3] + 1.5` is computed in float32, `float16[3] + 1.5` in
    float16.
    """
    tiers: list[Number | None] = [None, None, None]
    for operand in operands:
        tier = 2 if not isinstance(operand, Value) else 0 if operand.rank else 1
        dtype = operand.dtype if isinstance(operand, Value) else _dtype_of_number(operand)
        held = tiers[tier]
        tiers[tier] = dtype if held is None else promote(held, dtype)
    found: Number | None = None
    for dtype in tiers:
        if found is None:
            found = dtype
        elif dtype is not None and category(dtype) > category(found):
            found = promote(found, dtype)
    assert found is not None
    return found


def _dtype_of_number(number: Scalar) -> Number:
    return BOOL if isinstance(number, bool) else INT64 if isinstance(number, int) else FLOAT32
