"""External code generators on devices beside the first one."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.artifact import compile_artifact
from s2s.decisions.decision import Decision
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.external.generator import Composite
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions, Executor
from s2s.targets import Target
from s2s.types.devices import Device
from s2s.types.weights import WeightStore
from support.c_compilers import require
from support.external import Toy, registered
from support.parse import parse

STAND_IN = Path(__file__).parent / "cmsis_nn_stand_in"
DSP: dict[str, dict[str, object]] = {"dsp": {"layers": ["two", "three"], "external": ["toy=always"]}}


class Asked(Toy):
    """Notes the targets that it is asked for."""

    def __init__(self) -> None:
        self.targets: set[str] = set()

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        self.targets.add(target.name)
        return super().unsupported(composite, target)


@pytest.fixture(autouse=True)
def toy() -> Iterator[Asked]:
    generator = Asked()
    with registered(generator):
        yield generator


def network() -> onnx.ModelProto:
    """Four products one after the other."""
    random = np.random.default_rng(0)
    names, values = ["one", "two", "three", "four"], ["x", "a", "b", "c", "y"]
    weights = [numpy_helper.from_array(random.normal(size=(6, 6)).astype(np.float32), f"w_{name}") for name in names]
    nodes = [
        helper.make_node("MatMul", [values[number], f"w_{name}"], [values[number + 1]], name)
        for number, name in enumerate(names)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 6]) for name in "xy"]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def x() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)


def expected() -> np.ndarray:
    found = x()
    for weight in network().graph.initializer:
        found = found @ numpy_helper.to_array(weight)
    return found


def chosen(artifact: api.Artifact) -> dict[str, Decision]:
    return {each.nodes: each for each in artifact.decisions.entries if each.kind == "external"}


@pytest.mark.parametrize("memory", ["own", "shared"])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_a_generator_computes_on_another_device(executor: Executor, memory: str):
    devices = {"dsp": {**DSP["dsp"], "memory": memory}}
    with api.compile(network(), target="c", name="net", executor=executor, devices=devices) as found:
        np.testing.assert_allclose(found.run({"x": x()})["y"], expected(), rtol=1e-4, atol=1e-4)
        assert "toy_product(" in found.tree().text("src/dsp/net_dsp_toy.c")
        assert "src/net_toy.c" not in found.tree().files
        assert "net_two_packed" in found.tree().text("src/dsp/net_dsp_weights.h")
        assert {node: each.chosen for node, each in chosen(found).items()} == {"one, four": "s2s", "two, three": "toy"}


@pytest.mark.parametrize("memory", ["own", "shared"])
def test_no_region_spans_two_devices(memory: str):
    devices = {"dsp": {**DSP["dsp"], "memory": memory}}
    with api.compile(network(), target="c", name="net", external="toy=always", devices=devices) as found:
        calls = [line.split("(")[0].strip() for line in found.tree().text("src/net.c").splitlines() if "toy_" in line]
        assert calls == ["net_toy_matmul", "net_dsp_toy_region", "net_toy_matmul_2"]
        assert found.verify(levels=True).passed


def test_a_generator_is_asked_with_the_target_of_the_device(toy: Asked):
    devices = {"dsp": {**DSP["dsp"], "target": "cortex-m4"}}
    api.compile(network(), target="c", devices=devices)
    assert toy.targets == {"cortex-m4"}


def test_the_generators_of_one_device_are_not_those_of_another():
    found = chosen(api.compile(network(), target="c", devices=DSP))
    assert [each.refused for each in found["one, four"].candidates if each.note == "toy"] == [
        "it runs on main, and --external names other generators"
    ]
    other = chosen(
        api.compile(network(), target="c", external="toy=always", devices={"dsp": {"layers": ["two", "three"]}})
    )
    assert [each.refused for each in other["two, three"].candidates if each.note == "toy"] == [
        "it runs on dsp, and the key external of its table names other generators"
    ]


def test_decisions_given_back_give_the_same_tree():
    """Equal products are computed by the generator on one device, and by our kernels on the other."""
    first = api.compile(network(), target="c", devices=DSP)
    again = api.compile(network(), target="c", devices=DSP, decisions=first.decisions)
    assert {path: b"".join(pieces(content)) for path, content in first.tree().files.items()} == {
        path: b"".join(pieces(content)) for path, content in again.tree().files.items()
    }


def test_an_unknown_generator_is_refused_where_it_stands():
    with pytest.raises(InputError, match="--devices: dsp: external: nobody: there is no such generator"):
        api.compile(network(), devices={"dsp": {"layers": ["two"], "external": ["nobody"]}})


POOLS = """
func.func @main(%x: tensor<1x6x6x8xi8> {name = "x"}) -> (tensor<1x2x2x8xi8> {name = "y"}) {
  %a = graph.max_pool %x {node = "first", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
    pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NHWC"}
    : (tensor<1x6x6x8xi8>) -> tensor<1x3x3x8xi8>
  %y = graph.avg_pool %a {node = "second", kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>,
    pads = array<i64: 0, 0, 0, 0>, counted_pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
    layout = "NHWC"} : (tensor<1x3x3x8xi8>) -> tensor<1x2x2x8xi8>
  func.return %y : tensor<1x2x2x8xi8>
}
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("first", [(), (("cmsis-nn", "always"),)])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_a_library_computes_on_the_second_device(
    executor: Executor, first: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """CMSIS-NN for a Cortex-M4 beside another core, or for both; its files are in the library of their device."""
    require("gcc")
    monkeypatch.setenv("CMSIS_NN_PATH", str(STAND_IN))
    device = Device("dsp", target="cortex-m4", layers=("second",), external=("cmsis-nn=always",))
    options = CompileOptions(target="c", executor=executor, external=first, devices=(device,))
    values = np.random.default_rng(0).integers(-128, 128, (1, 6, 6, 8)).astype(np.int8)
    (wanted,) = run_graph(parse(POOLS), [values], WeightStore())
    with compile_artifact(GraphModel(parse(POOLS), {}, "net"), options) as found:
        np.testing.assert_array_equal(found.run({"x": values})["y"], wanted)
        listed = json.loads(found.tree().text("metadata.json"))["external"]
        assert [each.get("device", "main") for each in listed] == [*["main"] * len(first), "dsp"]
        tree = found.write(tmp_path / "net")
    subprocess.run(["make", "-s", "test", f"CMSIS_NN_PATH={STAND_IN}"], cwd=tree, check=True, capture_output=True)
    library = tree / "build" / "host" / "libnet_dsp.a"
    members = subprocess.run(["ar", "t", library], check=True, capture_output=True, text=True).stdout
    assert "stand_in_s8.o" in members


def test_cmake_builds_the_library_of_the_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    require("cmake")
    device = Device("dsp", layers=("second",), external=("cmsis-nn=always",))
    options = CompileOptions(target="c", devices=(device,))
    tree = compile_artifact(GraphModel(parse(POOLS), {}, "net"), options).write(tmp_path / "net")
    configured = ["cmake", "-S", tree, "-B", tmp_path / "build", f"-DCMSIS_NN_PATH={STAND_IN}"]
    subprocess.run(configured, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    subprocess.run(["ctest", "--test-dir", tmp_path / "build"], check=True, capture_output=True)
