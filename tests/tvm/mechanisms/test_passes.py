"""Passes, contexts and instruments as TVM 0.12 documents them."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.relay import transform


def calls(mod: tvm.IRModule) -> list[str]:
    """The operators of a module in the order of their use."""
    found: list[str] = []

    def visit(node: Any) -> None:
        if isinstance(node, relay.Call):
            operator: Any = node.op
            found.append(operator.name)

    relay.analysis.post_order_visit(mod["main"], visit)
    return found


def module(body: Any) -> tvm.IRModule:
    return tvm.IRModule.from_expr(body)


X = relay.var("x", shape=(1, 4))


def test_a_context_has_levels_and_lists():
    context = tvm.transform.PassContext(opt_level=2, required_pass=["FoldConstant"], disabled_pass=["FoldScaleAxis"])
    with context:
        assert tvm.transform.PassContext.current() is context
    assert (context.opt_level, *context.required_pass, *context.disabled_pass) == (2, "FoldConstant", "FoldScaleAxis")


def test_a_context_leaves_out_and_requires():
    ran: list[str] = []

    @tvm.transform.module_pass(opt_level=3, name="mine")
    def mine(mod: Any, _ctx: Any) -> Any:
        ran.append("mine")
        return mod

    for keywords in ({"opt_level": 2}, {"opt_level": 3, "disabled_pass": ["mine"]}):
        with tvm.transform.PassContext(**keywords):  # pyright: ignore[reportArgumentType]
            tvm.transform.Sequential([mine])(module(relay.exp(X)))
    assert ran == []
    with tvm.transform.PassContext(opt_level=0, required_pass=["mine"]):
        tvm.transform.Sequential([mine])(module(relay.exp(X)))
    assert ran == ["mine"]


def test_keys_of_the_configuration_are_listed():
    listed = tvm.transform.PassContext.list_configs()
    assert "relay.FuseOps.max_depth" in listed
    with pytest.raises(tvm.TVMError), tvm.transform.PassContext(config={"no.such.key": 1}):
        pass


def test_passes_run_one_after_the_other():
    ones = relay.const(np.ones(4, np.float32))
    mod = module(relay.exp(X + (ones + ones)))
    both = tvm.transform.Sequential([transform.InferType(), transform.FoldConstant()])
    with tvm.transform.PassContext(opt_level=3):
        folded = both(mod)
    assert calls(mod) == ["add", "add", "exp"]
    assert calls(folded) == ["add", "exp"]


def test_constants_are_folded():
    mod = module(X * (relay.const(2.0) * relay.const(3.0)))
    assert calls(transform.FoldConstant()(mod)) == ["multiply"]


def test_common_subexpressions_are_one():
    x = relay.var("x", shape=(1, 4))
    mod = module(relay.exp(x) + relay.exp(x))
    assert calls(transform.EliminateCommonSubexpr()(mod)) == ["exp", "add"]


def test_unused_values_are_dropped():
    x, unused = relay.var("x", shape=(1, 4)), relay.var("unused", shape=(1, 4))
    mod = module(relay.Let(unused, relay.exp(x), relay.tanh(x)))
    assert calls(transform.DeadCodeElimination()(mod)) == ["tanh"]


def test_a_factor_moves_into_the_weights():
    x = relay.var("x", shape=(1, 3, 8, 8))
    weight = relay.const(np.ones((4, 3, 3, 3), np.float32))
    scale = relay.const(np.array([1, 2, 3, 4], np.float32).reshape(4, 1, 1))
    mod = module(relay.nn.conv2d(x, weight, channels=4, kernel_size=(3, 3)) * scale)
    folded = tvm.transform.Sequential([transform.FoldScaleAxis(), transform.FoldConstant()])(mod)
    assert calls(folded) == ["nn.conv2d"]


def test_parallel_convolutions_become_one():
    x = relay.var("x", shape=(1, 3, 8, 8))
    weights = [relay.const(np.full((4, 3, 3, 3), n, np.float32)) for n in range(3)]
    mod = module(relay.Tuple([relay.nn.conv2d(x, w, channels=4, kernel_size=(3, 3)) for w in weights]))
    assert calls(transform.CombineParallelConv2D(min_num_branches=3)(mod)).count("nn.conv2d") == 1
    assert calls(transform.CombineParallelConv2D(min_num_branches=4)(mod)).count("nn.conv2d") == 3


def test_parallel_dense_layers_become_one():
    x = relay.var("x", shape=(2, 8))
    weights = [relay.const(np.full((4, 8), n, np.float32)) for n in range(3)]
    mod = module(relay.Tuple([relay.nn.dense(x, w) for w in weights]))
    combined = transform.CombineParallelDense(min_num_branches=3)(mod)
    assert sum("dense" in each or "matmul" in each for each in calls(combined)) == 1


def test_expressions_are_simplified():
    x = relay.var("x", shape=(1, 4))
    mod = module(relay.reshape(relay.reshape(x, (4, 1)), (2, 2)))
    assert calls(transform.SimplifyExpr()(mod)) == ["reshape"]


def test_an_instrument_sees_each_pass():
    seen: list[str] = []

    @tvm.instrument.pass_instrument
    class Noting:
        def enter_pass_ctx(self) -> None:
            seen.append("enter")

        def exit_pass_ctx(self) -> None:
            seen.append("exit")

        def should_run(self, _mod: Any, info: Any) -> bool:
            return str(info.name) != "InferType"

        def run_before_pass(self, _mod: Any, info: Any) -> None:
            seen.append(f"before {info.name}")

        def run_after_pass(self, _mod: Any, info: Any) -> None:
            seen.append(f"after {info.name}")

    noting: Any = Noting()
    with tvm.transform.PassContext(opt_level=3, instruments=[noting]):
        transform.FoldConstant()(transform.InferType()(module(relay.exp(X))))
    assert seen == ["enter", "before FoldConstant", "after FoldConstant", "exit"]


def test_passes_are_timed():
    timing = tvm.instrument.PassTimingInstrument()
    with tvm.transform.PassContext(instruments=[timing]):
        transform.FoldConstant()(module(relay.exp(X)))
        assert "FoldConstant" in timing.render()


def test_functions_that_nothing_calls_are_removed():
    x = relay.var("x", shape=(2,))
    mod = tvm.IRModule({"twice": relay.Function([x], x + x), "unused": relay.Function([x], relay.exp(x))})
    y = relay.var("y", shape=(2,))
    mod["main"] = relay.Function([y], relay.Call(mod.get_global_var("twice"), [y]))
    left = transform.RemoveUnusedFunctions()(mod)
    assert sorted(each.name_hint for each in left.functions) == ["main", "twice"]
    assert sorted(each.name_hint for each in transform.RemoveUnusedFunctions(["unused"])(mod).functions) == ["unused"]
    with pytest.raises(tvm.TVMError):
        transform.RemoveUnusedFunctions(["none"])(mod)
