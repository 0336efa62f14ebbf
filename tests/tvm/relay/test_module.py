"""Modules made of expressions."""

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import IRModule, bind_params_by_name


def scaled() -> IRModule:
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(3,))
    return IRModule.from_expr(relay.Function([x, w], x * w + 1.0))


def test_free_variables_become_parameters_in_the_order_they_are_read():
    b, a = relay.var("b", shape=(1,)), relay.var("a", shape=(1,))
    y = (a + b) * a
    assert relay.analysis.free_vars(y) == [a, b]
    assert [each.name_hint for each in IRModule.from_expr(y)["main"].params] == ["a", "b"]


def test_parameters_are_bound_by_name():
    mod = bind_params_by_name(scaled(), {"w": np.full(3, 2, np.float32)})
    assert "graph.weight" in str(mod.module)
    [y] = run_graph(mod.module, [np.ones((2, 3), np.float32)], mod.weights)
    np.testing.assert_array_equal(y, np.full((2, 3), 3))


def test_a_parameter_of_another_type_is_refused():
    with pytest.raises(InputError, match=r"parameter 'w': params hold tensor<4xf32>, the network wants tensor<3xf32>"):
        bind_params_by_name(scaled(), {"w": np.ones(4, np.float32)})


def test_constants_are_folded_and_become_weights():
    x = relay.var("x", shape=(2, 3))
    mod = IRModule.from_expr(x + relay.transpose(relay.const(np.ones((3, 2), np.float32))))
    assert "graph.transpose" not in str(mod.module)
    assert [value.shape for value in mod.params.values()] == [(2, 3)]


def test_several_outputs():
    x = relay.var("x", shape=(4, 2))
    mod = IRModule.from_expr(relay.split(x, 2).astuple())
    low, high = run_graph(mod.module, [np.arange(8, dtype=np.float32).reshape(4, 2)], mod.weights)
    assert (low[0, 0], high[0, 0]) == (0, 4)


def test_a_variable_that_is_no_parameter_is_refused():
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    with pytest.raises(InputError, match=r"relay.Function: w is read, and no parameter; add it to params"):
        IRModule.from_expr(relay.Function([x], x + w)).module.verify()


def test_a_function_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"mod\['other'\]: the module has main; ask for one of these"):
        scaled()["other"]
