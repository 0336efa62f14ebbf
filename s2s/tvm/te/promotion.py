"""The type of two values of different types that meet in an expression, by TVM's rules.

int32 + float16        float16: integers become floats
float16 + float32      float32: the wider of two floats, and of two integers
int32 + uint32         uint32: of equal width the one without a sign
"""

import numpy as np


def common_type(a: str, b: str) -> str:
    """Return the type that values of types `a` and `b` are converted to."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if _is_float(one) and not _is_float(other):
            return one
    widths = _bits(a), _bits(b)
    if widths[0] != widths[1]:
        return a if widths[0] > widths[1] else b
    return a if a.startswith("uint") or _is_float(a) else b


def _is_float(dtype: str) -> bool:
    return "float" in dtype


def _bits(dtype: str) -> int:
    return 1 if dtype == "bool" else np.dtype(dtype).itemsize * 8
