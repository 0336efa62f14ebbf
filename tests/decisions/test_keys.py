"""Task keys are those of what is computed, whatever it is called and whatever the weights are."""

from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.api import compile as compile_network
from s2s.decisions.keys import target_text
from s2s.targets import get_target


def network(channels: int = 16, *, seed: int = 0, prefix: str = "a", layers: int = 1, pads: int = 1) -> onnx.ModelProto:
    """Equal convolutions one after the other."""
    random = np.random.default_rng(seed)
    names = [f"{prefix}_{number}" for number in range(layers + 1)]
    weights = [
        numpy_helper.from_array(random.normal(size=(channels, channels, 3, 3)).astype(np.float32), f"{prefix}_w{n}")
        for n in range(layers)
    ]
    nodes = [
        helper.make_node("Conv", [names[n], weights[n].name], [names[n + 1]], f"{prefix}_node{n}", pads=[pads] * 4)
        for n in range(layers)
    ]
    ends = [helper.make_tensor_value_info(names[0], TensorProto.FLOAT, [1, channels, 12, 12])]
    result = helper.make_tensor_value_info(names[-1], TensorProto.FLOAT, ["n", "c", "h", "w"])
    graph = helper.make_graph(nodes, prefix, ends, [result], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def keys(model: onnx.ModelProto, target: str = "c") -> list[str]:
    return [each.subject for each in compile_network(model, target=target).decisions if each.kind == "schedule"]


def test_names_and_weights_do_not_count():
    assert keys(network()) == keys(network(seed=1, prefix="other"))


def test_equal_layers_have_one_key():
    assert keys(network(layers=3)) == keys(network())


@pytest.mark.parametrize("other", [{"channels": 8}, {"pads": 0}])
def test_shapes_and_what_is_computed_count(other: dict[str, Any]):
    assert not set(keys(network())) & set(keys(network(**other)))


@pytest.mark.parametrize("data", [{"intrinsics": ()}, {"fma_latency": 9}, {"load_floats": 1}, {"description": "M4"}])
def test_what_a_target_learns_keeps_its_records(data: dict[str, Any]):
    m4 = get_target("cortex-m4")
    assert target_text(replace(m4, **data)) == target_text(m4)


@pytest.mark.parametrize(
    "data", [{"registers": 8}, {"word_bits": 64}, {"cflags": ("-mcpu=cortex-m7",)}, {"l1_bytes": 4096}]
)
def test_another_machine_has_other_keys(data: dict[str, Any]):
    m4 = get_target("cortex-m4")
    assert target_text(replace(m4, **data)) != target_text(m4)


def test_the_target_counts():
    assert not set(keys(network())) & set(keys(network(), "rv32imc"))
