"""Attributes that a program registers for operators: what passes and builds make of them, and what is refused."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay.factory import source_of
from s2s.tvm.relay.qnn.op.legalizations import hardswish_func
from s2s.tvm.relay.testing.temp_op_attr import TempOpAttr

qnn: Any = relay.qnn.op
X = np.array([-3.0, -0.5, 0.0, 2.0], np.float32)
I32 = -np.arange(32, dtype=np.int32)
HALVES = {"UPWARD": [9, 16, 7], "TONEAREST": [8, 16, 8]}


@pytest.fixture(autouse=True)
def _leave_no_attribute() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    for name in ("nn.relu", "exp", "qnn.requantize"):
        for key in ("FTVMLegalize", "FTVMQnnLegalize", "FTVMQnnCanonicalize", "ftest"):
            relay.op.get(name).reset_attr(key)


def network() -> relay.IRModule:
    return relay.IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(4,))))


def moved() -> relay.IRModule:
    scales = [relay.const(each, "float32") for each in (1.0, 16.0)]
    zero = relay.const(0, "int32")
    return relay.IRModule.from_expr(
        qnn.requantize(relay.var("x", shape=(32,), dtype="int32"), scales[0], zero, scales[1], zero)
    )


def results(mod: relay.IRModule, x: Any) -> Any:
    """What the compiler is given for a build of a module, by its meaning."""
    model = source_of(mod)
    return run_graph(model.module, [x], relay.IRModule.of(model.module, mod.weights).weights)[0]


def shifted(attrs: Any, inputs: list[Any], types: list[Any]) -> Any:
    assert (tuple(types[0].shape), types[-1].dtype) == ((4,), "float32")
    return relay.nn.relu(inputs[0] + relay.const(1.0), **attrs)


def test_a_build_asks_what_is_registered():
    mod = network()
    np.testing.assert_array_equal(results(mod, X), np.maximum(X, 0))
    relay.register_legalize(op_name="nn.relu", legal_op=shifted, level=10)
    np.testing.assert_array_equal(results(mod, X), np.maximum(X + 1, 0))
    with tvm.transform.PassContext(disabled_pass=["Legalize"]):
        np.testing.assert_array_equal(results(mod, X), np.maximum(X, 0))


def test_a_pass_replaces_calls_for_a_while():
    with TempOpAttr(op_name="nn.relu", attr_key="FTVMLegalize", attr_value=shifted) as held:
        assert held.op.has_attr("FTVMLegalize")
        made = relay.transform.Legalize(legalize_map_attr_name="FTVMLegalize")(network())
        assert "add" in made.astext()
        assert "add" not in relay.transform.Legalize("FTVMOther")(network()).astext()
    assert "add" not in relay.transform.Legalize()(network()).astext()


def test_an_earlier_value_comes_back():
    relay.op.get("exp").set_attr("ftest", 1)
    with TempOpAttr("exp", "ftest", 2):
        assert relay.op.get("exp").get_attr("ftest") == 2
    assert relay.op.get("exp").get_attr("ftest") == 1
    assert (relay.op.get("exp").num_inputs, relay.op.get("log").get_attr("ftest")) == (1, None)


def test_none_leaves_the_call():
    calls: list[str] = []

    @relay.register_legalize("nn.relu")
    def nothing(attrs: Any, inputs: list[Any], types: list[Any]) -> None:
        calls.append(type(types[0]).__name__)

    assert tvm.ir.structural_equal(relay.transform.Legalize()(network()), network())
    assert calls == ["TensorType"]


def test_quantised_operators_have_passes_of_their_own():
    def doubled(attrs: Any, inputs: list[Any], types: list[Any]) -> Any:
        return relay.cast(inputs[0] * relay.const(2, "int32"), "int8")

    plain = results(moved(), I32)
    qnn.register_qnn_legalize(op_name="qnn.requantize", legal_op=doubled, level=10)
    assert "qnn.requantize" in relay.transform.Legalize()(moved()).astext()
    assert "qnn.requantize" not in relay.qnn.transform.Legalize()(moved()).astext()
    np.testing.assert_array_equal(results(moved(), I32), (I32 * 2).astype(np.int8))
    relay.op.get("qnn.requantize").reset_attr("FTVMQnnLegalize")
    np.testing.assert_array_equal(results(moved(), I32), plain)
    qnn.register_qnn_canonicalize(op_name="qnn.requantize", legal_op=doubled, level=10)
    np.testing.assert_array_equal(results(moved(), I32), (I32 * 2).astype(np.int8))
    assert "multiply" in relay.qnn.transform.CanonicalizeOps()(moved()).astext()


@pytest.mark.parametrize("rounding", HALVES)
def test_a_configuration_rounds_what_is_built_inside(rounding: str):
    mod = moved()
    assert qnn.current_requantize_config() == qnn.RequantizeConfig("UPWARD", "int64")
    with qnn.requantize_config(rounding=rounding):
        assert qnn.current_requantize_config().rounding == rounding
        np.testing.assert_array_equal(results(mod, I32), np.repeat([0, -1, -2], HALVES[rounding]))
    np.testing.assert_array_equal(results(mod, I32), np.repeat([0, -1, -2], HALVES["UPWARD"]))
    with pytest.raises(InputError, match=r"requantize_config: .*DOWNWARD.*: is not known; give rounding UPWARD or"):
        qnn.requantize_config(rounding="DOWNWARD")


def test_levels_choose_between_values():
    tvm.ir.register_op_attr("exp", "ftest", 1, level=10)
    tvm.ir.register_op_attr("exp", "ftest", 2, level=5)
    assert relay.op.get("exp").get_attr("ftest") == 1
    tvm.ir.register_op_attr("exp", "ftest", 3, level=11)
    assert relay.op.get("exp").get_attr("ftest") == 3
    with pytest.raises(InputError, match=r"exp: ftest: level 11 has a value; reset_attr it"):
        tvm.ir.register_op_attr("exp", "ftest", 4, level=11)
    with pytest.raises(InputError, match=r"exp: ftest: level 0; give a positive one"):
        tvm.ir.register_op_attr("exp", "ftest", 4, level=0)


@pytest.mark.parametrize("key", ["FTVMAlterOpLayout", "TOpPattern", "FTVMStrategy"])
def test_attributes_that_nothing_reads_are_refused(key: str):
    with pytest.raises(UnsupportedError, match=f"exp: {key}: is not read; "):
        tvm.ir.register_op_attr("exp", key, abs)


def test_the_real_function_of_a_quantised_operator():
    np.testing.assert_allclose(hardswish_func(x=X), X * np.clip(X + 3, 0, 6) / 6)
