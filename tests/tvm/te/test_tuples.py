"""Formulas and reductions of several values make several tensors in one nest of loops."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import te

M, N = 5, 8
RNG = np.random.default_rng(0)


def best(x: Any, y: Any) -> tuple[te.Expr, te.Expr]:
    """The place and the value of the larger value, of equal ones the first."""
    ahead = x[1] >= y[1]
    return te.if_then_else(ahead, x[0], y[0]), te.if_then_else(ahead, x[1], y[1])


def argmax(values: Any, axis: Any, **keywords: Any) -> Any:
    reducer = te.comm_reducer(best, lambda t0, t1: (te.const(-1, t0), te.min_value(t1)), name="argmax")
    return reducer(values, axis, **keywords)


def extremes() -> tuple[Any, ...]:
    places, values = te.placeholder((M, N), "int32", "P"), te.placeholder((M, N), "int32", "V")
    k = te.reduce_axis((0, N), "k")
    found: Any = te.compute((M,), lambda i: argmax((places[i, k], values[i, k]), axis=k), name="T")
    return places, values, found, te.create_schedule(found[0].op)


def run_extremes(places: Any, values: Any, found: Any, s: te.Schedule) -> None:
    function = tvm.build(s, [places, values, *found], name="f")
    p = np.broadcast_to(np.arange(N, dtype=np.int32), (M, N)).copy()
    v = RNG.integers(-100, 100, (M, N)).astype(np.int32)
    at, most = np.zeros(M, np.int32), np.zeros(M, np.int32)
    function(p, v, at, most)
    np.testing.assert_array_equal(at, v.argmax(1))
    np.testing.assert_array_equal(most, v.max(1))


def test_a_formula_of_two_values_makes_two_tensors():
    a, b = te.placeholder((M, N), name="A"), te.placeholder((M, N), name="B")
    c, d = te.compute((M, N), lambda i, j: (a[i, j] + 2, b[i, j] * 3), name="C")
    function = tvm.build(te.create_schedule(c.op), [a, b, c, d], name="f")
    x, y = RNG.standard_normal((2, M, N)).astype(np.float32)
    p, q = np.zeros((2, M, N), np.float32)
    function(x, y, p, q)
    np.testing.assert_array_equal(p, x + 2)
    np.testing.assert_array_equal(q, y * 3)
    assert c.name == "C.v0"
    assert c.op is d.op


def test_a_reduction_of_tuples():
    run_extremes(*extremes())


def test_a_reduction_of_tuples_in_a_cache():
    places, values, found, s = extremes()
    cache = s.cache_write(found)
    s[cache[0]].compute_at(s[found[0]], s[found[0]].op.axis[0])
    run_extremes(places, values, found, s)


def test_a_reduction_of_tuples_in_parts():
    places, values, found, s = extremes()
    _, inner = s[found[0]].split(found[0].op.reduce_axis[0], factor=4)
    assert len(s.rfactor(found[0], inner)) == 2
    p = np.broadcast_to(np.arange(N, dtype=np.int32), (M, N)).copy()
    v = np.stack([RNG.permutation(N) for _ in range(M)]).astype(np.int32)
    at, most = np.zeros(M, np.int32), np.zeros(M, np.int32)
    tvm.build(s, [places, values, *found], name="f")(p, v, at, most)
    np.testing.assert_array_equal(at, v.argmax(1))


def test_a_condition_leaves_elements_out():
    a = te.placeholder((N,), name="A")
    k = te.reduce_axis((0, N), "k")
    product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), "product")
    b = te.compute((1,), lambda _: product(a[k], axis=k, where=k < 3), name="B")
    x, y = np.full(N, 2, np.float32), np.zeros(1, np.float32)
    tvm.build(te.create_schedule(b.op), [a, b], name="f")(x, y)
    assert y[0] == 8


def test_a_reader_takes_one_of_the_tensors():
    a, b = te.placeholder((M, N), name="A"), te.placeholder((M, N), name="B")
    c, _ = te.compute((M, N), lambda i, j: (a[i, j] + 2, a[i, j] * 3), name="C")
    d = te.compute((M, N), lambda i, j: b[i, j] + c[i, j], name="D")
    s = te.create_schedule(d.op)
    s[c].compute_at(s[d], d.op.axis[0])
    x, y = RNG.standard_normal((2, M, N)).astype(np.float32)
    z = np.zeros((M, N), np.float32)
    tvm.build(s, [a, b, d], name="f")(x, y, z)
    np.testing.assert_array_equal(z, y + (x + 2))


def test_an_inlined_tensor_that_is_an_argument_is_written_as_well():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: a[i] + 1, name="B")
    c = te.compute((N,), lambda i: b[i] * 2, name="C")
    s = te.create_schedule(c.op)
    s[b].compute_inline()
    x = np.arange(N, dtype=np.float32)
    y, z = np.zeros((2, N), np.float32)
    tvm.build(s, [a, b, c], name="f")(x, y, z)
    np.testing.assert_array_equal(y, x + 1)
    np.testing.assert_array_equal(z, (x + 1) * 2)


def zeros(*dtypes: str) -> tuple[int, ...]:
    return tuple(0 for _ in dtypes)


def variable(*dtypes: str) -> tuple[te.Expr, ...]:
    return tuple(te.var("n") for _ in dtypes)


def half(x: Any, y: Any) -> Any:
    return (x[0],)


def twisted(x: Any, y: Any) -> Any:
    return x[0], y[0]


def straight(x: Any, y: Any) -> Any:
    return x[0], y[1]


@pytest.mark.parametrize(
    ("combine", "identity", "message"),
    [
        (half, zeros, "combines 2 values into 1, 2 identities; return as many"),
        (twisted, zeros, "combines float32 into int32; convert it with astype"),
        (straight, variable, "identity n is no constant; give numbers"),
    ],
)
def test_a_reducer_that_does_not_fit_is_refused(combine: Any, identity: Any, message: str):
    k = te.reduce_axis((0, N), "k")
    a, b = te.placeholder((N,), "int32", "A"), te.placeholder((N,), "float32", "B")
    with pytest.raises(InputError, match=f"odd: .*{message}"):
        te.comm_reducer(combine, identity, "odd")((a[k], b[k]), axis=k)
