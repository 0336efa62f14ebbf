"""Compare constants of a network at two sizes."""

import numpy as np

from s2s.types.dtypes import Array


def begins_with(great: Array, small: Array) -> bool:
    """Return whether `small` is the first part of `great` along each axis."""
    if (
        great.dtype != small.dtype
        or great.ndim != small.ndim
        or any(have < want for have, want in zip(great.shape, small.shape, strict=True))
    ):
        return False
    part = great[tuple(map(slice, small.shape))]
    return np.ascontiguousarray(part).tobytes() == np.ascontiguousarray(small).tobytes()
