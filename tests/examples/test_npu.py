"""The example of an accelerator: its model, its driver and its generator compute what the network does."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.external.registry import remove_codegen

NPU = Path(__file__).parents[2] / "examples" / "external" / "npu"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the generator of the example."""
    monkeypatch.syspath_prepend(NPU)  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.setenv("NPU_PATH", str(NPU))
    import npu  # pyright: ignore[reportMissingImports]

    api.register_codegen(npu.Npu())  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    yield
    remove_codegen("npu")
    sys.modules.pop("npu", None)


def mlp(*sizes: int, rows: int = 3) -> onnx.ModelProto:
    """Layers with bias and relu; the last one has no relu."""
    random = np.random.default_rng(0)
    nodes, weights, value = list[Any](), list[Any](), "x"
    for number, (depth, columns) in enumerate(pairwise(sizes)):
        w, b = random.normal(size=(depth, columns)), random.normal(size=columns)
        weights += [numpy_helper.from_array(v.astype(np.float32), f"{n}{number}") for n, v in (("w", w), ("b", b))]
        nodes.append(helper.make_node("Gemm", [value, f"w{number}", f"b{number}"], [f"g{number}"], f"layer{number}"))
        value = f"g{number}"
        if number < len(sizes) - 2:
            nodes.append(helper.make_node("Relu", [value], [f"r{number}"], f"relu{number}"))
            value = f"r{number}"
    nodes[-1].output[0] = "y"
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, size])
        for name, size in (("x", sizes[0]), ("y", sizes[-1]))
    ]
    graph = helper.make_graph(nodes, "mlp", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def chosen(model: onnx.ModelProto, mode: str) -> dict[str, str]:
    found = api.compile(model, target="c", external=f"npu={mode}").decisions
    return {each.nodes: each.chosen for each in found if each.kind == "external"}


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_layers_run_on_the_engine(executor: Literal["aot", "graph"]):
    model = mlp(8, 12, 16, 4)
    with api.compile(model, target="c", name="mlp", executor=executor, external="npu=always") as artifact:
        code = artifact.tree().text("src/mlp_npu.c")
        assert artifact.verify(levels=executor == "aot").passed
    assert code.count("npu_product(") == 3
    assert "NPU_MAIN(x0), weights0, bias0, NPU_LOCAL(0), 3, 12, 8, NPU_FLAG_RELU | NPU_FLAG_LOCAL_OUTPUT" in code


def test_what_exceeds_the_memory_of_the_engine_goes_through_scratch():
    model = mlp(8, 1024, 512, 4)
    with api.compile(model, target="c", name="mlp", external="npu=always") as artifact:
        assert "NPU_MAIN((float *)scratch + 0)" in artifact.tree().text("src/mlp_npu.c")
        assert artifact.verify().passed


def test_restrictions_are_reasons():
    model = mlp(8, 6, 4)
    found = api.compile(model, target="c", external="npu=always").decisions
    asked = [each for each in found if each.kind == "external"]
    refused = {each.nodes: [c.refused for c in each.candidates if c.note == "npu"] for each in asked}
    assert refused["layer0, relu0"] == ["6 columns are no multiple of 4"]


def test_small_layers_stay_on_the_core():
    found = chosen(mlp(4, 4, 256, 64), "auto")
    assert found["layer0, relu0"] == "s2s"
    assert found["layer2"] == "npu"


def test_the_written_tree_builds_with_its_own_make(tmp_path: Path):
    tree = api.compile(mlp(8, 12, 4), target="c", name="mlp", external="npu=always").write(tmp_path / "mlp")
    subprocess.run(["make", "-C", str(tree), f"NPU_PATH={NPU}", "test"], check=True, capture_output=True)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_the_engine_may_be_a_device_with_a_memory_of_its_own(executor: Literal["aot", "graph"], tmp_path: Path):
    """Its driver, its constants and its model are in the library of the device; copies go there and back."""
    devices = {"engine": {"layers": ["layer1", "layer2"], "external": ["npu=always"]}}
    model = mlp(8, 12, 16, 4)
    with api.compile(model, target="c", name="mlp", executor=executor, devices=devices) as artifact:
        assert artifact.tree().text("src/engine/mlp_engine_npu.c").count("npu_product(") == 2
        assert artifact.verify(levels=executor == "aot").passed
        tree = artifact.write(tmp_path / "mlp")
    subprocess.run(["make", "-C", str(tree), f"NPU_PATH={NPU}", "test"], check=True, capture_output=True)
    listed = subprocess.run(["ar", "t", tree / "build" / "libmlp_engine.a"], check=True, capture_output=True, text=True)
    assert "npu_driver.o" in listed.stdout
