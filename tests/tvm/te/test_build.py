"""Functions built from tensor expressions compute what numpy does, whatever the schedule says."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from s2s.tvm import te
from s2s.tvm.te import IterVar, Schedule, Tensor
from s2s.types.dtypes import Array

N = 24


def matmul(rows: int = N, steps: int = N, columns: int = N) -> tuple[Tensor, Tensor, Tensor]:
    k = te.reduce_axis((0, steps), "k")
    a, b = te.placeholder((rows, steps), name="A"), te.placeholder((steps, columns), name="B")
    return a, b, te.compute((rows, columns), lambda x, y: te.sum(a[x, k] * b[k, y], axis=k), name="C")


def rand(*shape: int) -> Array:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def run(s: Schedule, args: list[Tensor], *inputs: Array, bind: Mapping[str, int] | None = None) -> Array:
    """The last argument, computed from the others."""
    function = te.build(s, args, "host", "f", bind=bind)
    output = np.zeros(function.artifact.info.outputs[-1].shape, np.dtype(args[-1].dtype))
    function(*inputs, output)
    return output


def block(s: Schedule, c: Tensor) -> tuple[IterVar, IterVar, IterVar, IterVar]:
    return s[c].tile(c.op.axis[0], c.op.axis[1], 4, 8)


def outside(s: Schedule, c: Tensor) -> None:
    block(s, c)


def inside(s: Schedule, c: Tensor) -> None:
    xo, yo, xi, yi = block(s, c)
    ko, ki = s[c].split(c.op.reduce_axis[0], factor=4)
    s[c].reorder(xo, yo, ko, ki, xi, yi)
    s[c].unroll(ki)
    s[c].vectorize(yi)


def permuted(s: Schedule, c: Tensor) -> None:
    xo, yo, xi, yi = block(s, c)
    ko, ki = s[c].split(c.op.reduce_axis[0], nparts=3)
    s[c].reorder(yo, xo, ki, ko, yi, xi)


def fused(s: Schedule, c: Tensor) -> None:
    loop = s[c].fuse(c.op.axis[0], c.op.axis[1])
    _, inner = s[c].split(loop, factor=8)
    s[c].vectorize(inner)


def fused_apart(s: Schedule, c: Tensor) -> None:
    xo, yo, _, yi = block(s, c)
    s[c].fuse(xo, yo)
    s[c].vectorize(yi)


def ragged(s: Schedule, c: Tensor) -> None:
    xo, xi = s[c].split(c.op.axis[0], factor=5)
    yo, yi = s[c].split(c.op.axis[1], factor=16)
    s[c].reorder(xo, yo, c.op.reduce_axis[0], xi, yi)
    s[c].vectorize(yi)


def parallel(s: Schedule, c: Tensor) -> None:
    xo, _, _, yi = block(s, c)
    s[c].parallel(xo)
    s[c].vectorize(yi)


def prefetched(s: Schedule, c: Tensor) -> None:
    s[c].vectorize(c.op.axis[1])
    s[c].prefetch(c.op.input_tensors[1], c.op.reduce_axis[0])


def cached(s: Schedule, c: Tensor) -> None:
    cache = s.cache_write(c)
    _, yo, _, _ = block(s, c)
    s[cache].compute_at(s[c], yo)
    xc, yc = s[cache].op.axis
    ko, ki = s[cache].split(s[cache].op.reduce_axis[0], factor=4)
    _, xi = s[cache].split(xc, factor=2)
    s[cache].reorder(ko, ki, xi, yc)
    s[cache].unroll(ki)
    s[cache].vectorize(yc)


def read_through_a_copy(s: Schedule, c: Tensor) -> None:
    copy = s.cache_read(c.op.input_tensors[1], "global", [c])
    s[copy].vectorize(copy.op.axis[1])


def factored(s: Schedule, c: Tensor) -> None:
    _, ki = s[c].split(c.op.reduce_axis[0], factor=4)
    s.rfactor(c, ki)


def factored_behind(s: Schedule, c: Tensor) -> None:
    _, ki = s[c].split(c.op.reduce_axis[0], factor=4)
    assert s.rfactor(c, ki, 1).shape[1] == 4


def factored_last(s: Schedule, c: Tensor) -> None:
    _, ki = s[c].split(c.op.reduce_axis[0], factor=4)
    s.rfactor(c, ki, -1)


@pytest.mark.parametrize(
    "schedule",
    [
        outside,
        inside,
        permuted,
        fused,
        fused_apart,
        ragged,
        parallel,
        prefetched,
        cached,
        read_through_a_copy,
        factored,
        factored_behind,
        factored_last,
    ],
)
def test_a_product_is_the_same_by_every_schedule(schedule: Callable[[Schedule, Tensor], None]):
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    schedule(s, c)
    x, y = rand(N, N), rand(N, N)
    np.testing.assert_allclose(run(s, [a, b, c], x, y), x @ y, rtol=1e-4, atol=1e-5)


def test_sizes_are_bound_when_the_function_is_built():
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1.0, name="B")
    s = te.create_schedule(b.op)
    _, inner = s[b].split(b.op.axis[0], factor=4)
    s[b].vectorize(inner)
    np.testing.assert_array_equal(run(s, [a, b], rand(20), bind={"n": 20}), rand(20) + 1)


def test_formulas_are_put_where_they_are_read():
    a = te.placeholder((8, 8), name="A")
    b = te.compute((8, 8), lambda i, j: te.exp(a[i, j]), name="B")
    c = te.compute((8, 8), lambda i, j: b[j, i] * 2.0, name="C")
    s = te.create_schedule(c.op)
    s[b].compute_inline()
    assert te.lower(s, [a, c], simple_mode=True).count("@tir.exp(") == 1
    np.testing.assert_allclose(run(s, [a, c], rand(8, 8)), 2 * np.exp(rand(8, 8)).T, rtol=1e-5)


def test_a_condition_keeps_a_read_inside_of_its_tensor():
    a = te.placeholder((6,), name="A")
    b = te.compute((8,), lambda i: te.if_then_else(te.all(i >= 1, i < 7), a[i - 1], 0.0), name="B")
    np.testing.assert_array_equal(run(te.create_schedule(b.op), [a, b], rand(6)), np.pad(rand(6), 1))


def test_a_convolution_over_a_padded_tensor():
    a, w = te.placeholder((8, 8), name="A"), te.placeholder((3, 3), name="W")
    p = te.compute(
        (10, 10),
        lambda i, j: te.if_then_else(te.all(i >= 1, i < 9, j >= 1, j < 9), a[i - 1, j - 1], 0.0),
        name="P",
    )
    r, c = te.reduce_axis((0, 3), "r"), te.reduce_axis((0, 3), "c")
    y = te.compute((8, 8), lambda i, j: te.sum(p[i + r, j + c] * w[r, c], axis=[r, c]), name="Y")
    s = te.create_schedule(y.op)
    s[y].vectorize(y.op.axis[1])
    padded, kernel = np.pad(rand(8, 8), 1), rand(3, 3)
    expected = sum(padded[i : i + 8, j : j + 8] * kernel[i, j] for i in range(3) for j in range(3))
    np.testing.assert_allclose(run(s, [a, w, y], rand(8, 8), kernel), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("reducer", "expected"), [(te.max, np.max), (te.min, np.min)])
def test_extremes_over_an_axis(reducer: Callable[..., te.Expr], expected: Callable[..., Array]):
    a = te.placeholder((4, 9), name="A")
    k = te.reduce_axis((0, 9), "k")
    b = te.compute((4,), lambda i: reducer(a[i, k], axis=k), name="B")
    np.testing.assert_array_equal(run(te.create_schedule(b.op), [a, b], rand(4, 9)), expected(rand(4, 9), axis=1))


def test_integers_are_summed_in_the_type_that_is_asked_for():
    a, b = te.placeholder((5, 7), "int8", "A"), te.placeholder((7, 6), "int8", "B")
    k = te.reduce_axis((0, 7), "k")
    c = te.compute((5, 6), lambda i, j: te.sum(a[i, k].astype("int32") * b[k, j].astype("int32"), axis=k), name="C")
    x = np.arange(35, dtype=np.int8).reshape(5, 7) - 17
    y = np.arange(42, dtype=np.int8).reshape(7, 6) - 21
    expected = x.astype(np.int32) @ y.astype(np.int32)
    np.testing.assert_array_equal(run(te.create_schedule(c.op), [a, b, c], x.astype(np.int8), y), expected)


def test_loop_variables_have_values():
    a = te.compute((4, 6), lambda i, j: ((i * 7 + j) // 3 - 2 * (j % 4)).astype("float32"), name="A")
    i, j = np.indices((4, 6))
    s = te.create_schedule(a.op)
    s[a].split(a.op.axis[1], factor=3)
    np.testing.assert_array_equal(run(s, [a]), ((i * 7 + j) // 3 - 2 * (j % 4)).astype(np.float32))


def test_a_function_computes_several_tensors():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] * 2.0, name="B")
    c = te.compute((8,), lambda i: b[i] + a[i], name="C")
    function = te.build(te.create_schedule([b.op, c.op]), [a, b, c], name="f")
    x, y, z = rand(8), np.zeros(8, np.float32), np.zeros(8, np.float32)
    function(x, y, z)
    np.testing.assert_array_equal([y, z], [2 * x, 2 * x + x])


def test_a_call_is_timed():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] * 2.0, name="B")
    function = te.build(te.create_schedule(b.op), [a, b], name="f")
    result = function.time_evaluator(function.entry_name, number=3, repeat=2)(rand(8), np.zeros(8, np.float32))
    assert len(result.results) == 2
    assert result.mean > 0


def doubled() -> tuple[Tensor, Tensor]:
    a = te.placeholder((N, N), name="A")
    return a, te.compute((N, N), lambda i, j: a[i, j] * 2.0 + 1.0, name="D")


def test_rows_that_a_product_reads_are_computed_with_its_rows():
    a, d = doubled()
    w, k = te.placeholder((N, N), name="W"), te.reduce_axis((0, N), "k")
    c = te.compute((N, N), lambda x, y: te.sum(d[x, k] * w[k, y], axis=k), name="C")
    s = te.create_schedule(c.op)
    xo, _ = s[c].split(c.op.axis[0], factor=8)
    s[d].compute_at(s[c], xo)
    first, second = rand(2, N, N)
    np.testing.assert_allclose(run(s, [a, w, c], first, second), (2 * first + 1) @ second, rtol=1e-4, atol=1e-4)
    text = te.lower(s, [a, w, c])
    assert "tile_and_fuse<0 by 8>" in text
    assert "memref<192xf32>" in text, "a tile of 8 rows of 24 elements is all that is kept of D"


def test_rows_around_those_that_a_window_covers_are_computed_twice():
    a, d = doubled()

    def window(i: IterVar, j: IterVar) -> te.Expr:
        above = te.if_then_else(i > 0, d[i - 1, j], 0.0)
        return above + d[i, j] + te.if_then_else(i < N - 1, d[i + 1, j], 0.0)

    c = te.compute((N, N), window, name="C")
    s = te.create_schedule(c.op)
    xo, _ = s[c].split(c.op.axis[0], factor=8)
    s[d].compute_at(s[c], xo)
    first = rand(N, N)
    padded = np.pad(2 * first + 1, ((1, 1), (0, 0)))
    expected = padded[:-2] + padded[1:-1] + padded[2:]
    np.testing.assert_allclose(run(s, [a, c], first), expected, rtol=1e-4, atol=1e-4)
    assert "tile_and_fuse<0 by 8 overlap [1, 1]>" in te.lower(s, [a, c])


def test_a_transposed_reader_has_tiles_of_columns():
    a, d = doubled()
    c = te.compute((N, N), lambda i, j: d[j, i], name="C")
    s = te.create_schedule(c.op)
    s[d].compute_at(s[c], c.op.axis[0])
    first = rand(N, N)
    np.testing.assert_allclose(run(s, [a, c], first), (2 * first + 1).T, rtol=1e-5)
