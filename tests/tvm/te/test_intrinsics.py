"""Intrinsics, functions of C and variables that are arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import te
from s2s.types.dtypes import Array

X = np.linspace(0.1, 2, 8).astype(np.float32)


def evaluated(b: te.Tensor, arguments: list[te.Tensor | te.Expr], *values: float) -> Array:
    y = np.zeros_like(X)
    tvm.build(te.create_schedule(b.op), arguments, "llvm", name="f")(X, y, *values)
    return y


def logarithm(op: Any) -> te.Expr:
    return te.log(op.args[0])


def test_a_rule_of_the_program_lowers_its_intrinsic():
    tvm.ir.register_op_attr("tir.mylog", "TCallEffectKind", tvm.tir.CallEffectKind.Pure)
    tvm.ir.register_intrin_lowering("tir.mylog", target="default", f=logarithm, override=True)
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: tvm.tir.call_intrin("float32", "tir.mylog", a[i]), name="B")
    np.testing.assert_allclose(evaluated(b, [a, b]), np.log(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call", [tvm.tir.call_pure_extern, tvm.tir.call_extern])
def test_functions_of_mathematics_are_called_by_their_name_in_c(call: Callable[..., te.Expr]):
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: call("float32", "tanhf", a[i]), name="B")
    np.testing.assert_allclose(evaluated(b, [a, b]), np.tanh(X), rtol=1e-5)


def small_logarithm(x: Any) -> te.Expr:
    return tvm.tir.log1p(x * 1e-9)


def large_hypotenuse(x: Any) -> te.Expr:
    return tvm.tir.hypot(x * 1e30, x * 2e30)


def no_hypotenuse(x: Any) -> te.Expr:
    return tvm.tir.hypot(x - x, x - x)


def rest(x: Any) -> te.Expr:
    return tvm.tir.fmod(x * 5 - 4, 1.5)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tvm.tir.tan, np.tan(X)),
        (tvm.tir.sinh, np.sinh(X)),
        (tvm.tir.cosh, np.cosh(X)),
        (tvm.tir.atan, np.arctan(X)),
        (tvm.tir.asinh, np.arcsinh(X)),
        (tvm.tir.exp2, np.exp2(X)),
        (tvm.tir.exp10, np.power(np.float32(10), X)),
        (tvm.tir.log1p, np.log1p(X)),
        (small_logarithm, np.log1p(X * np.float32(1e-9))),
        (large_hypotenuse, X * np.float32(np.sqrt(5) * 1e30)),
        (no_hypotenuse, np.zeros_like(X)),
        (rest, np.fmod(X * 5 - 4, np.float32(1.5))),
    ],
    ids=["tan", "sinh", "cosh", "atan", "asinh", "exp2", "exp10", "log1p", "small", "large", "zero", "fmod"],
)
def test_functions_of_floats(function: Callable[[Any], te.Expr], expected: Array):
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: function(a[i]), name="B")
    np.testing.assert_allclose(evaluated(b, [a, b]), expected, rtol=2e-5)


def test_functions_without_a_form_are_refused():
    leading: Any = getattr(tvm.tir, "clz")  # noqa: B009
    with pytest.raises(UnsupportedError, match=r"tir.clz: is not offered; formulas have no form for it"):
        leading(te.placeholder((8,), name="A")[0])


def test_other_functions_are_refused_when_the_function_is_built():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: tvm.tir.call_pure_extern("float32", "__expf", a[i]), name="B")
    with pytest.raises(InputError, match=r"__expf is no function that the compiler knows; use te.extern for functions"):
        tvm.build(te.create_schedule(b.op), [a, b], "llvm")


def test_variables_are_arguments():
    a, bias, times = te.placeholder((8,), name="A"), te.var("bias", "float32"), te.var("times")
    b = te.compute((8,), lambda i: a[i] * times.astype("float32") + bias, name="B")
    np.testing.assert_allclose(evaluated(b, [a, b, bias, times], 0.5, 3), X * 3 + 0.5, rtol=1e-6)


def test_a_size_may_be_an_argument():
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1, name="B")
    y = np.zeros_like(X)
    function = tvm.build(te.create_schedule(b.op), [n, a, b], "llvm", name="f")
    function(8, X, y)
    np.testing.assert_array_equal(y, X + 1)
    with pytest.raises(InputError, match="f: A: n is 8 here and 7 elsewhere"):
        function(7, X, y)


Directive = Callable[[te.Stage, te.IterVar], None]
REFUSED: dict[str, Directive] = {
    "threads of graphics processors; use": lambda stage, i: stage.bind(i, te.thread_axis("threadIdx.x")),
    "is not known; say it by unroll": lambda stage, i: stage.pragma(i, "pragma1"),
    "a tensor has one buffer; use prefetch": lambda stage, i: stage.double_buffer(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_directives_for_other_machines_are_refused(message: str):
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + 1, name="B")
    with pytest.raises(InputError, match=message):
        REFUSED[message](te.create_schedule(b.op)[b], b.op.axis[0])
