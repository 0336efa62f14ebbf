"""Nodes of expressions under the names of TVM's classes."""

import operator
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import autotvm, te, tir

A, B = te.placeholder((4,), name="A"), te.placeholder((4,), name="B")
FORMULAS: list[tuple[Any, Any]] = [
    (tir.Add, operator.add),
    (tir.Sub, operator.sub),
    (tir.Mul, operator.mul),
    (tir.Div, te.Expr.__truediv__),
    (tir.Min, te.min),
    (tir.Max, te.max),
    (tir.EQ, operator.eq),
    (tir.NE, operator.ne),
    (tir.LT, operator.lt),
    (tir.LE, operator.le),
    (tir.GT, operator.gt),
    (tir.GE, operator.ge),
]
OF_INTEGERS: list[tuple[Any, Any]] = [
    (tir.Div, te.truncdiv),
    (tir.Mod, te.truncmod),
    (tir.FloorDiv, te.floordiv),
    (tir.FloorMod, te.floormod),
]


@pytest.mark.parametrize(("kind", "formula"), FORMULAS)
def test_a_class_makes_what_the_operator_makes(kind: Any, formula: Any):
    a, b = tir.Var("a", "float32"), tir.Var("b", "float32")
    tvm.ir.assert_structural_equal(kind(a, b), formula(a, b))
    assert isinstance(kind(a, b), kind)
    assert not tvm.ir.structural_equal(kind(a, b), kind(b, a))
    assert sum(isinstance(kind(a, b), each) for each, _ in FORMULAS) == 1


@pytest.mark.parametrize(("kind", "formula"), OF_INTEGERS)
def test_integers_are_divided_as_the_class_says(kind: Any, formula: Any):
    a, b = tir.Var("a"), tir.Var("b")
    tvm.ir.assert_structural_equal(kind(a, b), formula(a, b))
    assert isinstance(formula(a, b), kind)


def test_conditions_and_conversions():
    a, b = tir.Var("a"), tir.Var("b")
    both = tir.And(a < b, tir.Or(a > 0, True))
    assert isinstance(both, tir.And)
    assert isinstance(both.b, tir.Or)
    assert isinstance(tir.Cast("float32", a), tir.Cast)
    assert tvm.ir.structural_equal(tir.Cast("float32", a), a.astype("float32"))
    for name in ("Let", "Not", "Ramp", "StringImm"):
        with pytest.raises(UnsupportedError, match=f"tir.{name}: is not offered; "):
            getattr(tir, name)(a)


def test_a_formula_of_nodes_computes():
    x = te.compute((4,), lambda i: tir.Select(tir.GT(A[i], B[i]), tir.Mul(A[i], 2.0), tir.Sub(A[i], B[i])), name="X")
    function = tvm.build(te.create_schedule(x.op), [A, B, x])
    a, b, y = np.array([1, -2, 3, 4], np.float32), np.array([0, 5, 3, 1], np.float32), np.zeros(4, np.float32)
    function(a, b, y)
    assert y.tolist() == np.where(a > b, 2 * a, a - b).tolist()


def test_operations_are_counted():
    k = te.reduce_axis((0, 8), name="k")
    x, w = te.placeholder((4, 8), name="x"), te.placeholder((8, 5), name="w")
    c = te.compute((4, 5), lambda i, j: te.sum(x[i, k] * w[k, j], axis=k), name="C")
    d = te.compute((4, 5), lambda i, j: te.max(c[i, j] + 1.0, 0.0), name="D")
    assert autotvm.task.compute_flop(te.create_schedule(d.op)) == 4 * 5 * 8 * 2 + 4 * 5 * 2
    copy = te.compute((4,), lambda i: A[3 - i], name="copy")
    outside = te.extern((4,), [A], lambda ins, outs: te.call_packed("f", ins[0], outs[0]), name="outside")
    for tensor, reason in ((copy, "the formulas have no operation"), (outside, "outside is no formula of one tensor")):
        with pytest.raises(autotvm.task.FlopCalculationError, match=f"compute_flop: {reason}"):
            autotvm.task.compute_flop(te.create_schedule(tensor.op))
