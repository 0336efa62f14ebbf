"""Tensor expressions and schedules as TVM 0.12 documents them."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import te

N = 32
RNG = np.random.default_rng(3)
A, B = (RNG.random((N, N)).astype(np.float32) for _ in range(2))


def matmul() -> tuple[Any, Any, Any]:
    a, b = te.placeholder((N, N), name="A"), te.placeholder((N, N), name="B")
    k = te.reduce_axis((0, N), name="k")
    return a, b, te.compute((N, N), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")


def check(schedule: Any, arguments: list[Any]) -> None:
    function = tvm.build(schedule, arguments, target="llvm", name="matmul")
    c = tvm.nd.array(np.zeros((N, N), np.float32), tvm.cpu())
    function(tvm.nd.array(A), tvm.nd.array(B), c)
    tvm.testing.assert_allclose(c.numpy(), A @ B, rtol=1e-5)


def test_a_formula_is_built():
    a, b, c = matmul()
    check(te.create_schedule(c.op), [a, b, c])


@pytest.mark.parametrize("with_parallel", [False, True])
def test_loops_are_tiled_reordered_and_run_in_vectors(with_parallel: bool):
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    outer, columns, rows, inner = s[c].tile(c.op.axis[0], c.op.axis[1], 8, 8)
    (k,) = s[c].op.reduce_axis
    k_outer, k_inner = s[c].split(k, factor=4)
    s[c].reorder(outer, columns, k_outer, rows, k_inner, inner)
    s[c].vectorize(inner)
    s[c].unroll(k_inner)
    if with_parallel:
        s[c].parallel(outer)
    check(s, [a, b, c])


def test_loops_are_split_by_parts_and_fused():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[0], nparts=4)
    s[c].fuse(outer, inner)
    check(s, [a, b, c])


def test_a_result_is_kept_in_a_cache():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    cached = s.cache_write(c, "global")
    outer, columns, _, _ = s[c].tile(c.op.axis[0], c.op.axis[1], 8, 8)
    s[cached].compute_at(s[c], columns)
    assert outer is not columns
    check(s, [a, b, c])


def test_an_operand_is_packed():
    a, b, c = matmul()
    packed = te.compute((N // 8, N, 8), lambda panel, k, column: b[k, panel * 8 + column], name="packed")
    k = te.reduce_axis((0, N), name="k")
    c = te.compute(
        (N, N),
        lambda i, j: te.sum(a[i, k] * packed[te.indexdiv(j, 8), k, te.indexmod(j, 8)], axis=k),
        name="C",
    )
    check(te.create_schedule(c.op), [a, b, c])


def test_a_stage_is_computed_where_it_is_read():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: a[i] + 1.0, name="B")
    c = te.compute((N,), lambda i: b[i] * 2.0, name="C")
    s = te.create_schedule(c.op)
    s[b].compute_inline()
    y = tvm.nd.empty((N,))
    tvm.build(s, [a, c], "llvm")(tvm.nd.array(A[0]), y)
    tvm.testing.assert_allclose(y.numpy(), (A[0] + 1) * 2)


def test_a_reduction_is_done_in_parts():
    a = te.placeholder((8, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    b = te.compute((8,), lambda i: te.sum(a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    _, inner = s[b].split(b.op.reduce_axis[0], factor=8)
    s.rfactor(b, inner)
    x, y = RNG.random((8, 64)).astype(np.float32), tvm.nd.empty((8,))
    tvm.build(s, [a, b], "llvm")(tvm.nd.array(x), y)
    tvm.testing.assert_allclose(y.numpy(), x.sum(1), rtol=1e-5)


@pytest.mark.parametrize(("make", "reference"), [(te.max, np.max), (te.min, np.min)])
def test_extremes_are_reductions(make: Any, reference: Any):
    a = te.placeholder((8, 16), name="A")
    k = te.reduce_axis((0, 16), name="k")
    b = te.compute((8,), lambda i: make(a[i, k], axis=k), name="B")
    x, y = RNG.random((8, 16)).astype(np.float32), tvm.nd.empty((8,))
    tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(x), y)
    tvm.testing.assert_allclose(y.numpy(), reference(x, axis=1))


def test_a_padding_is_a_condition():
    a = te.placeholder((6,), name="A")
    b = te.compute((8,), lambda i: tvm.tir.if_then_else(tvm.tir.all(i >= 1, i < 7), a[i - 1], 0.0), name="B")
    y = tvm.nd.empty((8,))
    tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(A[0, :6]), y)
    tvm.testing.assert_allclose(y.numpy(), np.pad(A[0, :6], 1))


def test_functions_of_mathematics_are_called():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: te.tanh(te.exp(a[i])) + te.sqrt(a[i]), name="B")
    y = tvm.nd.empty((N,))
    tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(A[0]), y)
    tvm.testing.assert_allclose(y.numpy(), np.tanh(np.exp(A[0])) + np.sqrt(A[0]), rtol=1e-5)


def test_a_type_is_converted():
    a = te.placeholder((N,), name="A", dtype="int8")
    b = te.compute((N,), lambda i: a[i].astype("int32") * 1000, name="B")
    x, y = np.arange(N, dtype=np.int8), tvm.nd.empty((N,), "int32")
    tvm.build(te.create_schedule(b.op), [a, b], "llvm")(tvm.nd.array(x), y)
    assert y.numpy().tolist() == [each * 1000 for each in range(N)]
