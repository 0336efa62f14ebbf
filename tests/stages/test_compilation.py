"""A compilation goes on from any of its stages, and comes to what a new one comes to."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from s2s.compilation import Compilation
from s2s.decisions.file import read_decisions
from s2s.decisions.names import KINDS
from s2s.dialects import c, graph, loop, tensor
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.traits import set_provenance
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.frontends.model import GraphModel
from s2s.options import CompileOptions, DebugOptions
from s2s.pipeline import passes_of
from s2s.stages.c import Lowered
from s2s.stages.graph import Grouped
from s2s.stages.memory import Planned
from s2s.stages.order import STAGE_NAMES, STAGES
from s2s.stages.read import Read
from s2s.stages.request import Findings
from s2s.stages.settle import Settled
from s2s.stages.tensor import Scheduled
from s2s.stages.tree import Written
from s2s.support import progress
from s2s.types.dtypes import tensor_type

OPTIONS = CompileOptions(target="c", name="net")


def network() -> GraphModel:
    """An inverted bottleneck of floats: expand, depthwise, project, each with a relu."""
    rng = np.random.default_rng(4)
    body = Block(arg_types=[tensor_type(f32, (1, 6, 6, 4))])
    value: SSAValue = body.args[0]
    for outputs, groups, kernel, name in ((8, 1, 1, "expand"), (8, 8, 3, "depthwise"), (4, 1, 1, "project")):
        shape = (outputs, type_of(value).get_shape()[-1] // groups, kernel, kernel)
        w = graph.ConstantOp(rng.normal(size=shape).astype(np.float32))
        conv = graph.ConvOp(
            value, w.y, strides=[1, 1], pads=[kernel // 2] * 4, dilations=[1, 1], groups=groups, layout="NHWC"
        )
        set_provenance(conv, [name])
        relu = graph.ClampOp(conv.y, min=0.0)
        body.add_ops([w, conv, relu])
        value = relu.y
    body.add_op(ReturnOp(value))
    return GraphModel(ModuleOp([FuncOp("main", ([body.args[0].type], [value.type]), Region(body))]), {}, "net")


def files(compilation: Compilation) -> dict[str, bytes]:
    """The tree, read."""
    return {path: b"".join(pieces(content)) for path, content in compilation.tree.files.items()}


def steps(work: Callable[[], object]) -> list[str]:
    """The steps that are announced while `work` runs."""
    heard: list[str] = []
    with progress.listening(heard.append):
        work()
    return heard


CHANGES: dict[str, dict[str, Any]] = {
    "scratch": {"scratch": 0},
    "line buffers": {"line_buffers": ((0, 5),)},
    "another target": {"target": "x86-64-v3"},
    "a plain schedule": {"schedule": "reference"},
    "another executor": {"executor": "graph"},
    "a coding standard": {"profile": "misra"},
    "places of inputs": {"io": "arena"},
    "poison": {"poison": True},
    "another name": {"name": "other"},
    "the form of weights": {"weights": "incbin"},
    "nothing": {},
}


@pytest.fixture(scope="module")
def first() -> Compilation:
    """A compilation that has been looked at at every stage."""
    compilation = Compilation(network(), OPTIONS)
    for stage in STAGE_NAMES:
        compilation.at(stage)
    return compilation


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_resumed_compilation_emits_the_bytes_of_a_new_one(first: Compilation, change: dict[str, Any]):
    options = replace(OPTIONS, **change)
    assert files(first.resume(options)) == files(Compilation(network(), options))


@pytest.mark.parametrize("stages", [(), ("tree",), ("loop", "graph")], ids=["none", "tree", "backwards"])
def test_any_stages_may_be_asked_for_before_resuming(first: Compilation, stages: Sequence[str]):
    options = replace(OPTIONS, scratch=0)
    other = Compilation(network(), OPTIONS)
    for stage in stages:
        other.at(stage)
    assert files(other.resume(options)) == files(first.resume(options))


def test_resuming_leaves_the_first_compilation_as_it_was():
    compilation = Compilation(network(), OPTIONS)
    before = str(compilation.at("compute").module)
    compilation.resume(replace(OPTIONS, scratch=0)).at("tensor")
    assert str(compilation.at("compute").module) == before


def test_looking_at_every_stage_changes_no_byte(first: Compilation):
    assert files(first) == files(Compilation(network(), OPTIONS))


def test_resumed_compilation_runs_what_the_change_affects_and_nothing_else(first: Compilation):
    other = first.resume(replace(OPTIONS, scratch=0))
    assert steps(lambda: other.at("tensor"))[:2] == ["tensor-propagate-sizes", "tensor-shorten-quantize"]
    assert steps(lambda: first.resume(replace(OPTIONS, interface="tvm")).at("memory")) == []


STARTS: dict[str, tuple[dict[str, Any], str]] = {
    "line buffers": ({"line_buffers": ((0, 5),)}, "graph"),
    "scratch": ({"scratch": 0}, "tensor"),
    "threads": ({"threads": 2}, "tensor"),
    "places of inputs": ({"io": "arena"}, "compute"),
    "the form of weights": ({"weights": "incbin"}, "simplify"),
}


@pytest.mark.parametrize(("change", "stage"), STARTS.values(), ids=STARTS)
def test_a_change_starts_from_the_stage_that_it_concerns(first: Compilation, change: dict[str, Any], stage: str):
    options = replace(OPTIONS, **change)
    heard = steps(lambda: first.resume(options).at("tree"))
    assert heard[: len(passes_of(stage, options))] == [each.name for each in passes_of(stage, options)]


@pytest.mark.parametrize(
    ("kind", "chosen", "stage"),
    [("fusion", "a kernel each", "graph"), ("schedule", "#tensor.schedule<[]>", "tensor")],
)
def test_a_decision_starts_from_the_stage_that_makes_it(first: Compilation, kind: str, chosen: str, stage: str):
    subject = next(each.subject for each in first.facts(Planned).decisions if each.kind == kind)
    entry = {"kind": kind, "subject": subject, "chosen": chosen}
    options = replace(OPTIONS, decisions=read_decisions({"format": 1, "decisions": [entry]}))
    heard = steps(lambda: first.resume(options).at("tree"))
    assert heard[0] == passes_of(stage, options)[0].name


def test_a_stage_that_has_run_does_not_run_again(first: Compilation):
    assert steps(lambda: first.at("tensor")) == []
    assert steps(lambda: first.facts(Scheduled)) == []


def test_an_earlier_stage_than_the_last_one_can_be_asked_for():
    compilation = Compilation(network(), OPTIONS)
    compilation.at("c")
    assert any(isinstance(op, tensor.ComputeOp) for op in compilation.at("tensor").module.walk())
    assert any(isinstance(op, c.FuncOp) for op in compilation.at("c").module.walk())


LEVELS: dict[str, type] = {
    "read": graph.ConvOp,
    "settle": graph.ConvOp,
    "simplify": graph.ConvOp,
    "graph": graph.CallOp,
    "compute": tensor.ComputeOp,
    "tensor": tensor.ComputeOp,
    "loop": loop.ForOp,
    "memory": loop.ViewOp,
    "c": c.FuncOp,
    "tree": c.FuncOp,
}


@pytest.mark.parametrize(("stage", "kind"), LEVELS.items(), ids=LEVELS)
def test_stage_leaves_its_level(first: Compilation, stage: str, kind: type):
    assert any(isinstance(op, kind) for op in first.at(stage).module.walk())


def test_a_stage_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="stage tensors: there is no such stage; the stages are read, settle"):
        Compilation(network(), OPTIONS).at("tensors")


def test_read_knows_the_interface(first: Compilation):
    fact = first.facts(Read)
    assert (fact.name, fact.source, len(fact.inputs), len(fact.outputs)) == ("net", "net", 1, 1)


def test_settled_knows_what_the_network_computes(first: Compilation):
    fact = first.facts(Settled)
    [vector] = fact.golden
    assert vector.outputs[0].shape == (1, 6, 6, 4)
    assert fact.work == 36 * (8 * 4 + 8 * 9 + 4 * 8)


@pytest.mark.parametrize("sections", [(), ((0, 5),)], ids=["whole", "line buffers"])
def test_grouped_knows_the_line_buffers(sections: tuple[tuple[int, int], ...]):
    layers = Compilation(network(), replace(OPTIONS, line_buffers=sections)).facts(Grouped).line_buffers
    assert [layer.nodes for layer in layers] == ["expand, depthwise, project"] * len(sections)
    assert all(layer.kept > 0 for layer in layers)


def test_scheduled_knows_the_costs_of_kernels(first: Compilation):
    costs = first.facts(Scheduled).costs
    assert sum(cost.operations.floats for cost in costs.values()) >= 2 * 36 * (8 * 4 + 8 * 9 + 4 * 8)


def test_costs_go_by_the_names_in_c(first: Compilation):
    functions = {op.sym_name.data for op in first.at("c").module.ops if isinstance(op, c.FuncOp)}
    assert first.costs
    assert set(first.costs) <= functions


def test_planned_knows_the_arena(first: Compilation):
    plan = first.facts(Planned)
    assert plan.arena >= plan.lower_bound > 0
    assert plan.tables is None


def test_planned_knows_the_tables_of_the_graph_executor():
    tables = Compilation(network(), replace(OPTIONS, executor="graph")).facts(Planned).tables
    assert tables is not None
    assert tables.nodes


def test_lowered_counts_kernels_and_constants(first: Compilation):
    fact = first.facts(Lowered)
    assert fact.kernels == 3
    assert fact.constants == 4 * (8 * 4 + 8 * 9 + 4 * 8)


def test_written_knows_the_sizes_of_files(first: Compilation):
    fact = first.facts(Written)
    assert fact.sizes["include/net.h"] == len(fact.tree.text("include/net.h").encode())


def test_findings_reach_the_tree(first: Compilation):
    compilation = first.resume(findings=Findings(extra_operations=0.25))
    assert '"extra_operations": 0.25' in compilation.tree.text("metadata.json")


def test_stops_after_the_named_pass():
    debug = DebugOptions(stop_after="graph-fuse-ops")
    module = Compilation(network(), replace(OPTIONS, debug=debug)).run().module
    assert any(isinstance(op, graph.CallOp) for op in module.walk())
    assert not any(isinstance(op, tensor.ComputeOp) for op in module.walk())


@pytest.mark.parametrize("debug", [DebugOptions(stop_after="merk"), DebugOptions(print_ir_after=("merk",))])
def test_a_pass_that_never_runs_is_refused(debug: DebugOptions):
    with pytest.raises(InputError, match="no pass merk runs here; the passes are graph-inline, "):
        Compilation(network(), replace(OPTIONS, debug=debug))


def test_every_kind_of_decisions_belongs_to_one_stage():
    assert sorted(kind for stage in STAGES for kind in stage.decides) == sorted(KINDS)
