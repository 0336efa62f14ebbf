"""Schedules that directives cannot express are refused with the place, the fact and the way out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.tvm import te
from s2s.tvm.te import Schedule, Tensor

A = te.placeholder((12, 12), name="A")


def product() -> tuple[Schedule, Tensor]:
    k = te.reduce_axis((0, 12), "k")
    c = te.compute((12, 12), lambda x, y: te.sum(A[x, k] * A[k, y], axis=k), name="C")
    return te.create_schedule(c.op), c


def a_rest(s: Schedule, c: Tensor) -> None:
    s[c].split(c.op.axis[0], factor=5)


def reordered_before_cache_write(s: Schedule, c: Tensor) -> None:
    s[c].reorder(c.op.axis[1], c.op.axis[0])
    s.cache_write(c)


def vectorized_before_rfactor(s: Schedule, c: Tensor) -> None:
    k_outer, _ = s[c].split(c.op.reduce_axis[0], factor=4)
    s[c].vectorize(c.op.axis[1])
    s.rfactor(c, k_outer)


def inner_parallel(s: Schedule, c: Tensor) -> None:
    s[c].parallel(c.op.axis[1])


def two_vectors(s: Schedule, c: Tensor) -> None:
    s[c].vectorize(c.op.axis[0])
    s[c].vectorize(c.op.axis[1])


def odd_vectors(s: Schedule, c: Tensor) -> None:
    _, inner = s[c].split(c.op.axis[1], factor=3)
    s[c].vectorize(inner)


def fused_apart(s: Schedule, c: Tensor) -> None:
    s[c].fuse(c.op.axis[0], c.op.reduce_axis[0])


def a_loop_of_another(s: Schedule, c: Tensor) -> None:
    s[c].split(te.reduce_axis((0, 3), "r"), factor=3)


def far_prefetch(s: Schedule, c: Tensor) -> None:
    s[c].prefetch(A, c.op.reduce_axis[0], 2)


def unknown_intrinsic(s: Schedule, c: Tensor) -> None:
    s[c].tensorize(c.op.reduce_axis[0], "gemv")


def unfit_intrinsic(s: Schedule, c: Tensor) -> None:
    s[c].vectorize(c.op.axis[1])
    s[c].tensorize(c.op.reduce_axis[0], "smlad")


def whole_reduction(s: Schedule, c: Tensor) -> None:
    s.rfactor(c, c.op.reduce_axis[0])


def late_cache(s: Schedule, c: Tensor) -> None:
    s[c].split(c.op.axis[0], factor=4)
    s.cache_write(c)


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (a_rest, "te: C: split: x of 12 by 5 leaves a rest; vectorize or unroll x_inner, put it inside"),
        (
            inner_parallel,
            r"parallel names the loops over dimensions \[1\], but the outermost ones are over \[0\]; name those, or",
        ),
        (reordered_before_cache_write, "te: C: cache_write comes after other directives; call it first"),
        (vectorized_before_rfactor, "te: C: rfactor over k_outer: comes after other directives; call it first"),
        (two_vectors, "te: C: vectorize y after x: one loop runs in vectors; choose one"),
        (odd_vectors, "te: C: vectorize y_inner: 3 steps make no vectors; split it by a multiple of 4"),
        (fused_apart, "te: C: fuse of x and k: k is not the next loop inside; reorder them first"),
        (a_loop_of_another, "te: C: r: is no loop here; the loops are x, y, k"),
        (far_prefetch, "te: C: prefetch 2 steps ahead: the directive looks one step ahead; leave offset out"),
        (unknown_intrinsic, "te: C: tensorize gemv: no intrinsic has this name; known are "),
        (unfit_intrinsic, "te: C: its directives .* do not fit .tensor.compute: smlad makes one result"),
        (whole_reduction, "te: C: rfactor over k: is the whole reduction; split it first"),
        (late_cache, "te: C: cache_write comes after other directives; call it first"),
    ],
)
def test_a_directive_is_refused(directive: Callable[[Schedule, Tensor], None], message: str):
    def lower() -> None:
        s, c = product()
        directive(s, c)
        te.lower(s, [A, c], target="x86-64-v3")

    with pytest.raises(InputError, match=message):
        lower()


def test_a_block_of_too_many_accumulators_is_refused():
    k = te.reduce_axis((0, 64), "k")
    b = te.placeholder((64, 64), name="B")
    c = te.compute((64, 64), lambda x, y: te.sum(b[x, k] * b[k, y], axis=k), name="C")
    s = te.create_schedule(c.op)
    s[c].reorder(k, c.op.axis[0], c.op.axis[1])
    with pytest.raises(InputError, match=r"te: C: a block of 64 x 64 results .* 4096 accumulators; split its loops"):
        te.lower(s, [b, c])


def test_a_read_outside_of_a_tensor_is_refused():
    b = te.compute((12, 12), lambda i, j: A[i + 1, j], name="B")
    with pytest.raises(InputError, match=r"te: B: A\[\(i \+ 1\), j\] leaves A at some points; read it inside of te"):
        te.lower(te.create_schedule(b.op), [A, b])


def test_a_size_without_a_value_is_refused():
    b = te.placeholder((te.var("n"),), name="B")
    c = te.compute(b.shape, lambda i: b[i], name="C")
    with pytest.raises(InputError, match=r"te: size n has no value; give bind={'n': …} to build"):
        te.lower(te.create_schedule(c.op), [b, c])


def no_loop(b: Tensor) -> Tensor:
    return te.compute((12,), lambda i: b[0, 0] + A[i, i], name="C")


def half(b: Tensor) -> Tensor:
    return te.compute((6, 12), lambda i, j: b[i + 6, j], name="C")


def backwards(b: Tensor) -> Tensor:
    return te.compute((12, 12), lambda i, j: b[11 - i, j], name="C")


def mirrored(b: Tensor) -> Tensor:
    return te.compute((12, 12), lambda i, j: b[i, 11 - j], name="C")


def with_the_left(b: Tensor) -> Tensor:
    return te.compute((12, 12), lambda i, j: b[i, j] + te.if_then_else(j > 0, b[i, j - 1], 0.0), name="C")


@pytest.mark.parametrize(
    ("reader", "inner", "split", "message"),
    [
        (no_loop, False, False, "loop i moves no axis of it, or several, or unevenly; name an outer loop"),
        (backwards, False, False, "loop i moves no axis of it, or several, or unevenly; name an outer loop"),
        (half, False, False, "its tiles are 1 of axis i, which is split itself or has not 6 of them"),
        (mirrored, False, True, "its tiles are 1 of axis i, which is split itself or has not 12 of them"),
        (with_the_left, True, False, "its tiles overlap, which they can along one loop only; name the outermost loop"),
    ],
)
def test_tiles_that_directives_cannot_say_are_refused(
    reader: Callable[[Tensor], Tensor], inner: bool, split: bool, message: str
):
    b = te.compute((12, 12), lambda i, j: A[i, j] + 1.0, name="B")
    c = reader(b)
    s = te.create_schedule(c.op)
    s[b].compute_at(s[c], c.op.axis[int(inner)])
    if split:
        s[b].split(b.op.axis[0], factor=4)
    with pytest.raises(InputError, match=f"te: B: compute_at inside of C: {message}"):
        te.lower(s, [A, c])


def test_a_stage_that_does_not_read_a_tensor_is_no_place_to_compute_it_at():
    b = te.compute((12, 12), lambda i, j: A[i, j] + 1.0, name="B")
    c = te.compute((12, 12), lambda i, j: A[i, j] + 2.0, name="C")
    d = te.compute((12, 12), lambda i, j: b[i, j] + c[i, j], name="D")
    s = te.create_schedule(d.op)
    s[b].compute_at(s[c], c.op.axis[0])
    with pytest.raises(
        InputError, match=r"te: B: compute_at inside of C: that does not read it; name a stage that does"
    ):
        te.lower(s, [A, d])


def test_a_truth_value_before_the_function_runs_is_refused():
    with pytest.raises(InputError, match=r"has a value in the compiled function only; use te.if_then_else"):
        te.compute((4,), lambda i: A[i, 0] if i < 2 else A[0, i], name="B")


@pytest.mark.parametrize(("dtype", "number"), [("int8", 300), ("uint8", -1)])
def test_a_number_that_the_type_does_not_hold_is_refused(dtype: str, number: float):
    with pytest.raises(InputError, match=f"{number}: is no {dtype}; convert the other operand with astype"):
        _ = te.placeholder((4,), dtype, name="B")[0] + number


def test_an_array_of_another_type_is_refused():
    b = te.compute((12, 12), lambda i, j: A[i, j] + 1.0, name="B")
    function = te.build(te.create_schedule(b.op), [A, b], name="f")
    with pytest.raises(InputError, match=r"f: A: float64\[12, 12\] given, float32\[12, 12\] wanted; convert it"):
        function(np.zeros((12, 12)), np.zeros((12, 12), np.float32))


@pytest.mark.parametrize("size", [0, -1, 2.5, "x"])
def test_a_size_that_is_none_is_refused(size: Any):
    n = te.var("n")
    b = te.placeholder((n,), name="B")
    c = te.compute((n,), lambda i: b[i] + 1.0, name="C")
    with pytest.raises(InputError, match=rf"te: size n = {size!r}: a dimension has one element or more"):
        te.lower(te.create_schedule(c.op), [b, c], bind={"n": size})


def test_a_loop_without_steps_is_refused():
    n = te.var("n")
    b = te.placeholder((8,), name="B")
    c = te.compute((n - 4,), lambda i: b[i] + 1.0, name="C")
    with pytest.raises(InputError, match=r"te: .*-2"):
        te.lower(te.create_schedule(c.op), [b, c], bind={"n": 2})


@pytest.mark.parametrize("what", ["split", "fuse"])
def test_a_loop_inside_of_which_a_stage_is_computed_is_not_replaced(what: str):
    b = te.compute((12, 12), lambda i, j: A[i, j] + 1.0, name="B")
    c = te.compute((12, 12), lambda i, j: b[i, j] * b[i, 0], name="C")
    schedule = te.create_schedule(c.op)
    i, j = schedule[c].op.axis
    schedule[b].compute_at(schedule[c], i)
    with pytest.raises(InputError, match=f"te: C: {what} of i.*: B is computed at i; call compute_at last"):
        schedule[c].split(i, 4) if what == "split" else schedule[c].fuse(i, j)
    schedule[b].compute_root()
    schedule[c].split(i, 4)


def test_groups_and_rolling_buffers_are_refused():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + 1.0, name="B")
    s = te.create_schedule(b.op)
    with pytest.raises(InputError, match="create_group: stages move one by one; use compute_at"):
        s.create_group(outputs=b, inputs=a)
    with pytest.raises(InputError, match="B: rolling_buffer: a tensor is computed whole or in tiles; use compute_at"):
        s[b].rolling_buffer()
