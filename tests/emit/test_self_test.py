"""The self-test of a tree permits the roundings that the element type of an output has."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.api import compile
from support.c_compilers import require, run


def normalisation() -> onnx.ModelProto:
    """A batch normalisation of float16, which is folded to a product and a sum that are each rounded."""
    random = np.random.default_rng(0)
    names = ["scale", "bias", "mean", "var"]
    stored = [numpy_helper.from_array(random.uniform(0.5, 4, 4).astype(np.float16), name) for name in names]
    node = helper.make_node("BatchNormalization", ["x", *names], ["y"])
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT16, [8, 4, 5]) for name in ("x", "y")]
    graph = helper.make_graph([node], "half", ports[:1], ports[1:], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def test_halves_may_differ_by_some_roundings(tmp_path: Path):
    with compile(normalisation(), target="c", name="net") as artifact:
        tree = artifact.write(tmp_path)
    includes = ["-Iinclude", "-Isrc", "-Iruntime/include"]
    sources = [path.relative_to(tree) for path in sorted(tree.rglob("*.c"))]
    run([require("gcc"), "-std=c99", "-O0", *includes, *sources, "-o", "check", "-lm"], tree)
    assert "largest difference 0," not in (said := run([tree / "check"], tree))
    assert "passed" in said
