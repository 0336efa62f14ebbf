"""What a budget of RAM chooses is decided like everything else: recorded, given back, overruled, refused."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.artifact import Artifact, compile_artifact
from s2s.decisions.decision import Decision
from s2s.decisions.file import read_decisions
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.frontends.model import GraphModel
from s2s.options import CompileOptions
from s2s.types.dtypes import tensor_type

BUFFERS, SCRATCH = "line buffers", "scratch"


def bottleneck() -> GraphModel:
    """Expand, depthwise, project: line buffers save most of the memory between them."""
    rng = np.random.default_rng(4)
    body = Block(arg_types=[tensor_type(f32, (1, 12, 12, 4))])
    value: SSAValue = body.args[0]
    for outputs, groups, kernel in ((24, 1, 1), (24, 24, 3), (4, 1, 1)):
        shape = (outputs, type_of(value).get_shape()[-1] // groups, kernel, kernel)
        w = graph.ConstantOp((rng.normal(size=shape) / 8).astype(np.float32))
        conv = graph.ConvOp(
            value, w.y, strides=[1, 1], pads=[kernel // 2] * 4, dilations=[1, 1], groups=groups, layout="NHWC"
        )
        body.add_ops([w, conv])
        value = conv.y
    body.add_op(ReturnOp(value))
    return GraphModel(ModuleOp([FuncOp("main", ([body.args[0].type], [value.type]), Region(body))]), {}, "net")


def compiled(given: dict[str, Any] | None = None, **options: Any) -> Artifact:
    if given is not None:
        options["decisions"] = read_decisions(given)
    return compile_artifact(bottleneck(), CompileOptions(target="c", name="net", **options))


def decision(artifact: Artifact, kind: str) -> Decision:
    (found,) = [each for each in artifact.decisions if each.kind == kind]
    return found


def entry(kind: str, chosen: str) -> dict[str, Any]:
    return {"format": 1, "decisions": [{"kind": kind, "subject": "main", "chosen": chosen}]}


def files(artifact: Artifact) -> dict[str, bytes]:
    return {path: b"".join(pieces(content)) for path, content in artifact.tree().files.items()}


@pytest.fixture(scope="module")
def smallest() -> Artifact:
    return compiled(ram_budget="min")


def test_a_budget_records_its_line_buffers(smallest: Artifact):
    found = decision(smallest, BUFFERS)
    assert found.chosen == "0-2"
    assert (found.by, found.why) == ("model", "the budget of RAM")


def test_without_a_budget_nothing_of_it_is_decided():
    assert not {BUFFERS, SCRATCH} & {each.kind for each in compiled().decisions}


def test_line_buffers_of_a_budget_given_back_give_the_same_tree(smallest: Artifact):
    assert files(compiled(smallest.decisions.as_dict(), ram_budget="min")) == files(smallest)


@pytest.mark.parametrize("options", [{}, {"ram_budget": "min"}])
def test_the_user_chooses_line_buffers(options: dict[str, Any]):
    with compiled(entry(BUFFERS, "0-1"), **options) as artifact:
        found = decision(artifact, BUFFERS)
        assert (found.chosen, found.by) == ("0-1", "user")
        assert artifact.verify(against="interpreter").passed


def test_given_whole_images_need_more_memory(smallest: Artifact):
    whole = compiled(entry(BUFFERS, "whole images"), ram_budget="min")
    assert whole.report().ram > smallest.report().ram


def test_a_budget_that_given_line_buffers_exceed_is_refused():
    with pytest.raises(InputError, match="takes with the given line buffers and scratch"):
        compiled(entry(BUFFERS, "whole images"), ram_budget=2000)


def test_the_user_limits_scratch():
    with compiled(entry(SCRATCH, "0 elements")) as artifact:
        assert (decision(artifact, SCRATCH).chosen, decision(artifact, SCRATCH).by) == ("0 elements", "user")
        assert artifact.verify(against="interpreter").passed


@pytest.mark.parametrize(
    ("kind", "chosen", "reason"),
    [
        (BUFFERS, "0-7", "do not compute rows from the rows of one image"),
        (BUFFERS, "0-1, 1-2", "no operator is in two of them"),
        (BUFFERS, "few rows", "give `whole images`, or sections"),
        (SCRATCH, "little", "give `as scheduled`, or a number"),
    ],
)
def test_what_is_not_legal(kind: str, chosen: str, reason: str):
    with pytest.raises(InputError, match=reason):
        compiled(entry(kind, chosen))


def test_tables_cannot_run_line_buffers():
    with pytest.raises(InputError, match="the tables of executor graph call nothing but kernels"):
        compiled(entry(BUFFERS, "0-2"), executor="graph")
