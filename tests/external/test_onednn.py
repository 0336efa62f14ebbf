"""Convolutions by the real oneDNN: right in all forms, and left alone where it cannot be called."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.artifact import Artifact
from s2s.frontends.tflite.writer import RELU6, SAME, TensorSpec, single
from support.c_compilers import require_header

PACKAGE = "libdnnl-dev"


def network(*nodes: tuple[str, dict[str, Any], tuple[int, ...]], size: int = 9) -> onnx.ModelProto:
    """Nodes in a row on x[2, 3, size, size]: operator, attributes, and the shape of its weights, if it has any."""
    random = np.random.default_rng(0)
    made: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    value = "x"
    for number, (kind, attributes, shape) in enumerate(nodes):
        inputs = [value, value] if kind == "Add" else [value]
        if shape:
            arrays = {f"w{number}": random.normal(size=shape), f"b{number}": random.normal(size=shape[0])}
            weights += [numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()]
            inputs += arrays
        value = "y" if number == len(nodes) - 1 else f"v{number}"
        made.append(helper.make_node(kind, inputs, [value], f"n{number}", **attributes))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, size, size])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(made, "net", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


FORMS = network(
    ("Conv", {"pads": [1, 1, 1, 1]}, (16, 3, 3, 3)),
    ("Relu", {}, ()),
    ("Conv", {"group": 16, "pads": [0, 1, 2, 1], "strides": [2, 2]}, (16, 1, 3, 3)),
    ("Conv", {"dilations": [2, 2], "pads": [2, 2, 2, 2], "group": 2}, (10, 8, 3, 3)),
    ("Conv", {}, (7, 10, 1, 1)),
)


def residual() -> onnx.ModelProto:
    """clip(conv(x) + x, 0, 6)"""
    model = network(("Conv", {"pads": [1, 1, 1, 1]}, (3, 3, 3, 3)))
    del model.graph.node[0].output[:]
    model.graph.node[0].output.append("c")
    model.graph.node.extend(
        [
            helper.make_node("Add", ["x", "c"], ["a"], "add"),
            helper.make_node("Clip", ["a", "low", "high"], ["y"], "clip"),
        ]
    )
    bounds = {"low": 0.0, "high": 6.0}
    model.graph.initializer.extend(
        [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in bounds.items()]
    )
    return model


def compiled(model: Any, **options: Any) -> Artifact:
    given: dict[str, Any] = {"target": "host", "external": "onednn=always", **options}
    return api.compile(model, **given)


def reasons(model: Any, **options: Any) -> list[str | None]:
    found = [each for each in compiled(model, **options).decisions if each.kind == "external"]
    return [other.refused for each in found for other in each.candidates if other.note == "onednn"]


def check(model: Any, claimed: list[str]) -> None:
    """The library computes the nodes of `claimed`, and the results are those of the graph."""
    require_header("dnnl.h", PACKAGE)
    with compiled(model) as artifact:
        assert [each.nodes for each in artifact.decisions if each.chosen == "onednn"] == claimed
        verified = artifact.verify(levels=True)
        assert verified.passed
        assert verified.levels is not None


def test_all_forms_are_right():
    check(FORMS, ["n0, n1", "n2", "n3", "n4"])


def test_sums_and_clamps_belong_to_the_convolution():
    check(residual(), ["n0, add, clip"])


def test_channels_may_come_last():
    random = np.random.default_rng(0)
    constants = {
        "w": random.normal(size=(6, 3, 3, 4)).astype(np.float32),
        "b": random.normal(size=6).astype(np.float32),
    }
    x = [TensorSpec("x", (1, 8, 7, 4), "FLOAT32")]
    specs = [*x, *(TensorSpec(name, array.shape, data=array) for name, array in constants.items())]
    fields = {"padding": SAME, "stride_w": 2, "stride_h": 2, "fused_activation_function": RELU6}
    check(single("CONV_2D", specs, [TensorSpec("y", (1, 4, 4, 6), "FLOAT32")], "Conv2DOptions", **fields), ["y"])


def test_a_sum_that_broadcasts_is_ours():
    model = network(("Conv", {"pads": [1, 1, 1, 1]}, (3, 3, 3, 3)), ("Relu", {}, ()))
    model.graph.node[1].op_type = "Add"
    model.graph.node[1].input.append("row")
    model.graph.input.append(helper.make_tensor_value_info("row", TensorProto.FLOAT, [9]))
    assert [each.nodes for each in compiled(model).decisions if each.chosen == "onednn"] == ["n0"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"target": "cortex-m4"}, "target cortex-m4 is no host: there is no such library for it"),
        ({"exact": True}, "--exact: it adds in an order of its own"),
    ],
)
def test_restrictions_are_reasons(options: dict[str, Any], reason: str):
    assert reasons(network(("Conv", {}, (4, 3, 3, 3))), **options) == [reason]


@pytest.mark.parametrize(("target", "winner"), [("x86-64-v4", "s2s"), ("c", "onednn")])
@pytest.mark.parametrize("stride", [1, 2])
def test_auto_claims_convolutions_where_our_kernels_have_no_vectors(stride: int, target: str, winner: str):
    model = network(
        ("Conv", {"pads": [1, 1, 1, 1]}, (16, 3, 3, 3)),
        ("Conv", {"strides": [stride] * 2, "group": 16}, (16, 1, 3, 3)),
        size=48,
    )
    found = compiled(model, external="onednn=auto", target=target).decisions
    assert [each.chosen for each in found if each.kind == "external"] == [winner, winner]


def test_signals_are_no_images():
    model = network(("Conv", {}, (4, 3, 3)))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 20]))
    assert reasons(model) == ["an input of 3 dimensions, oneDNN is called for images"]
