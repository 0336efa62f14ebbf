"""Element types, and constants that keep every bit between numpy, attributes and text."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute
from xdsl.parser import Parser

from s2s.dialects import graph
from s2s.errors import CompilerBug, UnsupportedError
from s2s.passes.context import CompilerContext
from s2s.types.dtypes import (
    ELEMENT_TYPES,
    Array,
    from_dense,
    from_numpy,
    is_bool,
    is_float,
    is_integer,
    is_unsigned,
    size_in_bytes,
    to_dense,
    to_numpy,
)

CONTEXT = CompilerContext()


def names(chosen: list[Attribute]) -> str:
    return " ".join(map(str, chosen))


@pytest.mark.parametrize("element", ELEMENT_TYPES, ids=str)
def test_numpy_and_back(element: Attribute):
    assert from_numpy(to_numpy(element)) == element


def test_classes_of_elements():
    assert names([each for each in ELEMENT_TYPES if is_float(each)]) == "f16 bf16 f32 f64"
    assert names([each for each in ELEMENT_TYPES if is_bool(each)]) == "i1"
    assert names([each for each in ELEMENT_TYPES if is_unsigned(each)]) == "ui8 ui16 ui32 ui64"
    assert names([each for each in ELEMENT_TYPES if is_integer(each)]) == "i8 i16 i32 i64 ui8 ui16 ui32 ui64"


def test_sizes():
    assert [size_in_bytes(each) for each in ELEMENT_TYPES] == [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8]


def test_foreign_byte_order_is_understood():
    assert str(from_numpy(np.dtype(">f4"))) == "f32"
    swapped = np.array([1.0, -2.5], ">f4")
    assert from_dense(to_dense(swapped)).tolist() == [1.0, -2.5]


@pytest.mark.parametrize("dtype", [np.complex64, np.dtype("U4"), ml_dtypes.float8_e4m3fn], ids=str)
def test_other_dtypes_are_not_supported(dtype: Any):
    with pytest.raises(UnsupportedError, match="is not supported; convert the tensor"):
        from_numpy(np.dtype(dtype))


def test_other_types_are_a_bug():
    with pytest.raises(CompilerBug, match="index is not an element type"):
        to_numpy(IndexType())


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """Small arrays of every element type, made of arbitrary bits."""
    dtype = to_numpy(draw(st.sampled_from(ELEMENT_TYPES)))
    shape = tuple(draw(st.lists(st.integers(1, 3), max_size=3)))
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == np.bool_:
        return np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count))).reshape(shape)
    raw = draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    return np.frombuffer(raw, dtype).reshape(shape)


@given(arrays())
def test_dense_attribute_keeps_every_bit(array: Array):
    back = from_dense(to_dense(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@given(arrays())
def test_constant_keeps_every_bit_in_text(array: Array):
    op = Parser(CONTEXT, str(graph.ConstantOp(array))).parse_op()
    assert isinstance(op, graph.ConstantOp)
    back = from_dense(op.value)
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


def test_array_of_an_attribute_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        from_dense(to_dense(np.zeros(3, np.float32)))[0] = 1
