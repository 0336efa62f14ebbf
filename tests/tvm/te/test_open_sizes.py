"""Sizes that `te.var` leaves open are those of the arrays of each call."""

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import te


def add() -> tuple[te.Schedule, list[te.Tensor]]:
    n = te.var("n")
    a, b = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    c = te.compute(a.shape, lambda i: a[i] + b[i], name="C")
    return te.create_schedule(c.op), [a, b, c]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_one_function_takes_every_size(size: int):
    function = tvm.build(*add(), "llvm", name="add")
    x = np.arange(size, dtype=np.float32)
    y = tvm.nd.empty((size,))
    function(x, x, y)
    np.testing.assert_array_equal(y.numpy(), x + x)


def test_sizes_that_disagree_are_refused():
    function = tvm.build(*add(), "llvm", name="add")
    with pytest.raises(InputError, match="add: B: n is 3 here and 2 elsewhere; make them agree"):
        function(np.zeros(2, np.float32), np.zeros(3, np.float32), np.zeros(2, np.float32))


def test_a_library_wants_constant_sizes():
    with pytest.raises(InputError, match=r"a library has constant sizes; give bind=\{'n': …\} to build"):
        tvm.build(*add(), "llvm", name="add").export_library("add.so")


def test_the_text_says_at_which_value_open_sizes_are_shown():
    assert tvm.lower(*add(), simple_mode=True).startswith("// open sizes are shown at n = 1024\n")
    assert not tvm.lower(*add(), simple_mode=True, bind={"n": 8}).startswith("// open")
