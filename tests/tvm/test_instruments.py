"""Instruments that fail leave no trace in their context, and their errors are of the kind that callers of TVM catch."""

from typing import Any

import pytest

from s2s import tvm
from s2s.tvm import relay
from s2s.tvm.instrument import pass_instrument
from s2s.tvm.transform import PassContext

EVENTS: list[str] = []
HOOKS = ("enter_pass_ctx", "exit_pass_ctx", "should_run", "run_before_pass", "run_after_pass")


def noting(name: str, broken: str = "") -> Any:
    """An instrument that notes its hooks, of which one may fail."""

    def hook(event: str) -> Any:
        def call(self: object, *_: object) -> bool:
            EVENTS.append(f"{name} {event}")
            if event == broken:
                raise RuntimeError("a broken instrument")
            return True

        return call

    return pass_instrument(type("Noting", (), {event: hook(event) for event in HOOKS}))()


def module() -> relay.IRModule:
    """A module of one operator."""
    return relay.IRModule.from_expr(relay.exp(relay.var("x", shape=(2,))))


def same(mod: relay.IRModule, context: PassContext) -> relay.IRModule:
    """A pass that changes nothing."""
    return mod


@pytest.mark.parametrize("event", HOOKS)
def test_a_failing_hook_is_an_error_of_tvm(event: str):
    EVENTS.clear()
    context = PassContext(instruments=[noting("a"), noting("b", event)])
    with pytest.raises(tvm.TVMError, match=rf"Noting.{event}: RuntimeError: a broken instrument"), context:
        tvm.transform.module_pass(same, opt_level=0)(module())
    assert EVENTS[0] == "a enter_pass_ctx"
    assert "a exit_pass_ctx" in EVENTS
    assert PassContext.current() is not context
    assert not PassContext.current().instruments


def test_instruments_outside_of_blocks_stay_until_they_are_replaced():
    EVENTS.clear()
    timing = tvm.instrument.PassTimingInstrument()
    PassContext.current().override_instruments([timing, noting("a")])
    try:
        relay.transform.InferType()(module())
        assert "InferType" in timing.render()
    finally:
        PassContext.current().override_instruments(None)
    relay.transform.InferType()(module())
    assert timing.render() == ""
    assert EVENTS.count("a run_before_pass") == 1
    assert EVENTS[-1] == "a exit_pass_ctx"


def test_a_module_is_printed_between_passes(capsys: pytest.CaptureFixture[str]):
    printed = module()
    assert tvm.transform.PrintIR("here")(printed) is printed
    assert capsys.readouterr().err == f"PrintIR(here):\n{printed.astext(show_meta_data=False)}\n"


def test_an_error_of_a_pass_is_an_error_of_tvm():
    def fails(mod: object, ctx: object) -> object:
        raise ValueError("a broken pass")

    with pytest.raises(tvm.TVMError, match="pass mine: ValueError: a broken pass; mend the pass"):
        tvm.transform.module_pass(fails, opt_level=0, name="mine")(module())
