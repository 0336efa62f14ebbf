"""Values that become arguments of packed functions, under TVM's names."""

from math import inf

from s2s.executor.device import Device
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime.container import ADT, Array, Map, ShapeTuple, String
from s2s.tvm.runtime.imm import FloatImm, IntImm, imm
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import ObjectGeneric, PackedFunc, convert

LARGEST = 3.40282347e38
"""The largest number of float32."""
ObjectTypes = (ADT, Array, Device, FloatImm, IntImm, Map, Module, NDArray, PackedFunc, ShapeTuple, String)
"""The classes of values that `convert` gives, and leaves as they are."""


def const(value: bool | float, dtype: str | None = None) -> object:
    """A number as an expression, by default of its numpy type, or `bool`, `int32` or `float32`, of 64 bits where it
    needs them."""
    from s2s.tvm.te.expressions import const as constant

    kind = dtype or getattr(value, "dtype", None) or (None if isinstance(value, bool) else imm(value).dtype)
    is_large = isinstance(value, float) and LARGEST < abs(value) < inf
    return constant(value, "float64" if is_large and dtype is None else kind and str(kind))


__all__ = ["ObjectGeneric", "ObjectTypes", "const", "convert"]
