"""Arithmetic and bits by the names of functions: numpy and Python's integers state what TVM documents."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import te, tir
from s2s.types.dtypes import Array
from support.together import Case, check, computed, elementwise

INTS = np.array([-(2**31), -9, -5, -1, 0, 1, 4, 7, 8, 2**31 - 1], np.int32)
SMALL = np.array([-9, -8, -5, -1, 0, 1, 4, 7, 8, 9], np.int32)
DIVISORS = np.array([4, -3, 2, 7, 5, -2, 3, -4, 3, 2], np.int32)
PLACES = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], np.int32)
BYTES = np.array([0, 1, 2, 127, 128, 129, 200, 253, 254, 255], np.uint8)
SIGNED_BYTES = BYTES.astype(np.int8)
LONG = np.array([-(2**63), -1, 0, 1, 2**62, 12345678901, 3, 7, -7, 2**63 - 1], np.int64)
SHORT = np.array([-(2**15), -1, 0, 1, 5, 255, 256, 7, -7, 2**15 - 1], np.int16)
UNSIGNED = INTS.astype(np.uint32)
FLOATS = np.array([-2.5, -1.75, -1, -0.5, -0.25, 0.25, 0.5, 1, 1.5, 2.5], np.float32)


def ones(x: Array) -> Array:
    """The bits that are 1, of two's complement."""
    size = 8 * x.dtype.itemsize
    return np.array([(int(each) % 2**size).bit_count() for each in x], x.dtype)


CASES: list[Case] = [
    *((te.popcount, [each], ones) for each in (INTS, SMALL, BYTES, SIGNED_BYTES, SHORT, LONG, UNSIGNED)),
    (te.add, [SMALL, DIVISORS], np.add),
    (te.subtract, [FLOATS, FLOATS[::-1].copy()], np.subtract),
    (te.multiply, [SMALL, DIVISORS], np.multiply),
    (te.div, [SMALL, DIVISORS], lambda a, b: np.trunc(a / b).astype(np.int32)),
    (te.div, [FLOATS, FLOATS[::-1].copy()], np.divide),
    (tir.ceildiv, [SMALL, DIVISORS], lambda a, b: np.ceil(a / b).astype(np.int32)),
    (tir.bitwise_and, [INTS, SMALL], np.bitwise_and),
    (tir.bitwise_or, [INTS, SMALL], np.bitwise_or),
    (tir.bitwise_xor, [INTS, SMALL], np.bitwise_xor),
    *((tir.bitwise_not, [each], np.bitwise_not) for each in (INTS, BYTES, SHORT, LONG, UNSIGNED)),
    (tir.pow, [np.abs(FLOATS), FLOATS], np.power),
    (tir.shift_left, [SMALL + 9, PLACES], np.left_shift),
    (tir.shift_right, [INTS, PLACES], np.right_shift),
]


def test_functions_of_bits_give_the_bits_of_numpy():
    cases = [(elementwise(function), operands, reference) for function, operands, reference in CASES]
    for case, result in zip(cases, computed(cases), strict=True):
        check(case, result, 2e-6 if result.dtype.kind == "f" else 0)


@pytest.mark.parametrize("function", [te.popcount, tir.bitwise_not], ids=["popcount", "bitwise_not"])
def test_floats_have_no_bits(function: Callable[[Any], Any]):
    with pytest.raises(InputError, match="is float32; convert it to an integer with astype"):
        function(te.const(1.0, "float32"))


def test_tensors_of_a_block_have_its_tag():
    a = te.placeholder((4,), name="A")
    with te.tag_scope(tag="scaled"):
        b = te.compute((4,), lambda i: a[i] * 2, name="B")

    @te.tag_scope(tag="clipped")
    def relu(data: te.Tensor) -> te.Tensor:
        return te.compute((4,), lambda i: te.max(data[i], 0.0), name="C")

    c = relu(b)
    assert [str(getattr(each.op, "tag", None)) for each in (b, c)] == ["scaled", "clipped"]
    named: Any = te.compute((4,), lambda i: a[i], tag="mine")
    assert named.op.tag == "mine"


def test_an_operation_has_one_tag():
    a = te.placeholder((4,), name="A")
    with te.tag_scope("first"):
        with pytest.raises(ValueError, match="tag_scope second: is inside of first"), te.tag_scope("second"):
            pass
        with pytest.raises(ValueError, match="B: tag second is inside of tag_scope first"):
            te.compute((4,), lambda i: a[i], name="B", tag="second")


def test_a_part_of_a_tensor_is_indexed_further():
    a = te.placeholder((2, 3), name="A")
    row = te.TensorSlice(a, 1)
    assert (row.dtype, str(row[2])) == ("float32", "A[1, 2]")
    b = te.compute((3,), lambda i: row[i] + a[0][i], name="B")
    out = tvm.nd.empty((3,))
    te.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(np.arange(6, dtype=np.float32).reshape(2, 3)), out)
    assert out.numpy().tolist() == [3, 5, 7]
