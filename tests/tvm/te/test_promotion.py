"""Values of different types that meet in an expression are converted by TVM's rules."""

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import te


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("float16", "float32", "float32"),
        ("int32", "float16", "float16"),
        ("int64", "float32", "float32"),
        ("int8", "int32", "int32"),
        ("uint8", "uint16", "uint16"),
        ("int32", "uint32", "uint32"),
        ("int32", "uint8", "int32"),
        ("uint32", "int8", "uint32"),
        ("bool", "int8", "int8"),
    ],
)
def test_two_types_become_one(one: str, other: str, common: str):
    a, b = te.const(1, one), te.const(2, other)
    assert (a + b).dtype == (b * a).dtype == common
    assert te.if_then_else(te.const(True, "bool"), a, b).dtype == common
    assert (a < b).dtype == "bool"


def test_numbers_of_python_with_a_point_are_float32():
    i = te.var("i")
    assert (i + 1).dtype == "int32"
    assert (i + 1.5).dtype == (1.0 - i).dtype == "float32"
    assert te.if_then_else(i < 2, 0.5, i).dtype == "float32"


def test_what_is_converted_is_computed():
    a, b = te.placeholder((6,), "int8", name="A"), te.placeholder((6,), "uint8", name="B")
    c = te.compute((6,), lambda i: (a[i] - b[i]) * 0.5 + i, name="C")
    x, y = np.arange(-3, 3, dtype=np.int8), np.arange(6, dtype=np.uint8)
    z = np.zeros(6, np.float32)
    tvm.build(te.create_schedule(c.op), [a, b, c], "llvm")(x, y, z)
    wanted = (x.astype(np.uint8) - y).astype(np.float32) * np.float32(0.5) + np.arange(6, dtype=np.float32)
    np.testing.assert_array_equal(z, wanted)
