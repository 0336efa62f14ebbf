"""Between real numbers and the quantised integers of inputs and outputs."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from s2s.analysis.numbers.port_quantisation import SCALE, ZERO_POINT
from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.normalise import Normalise
from s2s.frontends.features.step import F32, I32, U8, PreStep, States
from s2s.frontends.formulas import cast, clamp, reshape
from s2s.frontends.tflite.quantize import half_away
from s2s.types.dtypes import AnyTensor, to_numpy


class Quantisation(NamedTuple):
    """`real = scale * (q - zero_point)`."""

    scale: float
    zero_point: int


def quantisation(facts: Mapping[str, Attribute]) -> Quantisation | None:
    """Return the quantisation that the attributes of an input or output state."""
    scale, zero_point = facts.get(SCALE), facts.get(ZERO_POINT)
    if not isinstance(scale, FloatAttr) or not isinstance(zero_point, IntegerAttr):
        return None
    return Quantisation(scale.value.data, zero_point.value.data)


def dequantised(x: Value, facts: Mapping[str, Attribute]) -> Value:
    """Return the real numbers of an output."""
    stated = quantisation(facts)
    if stated is None:
        return cast(x, F32)
    return (cast(x, F32) - float(stated.zero_point)) * float(stated.scale)


def quantised(x: Value, pixels: Value | None, type: AnyTensor, facts: Mapping[str, Attribute], last: PreStep) -> Value:
    """Return the elements of the network's input: real numbers in steps of its scale, to nearest, halves away from
    zero, and limited; integers of its type as they are.

    Of `pixels`, bytes that the last step normalises by one mean and one deviation, a table of 256 does both at once.
    """
    dtype, stated = to_numpy(type.element_type), quantisation(facts)
    if x.dtype == dtype:
        return x
    if dtype.kind == "f":
        return cast(x, dtype)
    if stated is None:
        raise last.invalid(f"gives {x.dtype}, and the input takes {dtype} without a scale", "give a step that makes it")
    if pixels is not None and pixels.dtype == U8 and isinstance(last, Normalise) and len(last.mean + last.std) == 2:
        bytes = x.builder.constant(np.arange(256, dtype=np.uint8))
        table = _quantised(last.apply(bytes, (256,), States(x.builder, ())), stated, dtype)
        return emit(graph.GatherOp, table, cast(reshape(pixels, x.shape), I32), axis=0)
    return _quantised(cast(x, F32), stated, dtype)


def _quantised(x: Value, stated: Quantisation, dtype: np.dtype[np.generic]) -> Value:
    limits = np.iinfo(dtype.str)
    low, high = float(limits.min - stated.zero_point), float(limits.max - stated.zero_point)
    steps = half_away(clamp(x / float(np.float32(stated.scale)), low, high))
    return cast(cast(steps, I32) + stated.zero_point, dtype)
