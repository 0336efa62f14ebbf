"""Expressions are written block by block, variables are bound, and texts are printed."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import relay

X = np.array([1, -2], np.float32)


def evaluated(function: relay.Function, *arrays: Any) -> Any:
    evaluate: Any = relay.create_executor("graph").evaluate(function)
    return evaluate(*arrays).numpy()


def test_blocks_name_values_and_choose():
    builder = relay.ScopeBuilder()
    cond, x = relay.var("cond", shape=(), dtype="bool"), relay.var("x", shape=(2,))
    with builder.if_scope(cond):
        one = builder.let("one", x + 1.0)
        two = builder.let(("two", relay.TensorType((2,), "float32")), one * 2.0)
        builder.ret(two)
    with builder.else_scope():
        builder.ret(x)
    function = relay.Function([cond, x], builder.get())
    assert str(builder.type_of(x)) == "Tensor[(2), float32]"
    for choice, wanted in ((True, (X + 1) * 2), (False, X)):
        np.testing.assert_array_equal(evaluated(function, np.array(choice), X), wanted)


def test_blocks_without_a_value_are_refused():
    x = relay.var("x", shape=(2,))
    with pytest.raises(RuntimeError, match="a block gives nothing"):
        relay.ScopeBuilder().get()
    builder = relay.ScopeBuilder()
    builder.ret(x)
    with pytest.raises(RuntimeError, match="has given its value; call ret once"):
        builder.ret(x)
    with pytest.raises(RuntimeError, match="without an if_scope before it"), relay.ScopeBuilder().else_scope():
        pass


def test_variables_are_bound():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    bound = relay.bind(relay.Function([x, y], x - y), {y: relay.const(X)})
    assert isinstance(bound, relay.Function)
    assert [each.name_hint for each in bound.params] == ["x"]
    np.testing.assert_array_equal(evaluated(bound, X), X - X)
    assert str(relay.bind(x + y, {x: y})) == str(y + y)


def test_parameters_of_a_function_are_bound_by_name():
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    bound = relay.build_module.bind_params_by_name(relay.Function([x, w], x * w), {"w": np.array([3, 4], np.float32)})
    assert isinstance(bound, relay.Function)
    assert [each.name_hint for each in bound.params] == ["x"]
    np.testing.assert_array_equal(evaluated(bound, X), X * np.array([3, 4], np.float32))


def test_texts_are_printed():
    x = relay.var("x", shape=(2,))
    mod = tvm.IRModule.from_expr(relay.exp(x))
    assert relay.astext(mod) == mod.astext()
    assert relay.pretty_print(mod) == mod.astext(show_meta_data=False)
    assert relay.param_dict.load_param_dict(relay.param_dict.save_param_dict({"x": X}))["x"].tolist() == [1, -2]
