"""Mechanisms of TVM that differ here, or are refused with the reason; `docs/tvm_mechanisms.json` has the table."""

import json
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.transform import PassContext
from support.project import ROOT

ROWS: list[dict[str, str]] = json.loads((ROOT / "docs" / "tvm_mechanisms.json").read_text(encoding="utf-8"))


def network() -> relay.IRModule:
    x = relay.var("x", shape=(1, 8))
    return relay.IRModule.from_expr(relay.nn.relu(relay.nn.dense(x, relay.const(np.ones((4, 8), np.float32)))))


def kernels(**keywords: Any) -> str:
    return relay.build(network(), "llvm", executor="aot", **keywords).get_lib().get_source()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["mechanism"][:40])
def test_a_row_has_a_state_and_names_the_test_that_shows_it(row: dict[str, str]):
    assert row["state"] in ("same", "differs so", "refused because")
    named = [part for part in row["note"].split("`") if part.endswith(".py") and "test_" in part]
    assert named
    assert all((ROOT / "tests" / "tvm" / each).is_file() or (ROOT / "tests" / each).is_file() for each in named)


def test_all_rows_that_were_not_the_same_are_there():
    assert len(ROWS) == 121
    assert len({(row["part"], row["mechanism"]) for row in ROWS}) == 121


def test_hosts_and_assertions_change_no_code():
    plain = kernels()
    assert kernels(target_host="llvm") == plain
    for is_disabled in (False, True):
        with PassContext(opt_level=3, config={"tir.disable_assert": is_disabled}):
            assert kernels() == plain


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("AlterOpLayout", "it is part of relay.build"),
        ("FuseOps", "it is part of relay.build"),
        ("MergeComposite", "external code generators choose their parts in relay.build"),
        ("AnnotateTarget", "external code generators choose their parts in relay.build"),
        ("PartitionGraph", "external code generators choose their parts in relay.build"),
        ("ConvertLayout", "layouts are chosen by relay.build"),
        ("SplitArgs", "give max_function_args to the target"),
    ],
)
def test_parts_of_a_build_are_no_passes(name: str, reason: str):
    with pytest.raises(UnsupportedError, match=f"relay.transform.{name}: is not a pass on a module here; {reason}"):
        getattr(relay.transform, name)()


def test_hashes_of_kernels_are_given_inside_of_a_build():
    mod = network()
    assert "hash" not in relay.transform.LabelOps()(mod).astext()
    nodes = json.loads(relay.build(mod, "llvm").get_graph_json())["nodes"]
    assert all(each["attrs"]["hash"] for each in nodes if each["op"] == "tvm_op")


@pytest.mark.parametrize("name", ["relay.build_module._GraphExecutorCodegen", "relay.backend.GraphPlanMemory"])
def test_executors_and_memory_are_made_by_a_build(name: str):
    assert tvm.get_global_func(name, allow_missing=True) is None
    with pytest.raises(ValueError, match=name):
        tvm.get_global_func(name)


def test_data_types_of_the_language_are_refused():
    with pytest.raises(UnsupportedError, match=r"tvm.relay.prelude: data types of the language and lists of tensors"):
        __import__("s2s.tvm.relay", fromlist=["prelude"]).prelude  # noqa: B018


def test_buffers_are_planned():
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: a[i], name="B")
    with pytest.raises(UnsupportedError, match=r"tvm.lower: binds gives buffers to tensors, and buffers are planned"):
        tvm.lower(te.create_schedule(b.op), [a, b], binds={a: a})
