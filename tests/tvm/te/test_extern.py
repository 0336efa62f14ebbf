"""Functions outside of tensor expressions: packed functions of Python and functions of C between stages."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.tvm import te, tir
from s2s.tvm.runtime import register_func, remove_global_func
from s2s.tvm.te.buffers import Buffer, Call, Calls
from s2s.types.dtypes import Array

HALVE = "void halve(float *y, const float *x) { for (int i = 0; i < 20; ++i) { y[i] = 0.5f * x[i]; } }"
A = te.placeholder((4, 6), name="A")
B = te.placeholder((6, 5), name="B")


def product(a: Array, b: Array, c: Array) -> None:
    if a.max() > 100:
        raise ValueError("too large")
    c[:] = a @ b


def sums_and_maxima(c: Array, sums: Array, maxima: Array) -> None:
    sums[:], maxima[:] = c.sum(1), c.max(1)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    register_func("test.product", product)
    register_func("test.sums_and_maxima", sums_and_maxima)
    yield
    remove_global_func("test.product")
    remove_global_func("test.sums_and_maxima")


@pytest.fixture(scope="module")
def function() -> te.Function:
    """`((A + 1) @ B) / 2`, and of the product without the half the sum of each row added and its maximum."""
    more = te.compute((4, 6), lambda i, j: A[i, j] + 1.0, name="more")
    c = te.extern(
        (4, 5), [more, B], lambda ins, outs: te.call_packed("test.product", ins[0], ins[1], outs[0]), name="C"
    )
    half = te.extern(
        (4, 5), [c], lambda ins, outs: te.call_extern("int32", "halve", outs[0].data, ins[0].data, source=HALVE)
    )
    rows = te.extern(
        [(4,), (4,)], [c], lambda ins, outs: te.call_packed("test.sums_and_maxima", ins[0], *outs), name="rows"
    )
    d = te.compute((4, 5), lambda i, j: half[i, j] + rows[0][i], name="D")
    return te.build(te.create_schedule([d.op, rows[1].op]), [A, B, d, rows[1]], "c", "outside")


def test_functions_of_python_and_c_stand_between_kernels(function: te.Function):
    a, b = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((4, 6), (6, 5)))
    d, maxima = np.zeros((4, 5), np.float32), np.zeros(4, np.float32)
    function(a, b, d, maxima)
    c = (a + 1) @ b
    np.testing.assert_allclose(d, c / 2 + c.sum(1)[:, None], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(maxima, c.max(1))


def test_their_exceptions_come_through(function: te.Function):
    large, b = np.full((4, 6), 1000, np.float32), np.ones((6, 5), np.float32)
    with pytest.raises(ValueError, match="too large"):
        function(large, b, np.zeros((4, 5), np.float32), np.zeros(4, np.float32))


def outputs_first(ins: list[Buffer], outs: list[Buffer]) -> Call:
    return te.call_packed("f", outs[0], ins[0])


def inputs_first(ins: list[Buffer], outs: list[Buffer]) -> Call:
    return te.call_extern("int32", "f", ins[0], outs[0])


def with_a_number(ins: list[Buffer], outs: list[Buffer]) -> Call:
    return te.call_packed("f", ins[0], 3, outs[0])


def without_a_name(ins: list[Buffer], outs: list[Buffer]) -> Call:
    return te.call_extern("int32", "a b", *outs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (outputs_first, "te.extern C: f takes first inputs, then all outputs, then numbers, each in its order; put"),
        (inputs_first, "te.extern C: f takes first all outputs, then inputs"),
        (with_a_number, "put other arguments into it"),
        (without_a_name, "te.call_extern: 'a b' is no name of a C function; give an identifier"),
    ],
)
def test_calls_that_the_convention_cannot_make_are_refused(
    call: Callable[[list[Buffer], list[Buffer]], Call], message: str
):
    with pytest.raises(InputError, match=re.escape(message)):
        te.extern((4, 6), [A], call, name="C")


def test_types_that_inputs_do_not_tell_are_asked_for():
    other = te.placeholder((4,), "int8", name="other")
    with pytest.raises(InputError, match=r"te\.extern C: its inputs have 2 element types; give dtype"):
        te.extern((4, 6), [A, other], lambda ins, outs: te.call_packed("f", *ins, *outs), name="C")
    made = te.extern((4, 6), [], lambda ins, outs: te.call_packed("f", *outs), dtype="uint8")
    assert made.dtype == "uint8"


def test_the_loops_of_a_function_outside_cannot_be_scheduled():
    c = te.extern((4, 6), [A], lambda ins, outs: te.call_packed("f", ins[0], outs[0]), name="C")
    d = te.compute((4, 6), lambda i, j: c[i, j] * 2.0, name="D")
    s = te.create_schedule(d.op)
    with pytest.raises(InputError, match="te: C: compute_at: a function outside computes the whole tensor"):
        s[c].compute_at(s[d], d.op.axis[0])
    with pytest.raises(InputError, match="te: C: compute_inline: no formula without a reduction"):
        s[c].compute_inline()


def test_a_tensor_that_a_function_outside_reads_cannot_be_inlined():
    more = te.compute((4, 6), lambda i, j: A[i, j] + 1.0, name="more")
    c = te.extern((4, 6), [more], lambda ins, outs: te.call_packed("f", ins[0], outs[0]), name="C")
    s = te.create_schedule(c.op)
    s[more].compute_inline()
    with pytest.raises(InputError, match=r"te\.build f: more is inlined or no part of the schedule"):
        te.build(s, [A, c], "c", "f")


@pytest.mark.parametrize("turned", [False, True])
def test_numbers_follow_the_tensors_of_a_packed_function(turned: bool):
    from s2s.tvm.contrib import cblas

    a, b = te.placeholder((3, 4), name="A"), te.placeholder((5, 4) if turned else (4, 5), name="B")
    c = cblas.matmul(a, b, transb=turned)
    bias = te.var("bias", "float32")
    d = te.compute((3, 5), lambda i, j: c[i, j] + bias, name="D")
    function = te.build(te.create_schedule(d.op), [a, b, d, bias], "host", "f")
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = np.arange(20, dtype=np.float32).reshape((5, 4) if turned else (4, 5))
    z = np.zeros((3, 5), np.float32)
    function(x, y, z, 10.0)
    np.testing.assert_allclose(z, x @ (y.T if turned else y) + 10)
    assert "type_codes[4] = S2S_ARG_INT;" in "".join(
        function.artifact.tree().text(name) for name in function.artifact.tree().files if name.endswith(".c")
    )


def test_outputs_are_numbered_and_sizes_are_numbers_of_a_call():
    n = te.size_var("n")
    a = te.placeholder((n,), name="A")

    def call(ins: list[Buffer], outs: list[Buffer]) -> Calls:
        ib = tir.ir_builder.create()
        ib.emit(tir.call_packed("test.outside", ins[0].data, *(each.access_ptr("w") for each in outs), n))
        return ib.get()

    outputs: list[te.Tensor] = te.extern([(n,), (n,)], [a], call, name="two")
    assert [each.value_index for each in outputs] == [0, 1]
    seen: list[int] = []

    def outside(x: Array, y: Array, z: Array, count: int) -> None:
        seen.append(count)
        y[:], z[:] = x, 2 * x

    register_func("test.outside", outside)
    try:
        function = te.build(te.create_schedule([each.op for each in outputs]), [a, *outputs], bind={"n": 3})
        y, z = np.zeros(3, np.float32), np.zeros(3, np.float32)
        function(np.array([1, 2, 3], np.float32), y, z)
    finally:
        remove_global_func("test.outside")
    assert (y.tolist(), z.tolist(), set(seen)) == ([1, 2, 3], [2, 4, 6], {3})
