"""Sizes that `te.var` leaves open are those of the arrays of each call."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import te
from s2s.types.dtypes import Array

Open = Callable[[], tuple[te.Schedule, list[te.Tensor]]]


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


@pytest.mark.parametrize("is_split", [False, True])
def test_a_library_takes_every_size(is_split: bool, tmp_path: Path):
    schedule, args = add()
    if is_split:
        outer, inner = schedule[args[2]].split(args[2].op.axis[0], factor=64)
        schedule[args[2]].parallel(outer)
        schedule[args[2]].vectorize(inner)
    tvm.build(schedule, args, "llvm", name="add").export_library(tmp_path / "add.so")
    loaded = tvm.runtime.load_module(tmp_path / "add.so")
    for size in (1, 63, 64, 1000):
        x, room = np.arange(size, dtype=np.float32), np.full(size + 64, -1, np.float32)
        loaded(x, x, room[:size])
        np.testing.assert_array_equal(room, np.concatenate([x + x, np.full(64, -1, np.float32)]))


def test_an_object_takes_every_size(tmp_path: Path):
    tvm.build(*add(), "llvm", name="add").save(str(tmp_path / "add.o"))
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    loaded = tvm.runtime.load_module(tmp_path / "add.o")
    loaded(x, x, y)
    np.testing.assert_array_equal(y, x + x)
    with pytest.raises(InputError, match="B: axis 0 has size 4, and n is 5 elsewhere; make them agree"):
        loaded(x, x[:4], y)


def test_reductions_and_rows_vary_in_a_library(tmp_path: Path):
    n = te.var("n")
    x, w = te.placeholder((n, 16), name="X"), te.placeholder((16, 8), name="W")
    k, rows = te.reduce_axis((0, 16), "k"), te.reduce_axis((0, n), "r")
    y = te.compute((n, 8), lambda i, j: te.sum(x[i, k] * w[k, j], axis=k), name="Y")
    z = te.compute((16,), lambda j: te.max(x[rows, j], axis=rows), name="Z")
    schedule = te.create_schedule([y.op, z.op])
    outer, inner = schedule[y].split(y.op.axis[0], 8)
    schedule[y].reorder(outer, k, inner, y.op.axis[1])
    schedule[y].vectorize(y.op.axis[1])
    tvm.build(schedule, [x, w, y, z], "llvm", name="rows").export_library(tmp_path / "rows.so")
    loaded, random = tvm.runtime.load_module(tmp_path / "rows.so"), np.random.default_rng(0)
    for size in (1, 7, 33):
        a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((size, 16), (16, 8)))
        c, d = np.zeros((size, 8), np.float32), np.zeros(16, np.float32)
        loaded(a, b, c, d)
        np.testing.assert_array_equal(c, a @ b)
        np.testing.assert_array_equal(d, a.max(axis=0))


def shifted() -> tuple[te.Schedule, list[te.Tensor]]:
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n + 1,), lambda i: te.if_then_else(i < 1, 0.0, a[i - 1]), name="B")
    return te.create_schedule(b.op), [a, b]


def square() -> tuple[te.Schedule, list[te.Tensor]]:
    n = te.var("n")
    a = te.placeholder((n, n), name="A")
    b = te.compute((n, n), lambda i, j: a[i, j] * 2.0, name="B")
    return te.create_schedule(b.op), [a, b]


def chain() -> tuple[te.Schedule, list[te.Tensor]]:
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1.0, name="B")
    c = te.compute((n,), lambda i: b[i] * 2.0, name="C")
    return te.create_schedule(c.op), [a, c]


def moved(x: Array) -> Array:
    return np.concatenate([np.zeros(1, np.float32), x])


def doubled(x: Array) -> Array:
    return x * 2


def chained(x: Array) -> Array:
    return (x + 1) * 2


@pytest.mark.parametrize(
    ("function", "shapes", "wanted"),
    [
        (shifted, ((7,), (8,)), moved),
        (square, ((7, 7), (7, 7)), doubled),
        (chain, ((7,), (7,)), chained),
    ],
)
def test_bounds_make_a_library(
    function: Open, shapes: tuple[tuple[int, ...], ...], wanted: Callable[[Array], Array], tmp_path: Path
):
    tvm.build(*function(), "llvm", name="f", bind={"n": "1..64"}).export_library(tmp_path / "f.so")
    x, y = (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) for shape in shapes)
    tvm.runtime.load_module(tmp_path / "f.so")(x, y)
    np.testing.assert_array_equal(y, wanted(x))


@pytest.mark.parametrize(
    ("function", "fact"),
    [
        (shifted, r"reads A, whose size n varies, at other places than those of one loop; give bind=\{'n': …\}"),
        (square, r"A has rows of a size that varies; bound it for a library, bind=\{'n': '1..64'\}"),
        (chain, r"keeps tensors between its stages, of \d+ bytes at most; bound the sizes for a library"),
    ],
)
def test_a_library_without_bounds_says_why_it_wants_some(function: Open, fact: str, tmp_path: Path):
    with pytest.raises(InputError, match=fact):
        tvm.build(*function(), "llvm", name="f").export_library(tmp_path / "f.so")


def test_two_sizes_that_may_differ_are_no_one():
    n, m = te.var("n"), te.var("m")
    a = te.placeholder((n,), name="A")
    b = te.compute((m,), lambda i: a[i], name="B")
    with pytest.raises(InputError, match="reads A, whose size n varies, at a loop of m steps"):
        tvm.build(te.create_schedule(b.op), [a, b], "llvm", bind={"n": "1..8", "m": "1..8"}).get_source()


def test_arrays_outside_of_bounds_are_refused():
    function = tvm.build(*add(), "llvm", name="add", bind={"n": "1..4"})
    x = np.zeros(5, np.float32)
    with pytest.raises(InputError, match=r"A: n is 5, and within 1..4; give other arrays"):
        function(x, x, x.copy())


def test_the_text_says_at_which_value_open_sizes_are_shown():
    assert tvm.lower(*add(), simple_mode=True).startswith("// open sizes are shown at n = 1024\n")
    assert not tvm.lower(*add(), simple_mode=True, bind={"n": 8}).startswith("// open")
