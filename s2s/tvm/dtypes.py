"""Element types by the names that TVM gives them."""

import numpy as np


def is_float(dtype: str) -> bool:
    """Whether elements are floats."""
    return dtype == "bfloat16" or np.dtype(dtype).kind == "f"
