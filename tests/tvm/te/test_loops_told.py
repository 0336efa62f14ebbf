"""What a schedule tells of its loops, and expressions that are compared while a program is written."""

import pickle

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import runtime, te, testing
from s2s.tvm.te.operations import Reduce
from s2s.tvm.te.schedule import Fuse, Singleton, Split
from s2s.tvm.te.stage import REFUSED_PRAGMAS

N, M = te.size_var("n"), te.size_var("m")


def copied() -> tuple[te.Tensor, te.Schedule]:
    a = te.placeholder((N, M), name="A")
    b = te.compute((N, M), lambda i, j: a[i, j], name="B")
    return b, te.create_schedule(b.op)


def test_loops_are_told_outermost_first():
    b, s = copied()
    i, j = b.op.axis
    xo, yo, xi, yi = s[b].tile(i, j, 10, 5)
    assert tuple(s[b].leaf_iter_vars) == (xo, yo, xi, yi)
    fused = s[b].fuse(xo, yo)
    assert tuple(s[b].leaf_iter_vars) == (fused, xi, yi)
    assert [type(each) for each in s[b].relations] == [Split, Split, Fuse]
    assert tuple(s[b].all_iter_vars) == (i, j, xo, xi, yo, yi, fused)
    s[b].vectorize(yi)
    s[b].unroll(xi)
    kinds = {loop: told.iter_type for loop, told in s[b].iter_var_attrs.items()}
    assert kinds == {yi: te.IterVar.Vectorized, xi: te.IterVar.Unrolled}


def test_what_cannot_be_is_an_error_of_run_time():
    b, s = copied()
    xo, _ = s[b].split(b.op.axis[0], factor=10)
    with pytest.raises(RuntimeError, match="is not the next loop inside"):
        s[b].fuse(xo, b.op.axis[1])


def test_the_step_of_a_number_is_a_loop_and_is_compiled():
    a = te.placeholder((), name="A")
    b = te.compute((), lambda: a() + 1.0, name="B")
    s = te.create_schedule(b.op)
    fused = s[b].fuse()
    assert isinstance(s[b].relations[0], Singleton)
    assert s[b].leaf_iter_vars == [fused]
    x, y = runtime.nd.array(np.float32(2)), runtime.nd.empty(())
    te.build(s, [a, b], "host", name="add_one")(x, y)
    assert y.numpy() == 3
    loaded: te.Schedule = pickle.loads(pickle.dumps(s))
    assert [each.op.name for each in loaded.stages] == ["A", "B"]


def test_a_shape_may_be_its_only_size():
    a = te.placeholder(8, name="A")
    assert (a.shape, te.compute(N + 2, lambda i: a[i]).ndim) == ((8,), 1)


def test_first_indices_give_a_part():
    a = te.placeholder((4, 5, 6), name="A")
    assert str(a[1][2][3]) == str(a[1, 2][3]) == str(a[1, 2, 3])
    with pytest.raises(InputError, match="4 indices for 3 dimensions"):
        a[1][2][3, 4]


def test_equalities_are_true_of_one_object_or_number():
    b, _ = copied()
    assert b.shape[0] == N
    assert not b.shape[0] == M  # noqa: SIM201
    assert b.shape[0] != M
    assert te.const(3) == te.const(3)
    assert te.const(3) != te.const(4)
    with pytest.raises(InputError, match="has a value in the compiled function only"):
        bool(N < M)


def test_tensors_of_one_operation_are_equal():
    b, _ = copied()
    assert isinstance(b.op, te.ComputeOp)
    assert (b.op.output(0), hash(b.op.output(0))) == (b, hash(b))
    assert {b.op.output(0): 1}[b] == 1
    assert isinstance(b.op.input_tensors[0].op, te.PlaceholderOp)


def test_values_come_back_from_packed_functions():
    assert testing.echo(np.int64(2**63 - 1)) == 2**63 - 1
    device = runtime.device("opencl", 10)
    assert testing.device_test(device, 4, 10) == device


@pytest.mark.parametrize(
    ("kind", "number"),
    [("vectorize", te.IterVar.Vectorized), ("unroll", te.IterVar.Unrolled), ("parallel", te.IterVar.Parallelized)],
)
def test_a_pragma_marks_a_loop(kind: str, number: int):
    a = te.placeholder((32,), name="A")
    b = te.compute((32,), lambda i: a[i] + 1, name="B")
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], 8)
    loop = outer if kind == "parallel" else inner
    s[b].pragma(loop, kind)
    assert s[b].iter_var_attrs[loop].iter_type == number
    out = tvm.nd.empty((32,))
    tvm.build(s, [a, b], "llvm")(tvm.nd.array(np.arange(32, dtype=np.float32)), out)
    assert out.numpy().tolist() == list(range(1, 33))


@pytest.mark.parametrize(("most", "written"), [(1, 1), (8, 8), (64, 32)])
def test_loops_with_few_steps_are_unrolled(most: int, written: int):
    a = te.placeholder((128,), name="A")
    b = te.compute((128,), lambda i: a[i] + 1, name="B")
    s = te.create_schedule(b.op)
    outer, middle = s[b].split(b.op.axis[0], 32)
    s[b].split(middle, 8)
    s[b].pragma(outer, "auto_unroll_max_step", most)
    s[b].pragma(outer, "unroll_explicit", True)
    function = tvm.build(s, [a, b], "c")
    assert function.get_source().count(" + 1.0f") == written
    x, y = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    function(x, y)
    np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize("name", REFUSED_PRAGMAS)
def test_a_pragma_that_changes_nothing_is_refused(name: str):
    b = te.compute((8,), lambda i: i + 1.0, name="B")
    s = te.create_schedule(b.op)
    with pytest.raises(InputError, match=f"pragma {name}: {REFUSED_PRAGMAS[name]}"):
        s[b].pragma(b.op.axis[0], name)


def test_rows_lie_as_storage_align_asks():
    a = te.placeholder((8, 24), name="A")
    b = te.compute((8, 24), lambda i, j: a[i, j] + 1, name="B")
    s = te.create_schedule(b.op)
    s[b].storage_align(b.op.axis[0], 16, 8)
    with pytest.raises(InputError, match="storage_align of i by 16, 0: neighbours lie 24 elements apart, without gaps"):
        s[b].storage_align(b.op.axis[0], 16, 0)


def test_the_formulas_of_an_operation_are_its_body():
    a, k = te.placeholder((4, 8), name="A"), te.reduce_axis((0, 8), "k")
    b = te.compute((4,), lambda i: te.sum(a[i, k], axis=k), name="B")
    c, d = te.compute((4,), lambda i: (a[i, 0], a[i, 1] + 1), name="C")
    assert isinstance(b.op, te.ComputeOp)
    assert isinstance(c.op, te.ComputeOp)
    assert d.op is c.op
    (total,) = b.op.body
    assert isinstance(total, Reduce)
    assert total.axis == (k,)
    assert str(total.source[0]) == "A[i, k]"
    assert [str(each) for each in c.op.body] == ["A[i, 0]", "(A[i, 1] + 1)"]
