"""Questions about expressions, types, and passes of relay: what TVM's own tests ask of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, Function, IRModule, analysis, testing, transform


def x(name: str = "x") -> relay.Var:
    return relay.var(name, shape=(2, 3))


def test_variables_are_listed_in_the_order_of_their_use():
    a, b, c, name = x("a"), x("b"), x("c"), x("name")
    body = relay.Let(name, b + c, name + a)
    function = Function([b], body)
    assert analysis.all_vars(function) == [b, name, c, a]
    assert (set(analysis.bound_vars(function)), analysis.free_vars(function)) == ({b, name}, [c, a])
    assert analysis.post_order(body)[-1] is body


def test_constants_are_arrays_and_tuples_of_arrays():
    one = relay.const(1.0)
    assert analysis.check_constant(one)
    assert analysis.check_constant(relay.Tuple([one, relay.Tuple([one])]))
    assert not analysis.check_constant(one + relay.const(2.0))
    assert not analysis.check_constant(relay.Tuple([one, x()]))


def _twice_bound() -> Expr:
    a = x()
    return relay.Tuple([Function([a], a), Function([a], relay.exp(a))])


def _read_outside() -> Expr:
    name = x("name")
    return relay.Tuple([relay.Let(name, x(), name), name])


def _read_before() -> Expr:
    a = x()
    return relay.Tuple([relay.exp(a), Function([a], a)])


def _right() -> Expr:
    a, name = x(), x("name")
    return Function([a], relay.Let(name, relay.exp(a), relay.Tuple([name, name + x("free")])))


@pytest.mark.parametrize(
    ("made", "expected"),
    [(x, True), (_right, True), (_twice_bound, False), (_read_outside, False), (_read_before, False)],
)
def test_a_variable_is_bound_once_and_read_in_its_scope(made: Callable[[], Expr], expected: bool):
    assert analysis.well_formed(made()) is expected


def test_operators_and_layers_are_counted():
    a = x()
    deep = relay.nn.relu(relay.exp(relay.exp(a)))
    mod = IRModule.from_expr(relay.add(deep, relay.exp(a)))
    expected = {"nn.relu": 1, "exp": 3, "add": 1}
    assert dict(analysis.list_op_freqs(mod)) == dict(testing.count_ops(mod["main"])) == expected
    assert analysis.count_layers(mod, ["exp"]) == 2
    assert analysis.count_layers(mod, ["exp", "nn.relu", "add"]) == 4
    with pytest.raises(UnsupportedError, match="fake quantisation is no pass here"):
        analysis.list_fake_quantized_op_freqs(mod)


def test_types_tell_what_they_are_of():
    scalar = relay.scalar_type("int8")
    assert (scalar.shape, scalar.dtype, scalar) == ((), "int8", relay.TensorType((), "int8"))
    pair = relay.TupleType([scalar, relay.TensorType((2,))])
    assert (len(pair.fields), str(pair)) == (2, "(int8, Tensor[(2), float32])")
    function = relay.FuncType([pair], scalar)
    assert (function.arg_types, function.ret_type) == ((pair,), scalar)
    assert Function([x()], relay.exp(x("y"))).checked_type == relay.FuncType(
        [relay.TensorType((2, 3))], relay.TensorType((2, 3))
    )
    assert all(isinstance(each, relay.Type) for each in (scalar, pair, function))
    assert (tvm.ir.TupleType, tvm.ir.FuncType, tvm.ir.Type) == (relay.TupleType, relay.FuncType, relay.Type)


def test_a_tuple_of_results_is_unpacked():
    parts = relay.TupleWrapper(relay.split(x(), 3, 1).astuple(), 3)
    assert [each.checked_type for each in parts] == [relay.TensorType((2, 1))] * 3
    call: Any = parts.astuple()
    assert call.op.name == "split"


def test_an_expression_is_read_from_its_text():
    parsed: Any = relay.parse_expr("add(1f, 2f)")
    assert (parsed.op.name, [each.data.numpy().item() for each in parsed.args]) == ("add", [1, 2])


def test_types_and_passes_of_an_expression():
    a = x()
    typed: Any = testing.run_infer_type(relay.exp(a))
    assert (typed.op.name, typed.checked_type) == ("exp", relay.TensorType((2, 3)))
    folded = testing.run_opt_pass(a + (relay.const(1.0) + relay.const(2.0)), transform.FoldConstant())
    assert "add" in str(tvm.IRModule.from_expr(folded))
    with pytest.raises(UnsupportedError, match="networks have no gradients here"):
        testing.check_grad(relay.exp(a))


def _branches(layer: Callable[[Expr, Expr], Expr], shape: tuple[int, ...]) -> tuple[IRModule, Any]:
    """Three layers of one input by other weights."""
    rng = np.random.default_rng(0)
    weights = [relay.const(rng.standard_normal(shape).astype(np.float32)) for _ in range(3)]
    data = relay.var("data", shape=(1, 4, 5, 5) if len(shape) == 4 else (2, 4, 3))
    mod = IRModule.from_expr(relay.Tuple([layer(data, each) for each in weights]))
    return mod, rng.standard_normal(data.shape).astype(np.float32)


@pytest.mark.parametrize(
    ("layer", "combine", "shape"),
    [
        (relay.nn.conv2d, transform.CombineParallelConv2D, (3, 4, 3, 3)),
        (relay.nn.batch_matmul, transform.CombineParallelBatchMatmul, (2, 5, 3)),
    ],
)
def test_layers_of_one_input_become_one(layer: Any, combine: Any, shape: tuple[int, ...]):
    mod, data = _branches(layer, shape)
    made = combine(min_num_branches=3)(mod)
    assert isinstance(combine(), transform.Pass)
    assert str(combine(min_num_branches=4)(mod).module) != str(made.module)
    for before, after in zip(
        run_graph(mod.module, [data], mod.weights), run_graph(made.module, [data], made.weights), strict=True
    ):
        np.testing.assert_allclose(before, after, rtol=1e-5, atol=1e-5)


def test_passes_of_programs_have_their_kinds():
    def same(mod: IRModule, _: object) -> IRModule:
        return mod

    def kept(function: Function, *_: object) -> Function:
        return function

    by_module = transform.module_pass(same, opt_level=1, name="same")
    by_function = transform.function_pass(kept, opt_level=2, name="kept")
    assert (type(by_module), type(by_function)) == (transform.ModulePass, transform.FunctionPass)
    assert (tvm.transform.ModulePass, tvm.transform.FunctionPass) == (transform.ModulePass, transform.FunctionPass)
    assert issubclass(transform.ModulePass, tvm.transform.Pass)
    assert (by_function.info.opt_level, by_function.info.name, list(by_function.info.required)) == (2, "kept", [])
    assert tvm.transform.PassInfo(2, "kept") == by_function.info


def test_objects_are_compared_by_structure():
    a, b = x("a"), x("b")
    tvm.ir.assert_structural_equal(Function([a], relay.exp(a)), Function([b], relay.exp(b)))
    with pytest.raises(ValueError, match="they differ"):
        tvm.ir.assert_structural_equal(Function([a], relay.exp(a)), Function([b], relay.log(b)))


class _Names(relay.ExprFunctor):
    def visit_var(self, var: relay.Var) -> str:
        return var.name_hint

    def visit_call(self, call: Any) -> str:
        return f"{call.op.name}({', '.join(map(self.visit, call.args))})"


def test_types_and_multiply_adds_of_a_network_are_counted():
    x, w = relay.var("x", shape=(1, 8, 6, 6)), relay.var("w")
    conv = relay.nn.conv2d(x, w, channels=4, kernel_size=(3, 3), groups=2)
    net = relay.nn.dense(relay.nn.batch_flatten(conv), relay.var("v"), units=5)
    assert relay.analysis.get_total_mac_number(net) == 4 * 4 * 4 * 9 * 4 + 64 * 5
    assert relay.analysis.all_dtypes(relay.cast(net, "int8")) == {"float32", "int8"}
    for of_types in (
        relay.analysis.all_type_vars,
        relay.analysis.free_type_vars,
        relay.analysis.bound_type_vars,
    ):
        assert of_types(net) == []


def test_a_functor_has_a_method_for_each_class():
    a = relay.Var("a", relay.TensorType((2, 3)))
    assert (a.name_hint, a.type_annotation) == ("a", relay.TensorType((2, 3)))
    assert _Names().visit(relay.exp(a) + a) == "add(exp(a), a)"
    with pytest.raises(InputError, match="there is no visit_var; add it"):
        relay.ExprFunctor().visit(a)


def test_nodes_of_other_kinds_are_refused():
    attributes = tvm.ir.make_node("DictAttrs", axis=1, name="y")
    assert isinstance(attributes, tvm.ir.Attrs)
    assert (attributes.axis, attributes["name"], tvm.ir.Op.get("nn.relu").name) == (1, "y", "nn.relu")
    for refused in (lambda: tvm.ir.make_node("IntImm"), lambda: tvm.ir.save_json(x()), lambda: tvm.ir.load_json("{}")):
        with pytest.raises(UnsupportedError, match=r"tvm\.ir\.(make_node|save_json|load_json)"):
            refused()
