"""Mechanisms of TVM that differ here, or are refused with the reason; `docs/tvm_mechanisms.json` has the table."""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.transform import PassContext
from support.project import ROOT


class Row(TypedDict):
    """A mechanism of TVM: what it is here, and the tests that show it."""

    part: str
    mechanism: str
    state: str
    note: str
    tests: list[str]


ROWS: list[Row] = json.loads((ROOT / "docs" / "tvm_mechanisms.json").read_text(encoding="utf-8"))


@cache
def functions_that_test(path: Path) -> frozenset[str]:
    """The functions of a file that are tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    )


def network() -> relay.IRModule:
    x = relay.var("x", shape=(1, 8))
    return relay.IRModule.from_expr(relay.nn.relu(relay.nn.dense(x, relay.const(np.ones((4, 8), np.float32)))))


def kernels(**keywords: Any) -> str:
    return relay.build(network(), "llvm", executor="aot", **keywords).get_lib().get_source()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["mechanism"][:40])
def test_a_row_has_a_state_and_names_the_tests_that_show_it(row: Row):
    assert row["state"] in ("same", "differs so", "refused because")
    assert row["note"] or row["state"] == "same"
    assert row["tests"]
    for each in row["tests"]:
        file, _, test = each.partition("::")
        assert test in functions_that_test(ROOT / "tests" / file), f"{each}: there is no such test"


def test_all_mechanisms_are_there_once():
    assert len(ROWS) == len({(row["part"], row["mechanism"]) for row in ROWS}) == 209


def test_each_program_of_a_mechanism_is_named_by_a_row():
    named = {each for row in ROWS for each in row["tests"]}
    for path in sorted((ROOT / "tests" / "tvm" / "mechanisms").glob("test_*.py")):
        file = path.relative_to(ROOT / "tests").as_posix()
        assert {f"{file}::{test}" for test in functions_that_test(path)} <= named


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
        __import__("s2s.tvm.relay", fromlist=["prelude"]).prelude.Prelude(None)


def test_buffers_are_planned():
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: a[i], name="B")
    with pytest.raises(UnsupportedError, match=r"tvm.lower: binds gives buffers to tensors, and buffers are planned"):
        tvm.lower(te.create_schedule(b.op), [a, b], binds={a: a})
