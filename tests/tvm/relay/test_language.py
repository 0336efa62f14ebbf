"""Expressions of relay as a language: what they are made of, functions and names of values, visitors, user's passes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Call, Constant, Expr, ExprMutator, ExprVisitor, Function, GlobalVar, IRModule, Let, Var
from s2s.types.dtypes import Array

A = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def x() -> Var:
    return relay.var("x", shape=(2, 3))


def run(mod: IRModule, *arrays: Array) -> list[Array]:
    mod.module.verify()
    return run_graph(mod.module, list(arrays), mod.weights)


def value(expr: Expr) -> Array:
    return run(IRModule.from_expr(expr), A)[0]


def test_a_call_tells_its_operator_its_arguments_and_attributes():
    data, weight = relay.var("d", relay.TensorType((1, 3, 8, 8), "float32")), relay.var("w")
    call: Any = relay.nn.conv2d(data, weight, channels=4, kernel_size=3, padding=(1, 1))
    assert (call.op.name, call.args) == ("nn.conv2d", [data, weight])
    assert (call.attrs.channels, call.attrs["padding"], call.attrs.groups) == (4, (1, 1), 1)
    assert weight.checked_type == relay.TensorType((4, 3, 3, 3))
    assert call.checked_type == relay.TensorType((1, 4, 8, 8), "float32")


def test_a_number_is_a_constant_argument():
    call: Any = x() + 2.0
    assert (call.op.name, call.args[1].data.numpy().item()) == ("add", 2.0)


def test_operators_of_several_results_are_tuples():
    parts = relay.split(x(), 3, axis=1)
    assert (
        str(parts.astuple().checked_type)
        == ", ".join(["(Tensor[(2, 1), float32]", *["Tensor[(2, 1), float32]"] * 2]) + ")"
    )
    item: Any = parts[1]
    assert (type(item), item.tuple_value.op.name, item.index) == (relay.TupleGetItem, "split", 1)
    np.testing.assert_allclose(value(item), A[:, 1:2], rtol=1e-6)


def test_a_call_of_a_function_is_its_body():
    p = relay.var("p", shape=(2, 3))
    double = Function([p], p + p)
    data = x()
    assert str(double.checked_type) == "fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]"
    np.testing.assert_allclose(value(Call(double, [relay.exp(data)]) + double(data)), 2 * np.exp(A) + 2 * A, rtol=1e-6)


def test_let_names_a_value():
    v = relay.var("v", shape=(2, 3))
    np.testing.assert_allclose(value(Let(v, relay.abs(x()), v * v)), A * A, rtol=1e-6)
    with pytest.raises(InputError, match="v has a value already"):
        Let(v, relay.abs(x()), v)


@pytest.mark.parametrize("condition", [True, False])
def test_if_takes_a_branch(condition: bool):
    data = x()
    chosen = relay.If(relay.const(condition), relay.Tuple([data, data]), relay.Tuple([-data, data]))
    result = run(IRModule.from_expr(chosen), A)
    np.testing.assert_allclose(result, [A if condition else -A, A], rtol=1e-6)


def test_a_module_has_functions_by_name():
    inner, p, q = GlobalVar("inner"), relay.var("p", shape=(2, 3)), x()
    mod = IRModule({inner: Function([p], relay.exp(p))})
    mod["main"] = Function([q], inner(q))
    assert [each.name_hint for each in mod.get_global_vars()] == ["inner", "main"]
    np.testing.assert_allclose(run(mod, A)[0], np.exp(A), rtol=1e-6)
    mod.update(IRModule({GlobalVar("inner"): Function([p], -p)}))
    np.testing.assert_allclose(run(mod, A)[0], -A, rtol=1e-6)
    assert ("main" in mod, "other" in mod) == (True, False)


def test_a_network_at_graph_level_is_read_back():
    mod = IRModule.from_expr(relay.nn.relu(x()) + relay.const(np.arange(3, dtype=np.float32)))
    read = IRModule.of(mod.module, mod.weights)
    body: Any = read["main"].body
    assert (body.op.name, body.args[0].op.name, [each.name_hint for each in read["main"].params]) == (
        "add",
        "nn.relu",
        ["x"],
    )
    read["main"] = Function(read["main"].params, -body)
    np.testing.assert_allclose(run(read, A)[0], -(np.maximum(A, 0) + np.arange(3)), rtol=1e-6)


def test_a_visitor_sees_each_expression_once():
    names: list[str] = []

    class Names(ExprVisitor):
        def visit_call(self, call: Call) -> Any:
            super().visit_call(call)
            names.append(str(getattr(call.op, "name", "")))

    e = relay.exp(x())
    Names().visit(Function(relay.analysis.free_vars(e), e * e + relay.nn.relu(e)))
    assert names == ["exp", "multiply", "nn.relu", "add"]


def test_expressions_are_visited_arguments_first():
    order: list[Expr] = []
    e = relay.abs(x())
    relay.analysis.post_order_visit(e + e, order.append)
    assert [each.name_hint for each in order if not isinstance(each, Call)] == ["add", "abs", "x"]
    assert order.index(e) == len(order) - 2


class Negated(ExprMutator):
    """The negative of each call of exp."""

    def visit_call(self, call: Call) -> Expr:
        again = super().visit_call(call)
        return -again if call.op.name_hint == "exp" else again


def test_a_mutator_changes_what_its_methods_change():
    data, v = x(), relay.var("v", shape=(2, 3))
    same = data + relay.const(1.0)
    mutated = Negated().visit(Let(v, relay.exp(data), relay.Tuple([v, same])))
    assert relay.Tuple(mutated.value_of.fields).fields[1] is same
    np.testing.assert_allclose(run(IRModule.from_expr(mutated), A), [-np.exp(A), A + 1], rtol=1e-6)


def test_a_functor_without_a_method_is_refused():
    with pytest.raises(InputError, match="there is no visit_call; add it"):
        relay.ExprFunctor().visit(relay.exp(x()))


@tvm.transform.module_pass(opt_level=1)
def with_inner(mod: IRModule, _: object) -> IRModule:
    more = mod.clone()
    more[GlobalVar("inner")] = Function([], relay.const(1.0))
    return more


@relay.transform.function_pass(opt_level=2, name="negated")
class NegatedPass:
    """Negates exponentials in each function."""

    def __init__(self, times: int) -> None:
        self.times = times

    def transform_function(self, func: Function, mod: IRModule, ctx: object) -> Function:
        for _ in range(self.times):
            func = Negated().visit(func)
        return func


def test_passes_of_users_run_on_modules():
    mod = IRModule.from_expr(relay.exp(x()))
    negated: Any = NegatedPass(3)
    assert (negated.info.name, negated.info.opt_level, negated.times) == ("negated", 2, 3)
    changed = tvm.transform.Sequential([with_inner, negated])(mod)
    assert "inner" in changed
    assert "inner" not in mod
    np.testing.assert_allclose(run(changed, A)[0], -np.exp(A), rtol=1e-6)


def test_the_context_leaves_passes_of_users_out():
    mod = IRModule.from_expr(relay.exp(x()))
    with tvm.transform.PassContext(opt_level=1):
        np.testing.assert_allclose(run(tvm.transform.Sequential([NegatedPass(1)])(mod), A)[0], np.exp(A), rtol=1e-6)


def test_a_pass_that_there_is_not_is_refused_with_the_reason():
    with pytest.raises(UnsupportedError, match=r"relay.transform.gradient: .*; networks have no gradients here"):
        getattr(relay.transform, "gradient".lower())(x())


def equal(first: Expr, second: Expr, *, maps: bool = False) -> Sequence[bool]:
    is_equal = tvm.ir.structural_equal(first, second, maps)
    hashes = [tvm.ir.structural_hash(each, maps) for each in (first, second)]
    return [is_equal, hashes[0] == hashes[1]]


def test_equality_is_up_to_names_of_bound_variables():
    p, q = relay.var("p", shape=(2, 3)), relay.var("q", shape=(2, 3))
    assert equal(Function([p], p + 1.0), Function([q], q + 1.0)) == [True, True]
    assert equal(p + 1.0, q + 1.0) == [False, False]
    assert equal(p + 1.0, q + 1.0, maps=True) == [True, True]
    assert equal(Function([p], p + 1.0), Function([q], q + 2.0)) == [False, False]
    assert equal(Constant(A), Constant(A.copy())) == [True, True]


def test_types_of_polymorphic_functions_are_refused():
    with pytest.raises(UnsupportedError, match=r"relay.TypeVar t: functions are not polymorphic"):
        relay.TypeVar("t")


def test_an_operator_tells_an_incomplete_type():
    alpha = relay.var("alpha", relay.IncompleteType())
    assert str(relay.nn.prelu(relay.var("x", shape=(1, 3, 4)), alpha).checked_type) == "Tensor[(1, 3, 4), float32]"
    assert str(alpha.checked_type) == "Tensor[(3), float32]"
