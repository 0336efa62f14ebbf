"""Passes run as the context says, and instruments look on."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import s2s.tvm.relay.nn as nn
from s2s.api import compile
from s2s.errors import InputError, UnsupportedError
from s2s.passes.levels import OPT_LEVELS
from s2s.pipeline import PIPELINE
from s2s.tvm import relay
from s2s.tvm.instrument import PassInstrument, PassTimingInstrument, pass_instrument
from s2s.tvm.relay import IRModule, build
from s2s.tvm.relay.transform import CombineParallelDense, EliminateCommonSubexpr, FoldConstant, SimplifyInference
from s2s.tvm.transform import PassContext, PassInfo, Sequential, named
from support.onnx_text import onnx_model


def network() -> IRModule:
    x = relay.var("x", shape=(1, 3, 8, 8))
    ones = relay.const(np.ones(4, np.float32))
    y = nn.conv2d(x, relay.const(np.ones((4, 3, 3, 3), np.float32)), padding=1)
    y = nn.batch_norm(y, ones, ones, ones, ones)[0]
    return IRModule.from_expr(nn.softmax(nn.batch_flatten(nn.max_pool2d(nn.relu(y), 2, 2)) * 2.0))


@pass_instrument
class Names:
    """Notes the passes that run."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        self.seen.append(info.name)


def passes_run(**context: object) -> list[str]:
    names = Names()
    with PassContext(instruments=[names], **context):  # pyright: ignore[reportArgumentType]
        build(network(), target="x86-64-v3", executor="aot").artifact.tree()
    return names.seen


def test_a_pass_of_a_higher_level_is_left_out():
    seen = passes_run(opt_level=2)
    assert "graph-fold-batch-norm" in seen
    assert "tensor-block-channels" not in seen


def test_a_required_pass_runs_whatever_its_level():
    assert "tensor-block-channels" in passes_run(opt_level=0, required_pass=["AlterOpLayout"])


@pytest.mark.parametrize("name", OPT_LEVELS)
def test_every_pass_can_be_disabled(name: str):
    assert name not in passes_run(opt_level=4, disabled_pass=[name])


def test_every_pass_with_a_level_is_in_the_pipeline():
    assert set(OPT_LEVELS) <= {step.name for steps in PIPELINE.values() for step in steps}


@pytest.mark.parametrize("name", ["tensor-lower-to-loop", "loop-plan-memory", "nonsense"])
def test_a_lowering_cannot_be_disabled(name: str):
    with pytest.raises(InputError, match=f"disabled_pass {name}: is no pass that can be left out; these can: "):
        PassContext(disabled_pass=[name])


def test_outside_of_a_context_passes_up_to_level_3_run():
    assert PassContext.current().opt_level == 3


def test_compile_obeys_the_context_around():
    names = Names()
    model = onnx_model("(float[2, 4] x) => (float[2, 4] y) { y = Relu(x) }")
    with PassContext(opt_level=3, disabled_pass=["FoldConstant"], instruments=[names]):
        compile(model, target="c").tree()
    assert "graph-fold-batch-norm" in names.seen
    assert "graph-fold-constants" not in names.seen


def test_a_pass_that_is_called_runs_whatever_its_level():
    x = relay.var("x", shape=(2, 4))
    ones = relay.const(np.ones((4, 3), np.float32))
    mod = IRModule.from_expr(relay.Tuple([nn.matmul(x, ones) for _ in range(3)]))
    assert str(CombineParallelDense()(mod).module).count("graph.matmul") == 1
    assert str(CombineParallelDense(min_num_branches=4)(mod).module).count("graph.matmul") == 3
    with PassContext(opt_level=3):
        assert str(Sequential([CombineParallelDense()])(mod).module).count("graph.matmul") == 3
    with PassContext(opt_level=4):
        assert str(Sequential([CombineParallelDense()])(mod).module).count("graph.matmul") == 1


def test_an_instrument_may_refuse_a_pass():
    class Refuse(PassInstrument):
        def should_run(self, mod: ModuleOp, info: PassInfo) -> bool:
            return info.name != "FoldConstant"

    names = Names()
    with PassContext(opt_level=3, instruments=[Refuse(), names]):
        FoldConstant()(network())
    assert names.seen == []


def test_an_instrument_is_told_when_the_context_is_entered_and_left():
    told: list[str] = []

    class Tell(PassInstrument):
        def enter_pass_ctx(self) -> None:
            told.append("enter")

        def exit_pass_ctx(self) -> None:
            told.append("exit")

    with PassContext(instruments=[Tell()]):
        assert told == ["enter"]
    assert told == ["enter", "exit"]


def test_times_are_measured():
    timing = PassTimingInstrument()
    with PassContext(opt_level=3, instruments=[timing]):
        Sequential([FoldConstant(), EliminateCommonSubexpr()])(network())
        names = [each.name for each in timing.timings]
        assert names == ["FoldConstant", "EliminateCommonSubexpr"]
        assert "FoldConstant" in timing.render()
    assert timing.render() == ""


def test_what_is_no_instrument_is_refused():
    with pytest.raises(InputError, match="is no instrument; decorate its class with pass_instrument"):
        PassContext(instruments=[object()])


def test_a_pass_is_a_function_from_a_module_to_a_module():
    before = network()
    after = SimplifyInference()(before)
    assert "graph.batch_norm" in str(before.module)
    assert "graph.batch_norm" not in str(after.module)


def test_a_pass_inside_of_a_compilation_is_no_function_of_a_module():
    with pytest.raises(InputError, match="tensor-block-channels runs inside of a compilation; use PassContext"):
        named("AlterOpLayout")


def test_the_depth_of_fusion_is_a_key_of_the_configuration():
    with PassContext(opt_level=3, config={"relay.FuseOps.max_depth": 1}):
        alone = build(network(), target="c", executor="aot").artifact.report().kernels
    assert alone > build(network(), target="c", executor="aot").artifact.report().kernels


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("relay.Fuse", 1, "config relay.Fuse is not known; known are relay.FuseOps.max_depth"),
        ("relay.FuseOps.max_depth", "8", "config relay.FuseOps.max_depth is '8'; give a int"),
    ],
)
def test_keys_that_are_unknown_or_of_another_type_are_refused(key: str, value: object, message: str):
    with pytest.raises(InputError, match=message):
        PassContext(config={key: value})


@pytest.mark.parametrize("key", ["relay.backend.use_auto_scheduler", "relay.backend.use_meta_schedule"])
def test_other_searches_are_refused(key: str):
    assert PassContext.list_configs()[key]["type"] == "IntImm"
    assert PassContext(config={key: False}).config == {key: False}
    with pytest.raises(UnsupportedError, match=f"config {key} is True: schedules are searched by one tuner"):
        PassContext(config={key: True})


def test_memory_is_planned_in_any_case():
    sizes: list[int] = []
    for enable in (False, True):
        with PassContext(config={"tir.usmp.enable": enable}):
            sizes.append(build(network(), target="c", executor="aot").artifact.report().ram)
    assert sizes[0] == sizes[1] > 0


@pytest.mark.parametrize("level", ["3", -1, True])
def test_a_level_that_is_none_is_refused(level: Any):
    with pytest.raises(InputError, match=f"PassContext: opt_level is {level!r}; give a number from 0 to 4"):
        PassContext(opt_level=level)


def test_types_are_inferred_already():
    mod = IRModule.from_expr(relay.nn.relu(relay.var("x", shape=(2,))))
    assert relay.transform.InferType()(mod).astext() == mod.astext()
    with pytest.raises(InputError, match="disabled_pass InferType: is no pass that can be left out"):
        PassContext(disabled_pass=["InferType"])
