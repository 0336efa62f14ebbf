"""The self-test of a tree: its inputs, and the roundings that it permits."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from s2s.api import compile
from support.c_compilers import WARNINGS, require, run
from support.onnx_text import onnx_model


def normalisation() -> onnx.ModelProto:
    """A batch normalisation of float16, which is folded to a product and a sum that are each rounded."""
    random = np.random.default_rng(0)
    names = ["scale", "bias", "mean", "var"]
    stored = [numpy_helper.from_array(random.uniform(0.5, 4, 4).astype(np.float16), name) for name in names]
    node = helper.make_node("BatchNormalization", ["x", *names], ["y"])
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT16, [8, 4, 5]) for name in ("x", "y")]
    graph = helper.make_graph([node], "half", ports[:1], ports[1:], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def self_test(tree: Path) -> str:
    """Build the self-test of `tree`, and return what it says."""
    includes = ["-Iinclude", "-Isrc", "-Iruntime/include"]
    sources = [path.relative_to(tree) for path in sorted(tree.rglob("*.c"))]
    run([require("gcc"), *WARNINGS, "-O0", *includes, *sources, "-o", "check", "-lm"], tree)
    return run([tree / "check"], tree)


def test_halves_may_differ_by_some_roundings(tmp_path: Path):
    with compile(normalisation(), target="c", name="net") as artifact:
        tree = artifact.write(tmp_path)
    assert "largest difference 0," not in (said := self_test(tree))
    assert "passed" in said


def test_inputs_of_a_network_that_is_too_large_for_expected_outputs_are_zeros_in_no_file(tmp_path: Path):
    with compile(onnx_model("(float[33554433] x) => (float[33554433] y) { y = Exp(x) }"), name="net") as artifact:
        tree = artifact.write(tmp_path)
    assert [path.name for path in (tree / "test").iterdir()] == ["net_test.c"]
    assert "passed" in self_test(tree)


@pytest.mark.parametrize(
    ("element", "wanted", "unwanted"),
    [
        ("int32", ["<string.h>", "check_exact"], ["RELATIVE", "<math.h>", "check_f32"]),
        ("float", ["RELATIVE", "<math.h>", "check_f32"], ["<string.h>", "check_exact"]),
    ],
)
def test_a_self_test_holds_only_what_its_outputs_need(
    element: str, wanted: list[str], unwanted: list[str], tmp_path: Path
):
    with compile(onnx_model(f"({element}[6] x) => ({element}[6] y) {{ y = Add(x, x) }}"), name="net") as artifact:
        text = (artifact.write(tmp_path) / "test" / "net_test.c").read_text()
    assert [each for each in wanted if each not in text] == []
    assert [each for each in unwanted if each in text] == []
