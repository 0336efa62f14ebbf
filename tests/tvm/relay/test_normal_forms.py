"""Passes between forms of expressions: values with names, and without; and the round trip through text."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.instrument import PassTimingInstrument
from s2s.types.dtypes import Array


def network() -> relay.IRModule:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(3, 4))
    y = relay.nn.relu(relay.nn.dense(x, w))
    parts = relay.split(y, 3, 1)
    z = relay.concatenate([parts[0] + parts[1], relay.exp(y)], 1)
    return relay.IRModule.from_expr(relay.Function([x, w], relay.If(relay.const(True), z * z, z)))


def computed(mod: relay.IRModule) -> Array:
    x, w = (np.random.default_rng(n).random(shape).astype(np.float32) for n, shape in enumerate([(2, 4), (3, 4)]))
    run: Any = relay.create_executor("graph", mod).evaluate()
    return run(x, w).numpy()


def lets(expr: relay.Expr) -> int:
    return (1 + lets(expr.body)) if isinstance(expr, relay.Let) else 0


def test_all_values_get_names_and_lose_them_again():
    mod = network()
    named = relay.transform.ToANormalForm()(mod)
    assert "let %x0 = nn.dense(%x, %w);" in named.astext().replace("x02", "x0").replace("x01", "x0")
    again = relay.transform.ToGraphNormalForm()(named)
    assert "let" not in again.astext()
    for each in (named, again, relay.transform.AnnotateSpans()(mod)):
        np.testing.assert_array_equal(computed(each), computed(mod))


def test_calls_take_names_and_constants_alone():
    x = relay.var("x", shape=(2,))
    expr = relay.transform.ToANormalFormExpr(relay.exp(x + relay.const(1.0)) * x)
    assert lets(expr) == 3
    while isinstance(expr, relay.Let):
        assert isinstance(expr.value, relay.Call)
        assert all(isinstance(each, relay.Var | relay.Constant) for each in expr.value.args)
        expr = expr.body
    assert isinstance(expr, relay.Var)


def test_instruments_see_them():
    timing = PassTimingInstrument()
    with tvm.transform.PassContext(instruments=[timing]):
        mod = relay.transform.ToANormalForm()(relay.transform.AnnotateSpans()(network()))
        relay.transform.ToGraphNormalForm()(mod)
        text = timing.render()
    assert all(name in text for name in ("AnnotateSpans", "ToANormalForm", "ToGraphNormalForm"))


@pytest.mark.parametrize("name", ["ToCPS", "ToBasicBlockNormalForm"])
def test_other_forms_are_refused(name: str):
    with pytest.raises(tvm.TVMError, match="expressions have one form"):
        getattr(relay.transform, name)()
