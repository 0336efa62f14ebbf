"""Above the run function stands the arena: place, offset, bytes and steps of each tensor, in the words of the code."""

import re
from itertools import pairwise
from typing import Literal

import pytest

from s2s.api import compile as compile_network
from s2s.artifact import Artifact
from s2s.c_syntax.layout import WIDTH
from s2s.passes.loop.lower_to_c.arena import MAX_ROWS
from s2s.passes.loop.timeline import timeline_of
from support.onnx_text import onnx_model
from support.project import ROOT

ROW = re.compile(r"^ \* (\S.*?) {2,}(\d+) {2,}(\d+) {2,}(\d+) {2,}(\d+)  .*$", re.MULTILINE)


def network(artifact: Artifact) -> str:
    name = artifact.info.name
    return artifact.tree().text(f"src/{name}.c")


def chain(length: int) -> str:
    """A chain of sums whose first operand lives until the end."""
    values = ["x", *(f"v{number}" for number in range(length)), "y"]
    steps = "\n".join(
        f"[step{n}] t{n} = ReduceSum <keepdims = 1> ({a})\n[add{n}] {b} = Add ({a}, t{n})"
        for n, (a, b) in enumerate(pairwise(values))
    )
    return f"(float[64] x) => (float[64] y) {{\n{steps}\n}}"


@pytest.mark.parametrize("profile", ["default", "misra"])
def test_rows_are_the_timeline_and_places_are_in_the_code(profile: Literal["default", "misra"]):
    artifact = compile_network(ROOT / "examples" / "digits" / "digits.onnx", target="c", profile=profile)
    text = network(artifact)
    table, _, code = text.partition("s2s_status digits_run(")
    rows = ROW.findall(table)
    planned = timeline_of(artifact.compilation.at("memory").module).buffers
    assert sorted((int(row[1]), int(row[2]), int(row[3]) - 1, int(row[4]) - 1) for row in rows) == sorted(
        (tensor.offset, tensor.size, tensor.first, tensor.last) for tensor in planned
    )
    assert f"The arena, {artifact.info.arena_size:,} bytes." in table
    for place, *_ in rows:
        assert place in code


def test_the_table_of_many_tensors_shows_those_of_the_fullest_step():
    artifact = compile_network(onnx_model(chain(40)), target="c")
    table = network(artifact).partition("s2s_status ")[0]
    rows = ROW.findall(table)
    assert 0 < len(rows) <= MAX_ROWS
    (step,) = re.findall(r"those of step (\d+), the fullest", table)
    assert all(int(row[3]) <= int(step) <= int(row[4]) for row in rows)
    assert max(int(row[1]) + int(row[2]) for row in rows) == artifact.info.arena_size


def test_long_names_of_nodes_break_no_row():
    name = "functional_1" + "_block" * 30 + "_relu"
    text = f"(float[64] x) => (float[64] y) {{\n[{name}] a = ReduceSum <keepdims = 1> (x)\n[last] y = Add (a, x)\n}}"
    table = network(compile_network(onnx_model(text), target="c")).partition("s2s_status ")[0]
    assert all(len(line) <= WIDTH for line in table.splitlines())


def test_a_network_without_an_arena_has_no_table():
    artifact = compile_network(onnx_model("(float[4] x) => (float[4] y) { y = Relu (x) }"), target="c")
    assert "The arena" not in network(artifact)


def test_a_check_of_indices_is_named_after_its_node():
    body = "(float[8, 4] x, int64[3] i) => (float[3, 4] y) { j = Add(i, i) [picked] y = Gather<axis = 0>(x, j) }"
    table = network(compile_network(onnx_model(body), target="c")).partition("s2s_status ")[0]
    assert "loop.require" not in table
    assert re.search(r"  picked( \*/)?$", table, re.MULTILINE)
