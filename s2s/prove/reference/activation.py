"""Ranges of stored values after a fused activation."""

import numpy as np

from s2s.prove.ctypes import I8
from s2s.prove.faults import Unprovable
from s2s.prove.reference.model import Tensor

NONE, RELU, RELU6 = 0, 1, 3
"""`ActivationFunctionType` of the schema."""


def activation_range(activation: int, output: Tensor) -> tuple[int, int]:
    """Least and greatest stored value, as TFLite's CalculateActivationRangeQuantized."""
    if output.dtype != "INT8" or len(output.scales) != 1:
        msg = f"the reference has no results of {output.dtype}"
        raise Unprovable(msg)
    if activation == NONE:
        return I8.least, I8.most
    if activation == RELU:
        return max(I8.least, output.zero_point), I8.most
    if activation == RELU6:
        six = output.zero_point + int(np.round(np.float32(6.0) / np.float32(output.scale)))
        return max(I8.least, output.zero_point), min(I8.most, six)
    msg = f"the reference has no fused activation {activation}"
    raise Unprovable(msg)
