"""Patterns of expressions: what they match, what is put in the place of matches, and that the numbers stay."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.relay import dataflow_pattern as dp
from s2s.types.dtypes import Array

X, Y, B = (relay.var(name, shape=(4, 4)) for name in ("x", "y", "b"))


def run(body: relay.Expr) -> Array:
    """The result of an expression of X, Y and B on numbers of a fixed seed."""
    random = np.random.default_rng(1)
    values = {each: random.random((4, 4)).astype(np.float32) for each in ("x", "y", "b")}
    function = relay.Function(relay.analysis.free_vars(body), body)
    module = tvm.contrib.graph_executor.GraphModule(relay.build(tvm.IRModule.from_expr(function))["default"](tvm.cpu()))
    module.run(**values)
    return module.get_output(0).numpy()


W = dp.wildcard
CASES: dict[str, tuple[dp.DFPattern, relay.Expr, relay.Expr]] = {
    "operator": (dp.is_op("nn.relu")(W()), relay.nn.relu(X), relay.tanh(X)),
    "any arguments": (dp.is_op("add")(None), X + Y, X - Y),
    "either order": (dp.ConstantPattern() + dp.VarPattern("x"), X + relay.const(1.0), Y + relay.const(1.0)),
    "one of two": (dp.is_op("tanh")(W()) | dp.is_op("exp")(W()), relay.exp(X), relay.nn.relu(X)),
    "optional": (
        dp.is_op("exp")(dp.is_var()).optional(dp.is_op("nn.relu")),
        relay.nn.relu(relay.exp(X)),
        relay.tanh(X),
    ),
    "difference": (W() - dp.is_var("y"), X - Y, Y - X),
    "quotient of a product": (W() * W() / W(), X * Y / B, X / Y),
    "attributes": (dp.is_op("nn.softmax")(W()).has_attr({"axis": 0}), relay.nn.softmax(X, axis=0), relay.nn.softmax(X)),
    "shape": (dp.has_shape((4, 4)), X, relay.reshape(X, (16,))),
    "element type": (dp.has_dtype("int8"), relay.cast(X, "int8"), X),
    "type": (dp.has_type(relay.TensorType((4, 4), "float32")), X, relay.cast(X, "int8")),
    "attribute of anything": (dp.has_attr({"units": 4}), relay.nn.dense(X, Y, units=4), relay.nn.dense(X, Y)),
    "expression": (dp.is_expr(X + Y), X + Y, X + B),
    "tuple": (dp.is_tuple([dp.is_var("x"), W()]), relay.Tuple([X, Y]), relay.Tuple([Y, X])),
    "field": (
        dp.is_tuple_get_item(dp.is_op("split")(W()), 1),
        relay.split(X, 2)[1],
        relay.split(X, 2)[0],
    ),
    "choice": (
        dp.is_if(W(), dp.is_var("x"), W()),
        relay.If(relay.const(True), X, Y),
        relay.If(relay.const(True), Y, X),
    ),
    "function": (
        dp.FunctionPattern(None, dp.is_op("exp")(W())),
        relay.Function([X], relay.exp(X)),
        relay.Function([X], relay.tanh(X)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_pattern_matches_what_it_says(name: str):
    pattern, like, unlike = CASES[name]
    assert pattern.match(like)
    assert dp.match(pattern, like)
    assert not pattern.match(unlike)


def test_a_pattern_in_two_places_matches_one_expression():
    one = W()
    assert (one * one).match(relay.exp(X) * X) is False
    assert (one * one).match(X * X)
    assert (W() * W()).match(relay.exp(X) * X)


def test_a_name_of_a_value_is_matched():
    name = relay.var("v", shape=(4, 4))
    pattern = dp.is_let(dp.is_var("v"), dp.is_op("exp")(W()), W())
    assert pattern.match(relay.Let(name, relay.exp(X), name + name))
    other = relay.var("v", shape=(4, 4))
    assert not pattern.match(relay.Let(other, relay.tanh(X), other + other))


def test_all_ways_lead_back_to_the_parent():
    path = (dp.is_op("nn.relu") | dp.is_op("tanh"))(W())
    diamond = dp.dominates(dp.is_op("exp")(W()), path, dp.is_op("add")(W(), W()))
    parent = relay.exp(X)
    assert diamond.match(relay.nn.relu(parent) + relay.tanh(relay.nn.relu(parent)))
    assert not diamond.match(relay.nn.relu(parent) + relay.tanh(Y))
    short = dp.is_op("add")(W(), W()).dominates(dp.is_op("exp")(W()))
    assert short.match(relay.nn.relu(parent) + relay.sqrt(parent))


def test_a_pattern_may_contain_itself():
    chain = W()
    chain.redirect_to(dp.is_op("nn.relu")(chain) | dp.is_var("x"))
    assert not dp.is_op("nn.relu")(dp.is_var("y")).match(relay.nn.relu(X))


class Twice(dp.DFPatternCallback):
    """Puts `x + x` in the place of `x * 2`."""

    def __init__(self, rewrite_once: bool = False) -> None:
        super().__init__(rewrite_once=rewrite_once)
        self.x = W()
        self.pattern = self.x * dp.is_constant()
        self.calls = 0

    def callback(
        self, pre: relay.Expr, post: relay.Expr, node_map: Mapping[dp.DFPattern, Sequence[relay.Expr]]
    ) -> relay.Expr:
        self.calls += 1
        (x,) = node_map[self.x]
        return x + x


def test_results_of_a_callback_stand_for_matches():
    two = relay.const(2.0)
    before = relay.exp(X * two) * two
    callback = Twice()
    after = dp.rewrite(callback, before)
    assert callback.calls == 2
    assert tvm.ir.structural_equal(after, Twice(rewrite_once=True).rewrite(before))
    assert "multiply" not in after.astext()
    np.testing.assert_allclose(run(after), run(before), rtol=1e-6)


def test_a_callback_wants_a_pattern_and_a_function():
    with pytest.raises(InputError, match="DFPatternCallback: pattern is None; set it"):
        dp.rewrite(dp.DFPatternCallback(), X)
    plain = dp.DFPatternCallback()
    plain.pattern = W()
    with pytest.raises(InputError, match="callback: is not defined; define it in the class"):
        dp.rewrite(plain, X)


def test_matches_become_calls_of_functions():
    pattern = dp.is_op("nn.relu")(dp.is_op("nn.dense")(W(), W()) + W())
    layer = relay.nn.relu(relay.nn.dense(X, Y) + B)
    body = relay.nn.relu(relay.nn.dense(layer, Y) + B)
    parted = pattern.partition(body, {"Composite": "dense"})
    assert isinstance(parted, relay.Call)
    assert isinstance(parted.op, relay.Function)
    assert parted.op.attrs["PartitionedFromPattern"] == "nn.dense_add_nn.relu_"
    assert parted.op.attrs["Composite"] == "dense"
    assert len(parted.op.params) == 3
    assert isinstance(parted.args[0], relay.Call)
    np.testing.assert_allclose(run(parted), run(body), rtol=1e-6)
    assert dp.partition(pattern, body, check=lambda expr: False) is body


def test_what_is_read_outside_of_a_match_stays():
    shared = relay.exp(X)
    body = relay.nn.relu(shared) + shared
    assert dp.is_op("nn.relu")(dp.is_op("exp")(W())).partition(body) is body


def test_kinds_of_operators_are_not_told():
    with pytest.raises(UnsupportedError, match="has_attr TOpPattern: operators do not tell it; name them by is_op"):
        W().has_attr({"TOpPattern": 0})(W()).match(relay.exp(X))
