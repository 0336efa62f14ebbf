"""Draw shapes, element types and values of tensors."""

from collections.abc import Sequence
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

from s2s.types.dtypes import Array

DType = np.dtype[Any]

FLOATS: tuple[DType, ...] = tuple(np.dtype(each) for each in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16))
INTEGERS: tuple[DType, ...] = tuple(
    np.dtype(each) for each in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
)
BOOL: DType = np.dtype(np.bool_)
FLOAT32: DType = np.dtype(np.float32)
INT64: DType = np.dtype(np.int64)
ALL: tuple[DType, ...] = (*FLOATS, *INTEGERS, BOOL)

MAX_RANK = 6
MAX_ELEMENTS = 4096
"""Elements of one tensor: enough for several register tiles, little enough to compile and run thousands of models."""

_SIZES = (*(1,) * 6, *(2, 3, 4, 5) * 3, *(6, 7, 8, 9), *(12, 15, 16, 17, 31, 32, 33, 64, 65, 130))


def is_floating(dtype: DType) -> bool:
    """Return whether a type holds real numbers."""
    return dtype in FLOATS


def draw_size(random: Random, *, empty: bool = True) -> int:
    """A size of a dimension: often 1, sometimes 0, sometimes just beside a power of two."""
    return 0 if empty and random.random() < 0.02 else random.choice(_SIZES)


def draw_shape(random: Random, rank: int | None = None, *, empty: bool = True, limit: int = MAX_ELEMENTS) -> list[int]:
    """A shape of `rank` dimensions, by default of any rank, and of at most `limit` elements."""
    count = random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6)) if rank is None else rank
    shape = [draw_size(random, empty=empty) for _ in range(count)]
    while int(np.prod(shape, dtype=np.int64)) > limit:
        largest = shape.index(max(shape))
        shape[largest] = max(1, shape[largest] // 2)
    return shape


def broadcast_size(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The number of elements that two shapes broadcast to; None if they do not, or if they are too many."""
    try:
        shape = np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        return None
    size = int(np.prod(shape, dtype=np.int64))
    return size if size <= MAX_ELEMENTS and len(shape) <= MAX_RANK else None


def draw_array(
    random: Random, dtype: DType, shape: Sequence[int], low: float | None = None, high: float | None = None
) -> Array:
    """Values of a type, from `low` to `high` where they are given."""
    rng = np.random.default_rng(random.getrandbits(64))
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if is_floating(dtype):
        return _floats(random, rng, dtype, shape, -3.0 if low is None else low, 3.0 if high is None else high)
    limits = np.iinfo(dtype)
    least, most = (-8, 8) if random.random() < 0.7 else (limits.min, limits.max)
    least = max(int(limits.min), least if low is None else int(np.ceil(low)))
    most = min(int(limits.max), most if high is None else int(np.floor(high)))
    return rng.integers(least, most, shape, dtype=dtype, endpoint=True)


def _floats(
    random: Random, rng: np.random.Generator, dtype: DType, shape: Sequence[int], low: float, high: float
) -> Array:
    values = rng.uniform(low, high, shape)
    kind = random.random()
    if kind < 0.15:
        values = np.clip(np.round(values * 2) / 2, low, high)
    elif kind < 0.25 and low <= 0 <= high:
        values = np.where(rng.random(shape) < 0.3, 0.0, values)
    return values.astype(dtype)
