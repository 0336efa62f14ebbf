"""Another choice than the compiler's, for every kind of decisions about networks: obeyed, and the numbers are right."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.api import compile as compile_network
from s2s.decisions.decision import Decision
from s2s.errors import InputError
from support.onnx_text import onnx_model

FUSED = onnx_model(
    "(float[1, 4, 12, 12] x) => (float[1, 4, 6, 6] y) "
    "{ [pool] a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)"
    "  [sigmoid] b = Sigmoid (a) [product] c = Mul (b, a) [relu] y = Relu (c) }"
)
ATTENTION = onnx_model(
    "(float[2, 24, 8] q, float[2, 8, 24] k, float[2, 24, 8] v) => (float[2, 24, 8] y) "
    "{ [scores] s = MatMul (q, k) [softmax] p = Softmax <axis = -1> (s) [weighted] y = MatMul (p, v) }"
)
BRANCHES = onnx_model(
    "(float[8, 8] x) => (float[8, 8] y) { [a] a = MatMul (x, x) [b] s = Softmax (x) [c] y = MatMul (a, s) }"
)
THREADS = onnx_model("(float[200, 256] x, float[256, 256] w) => (float[200, 256] y) { [product] y = MatMul (x, w) }")
PRODUCT = onnx_model(
    "(float[48, 40] a, float[32, 40] b) => (float[48, 32] y) "
    "{ [turned] t = Transpose <perm = [1, 0]> (b) [product] y = MatMul (a, t) }"
)
SMALL_PRODUCT = onnx_model("(float[24, 40] a, float[40, 64] b) => (float[24, 64] y) { [product] y = MatMul (a, b) }")
WINDOWS = onnx_model(
    "(float[1, 16, 30, 30] x) => (float[1, 16, 13, 13] y) "
    "{ [pool] y = AveragePool <kernel_shape = [5, 5], strides = [2, 2]> (x) }"
)
SMALL_WINDOWS = onnx_model(
    "(float[1, 16, 9, 9] x) => (float[1, 16, 8, 8] y) { [pool] y = AveragePool <kernel_shape = [2, 2]> (x) }"
)


def bottleneck() -> onnx.ModelProto:
    """A chain whose images are larger than half of a small cache."""
    random = np.random.default_rng(0)
    shapes = {"expand": (40, 4, 1, 1), "slide": (40, 1, 3, 3), "project": (12, 40, 1, 1)}
    stored = [
        numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name) for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "expand"], ["a"], "expand"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("Conv", ["b", "slide"], ["c"], "slide", group=40, pads=[1] * 4),
        helper.make_node("Conv", ["c", "project"], ["d"], "project"),
        helper.make_node("MaxPool", ["d"], ["y"], "pool", kernel_shape=[2, 2]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 32, 32])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "bottleneck", [x], [y], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def layer(op: str, w: tuple[int, ...], x: tuple[int, ...], y: tuple[int, ...], **more: Any) -> onnx.ModelProto:
    """A network of one layer with constant weights."""
    stored = numpy_helper.from_array(np.random.default_rng(0).standard_normal(w).astype(np.float32), "w")
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x), ("y", y))]
    node = helper.make_node(op, ["x", "w"], ["y"], "layer", **more)
    graph = helper.make_graph([node], "g", ports[:1], ports[1:], [stored])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


TRANSPOSED = layer("ConvTranspose", (8, 6, 4, 4), (1, 8, 7, 7), (1, 6, 14, 14), strides=[2, 2], pads=[1, 1, 1, 1])
GROUPS = layer("Conv", (16, 4, 3, 3), (1, 16, 9, 9), (1, 16, 7, 7), group=4)
WINOGRAD = layer("Conv", (64, 64, 3, 3), (1, 64, 28, 28), (1, 64, 28, 28), pads=[1, 1, 1, 1])
JOINED = onnx_model(
    "(float[1, 16, 6, 6] x) => (float[1, 32, 3, 3] y) "
    "{ [one] a = MaxPool <kernel_shape = [2, 2]> (x) [two] b = AveragePool <kernel_shape = [2, 2]> (x)"
    "  [joined] c = Concat <axis = 1> (a, b) [last] y = MaxPool <kernel_shape = [2, 2], strides = [2, 2], "
    "pads = [1, 1, 0, 0]> (c) }"
)


CASES: dict[str, tuple[onnx.ModelProto, str, str, dict[str, Any]]] = {
    "fusion": (FUSED, "fusion", "a kernel each", {}),
    "attention": (ATTENTION, "attention", "a kernel each", {}),
    "order": (BRANCHES, "order", "1 0 2", {}),
    "whole images": (bottleneck(), "row tiles", "whole images", {"target": "x86-64-v3"}),
    "fewer rows": (bottleneck(), "row tiles", "4 rows", {"target": "x86-64-v3"}),
    "one thread": (THREADS, "threads", "one thread", {"threads": 2}),
    "fused rows": (ATTENTION, "fused rows", "16", {"target": "x86-64-v2"}),
    "panels": (PRODUCT, "panels", "as it lies", {"target": "x86-64-v3"}),
    "no panels": (SMALL_PRODUCT, "panels", "copied", {"target": "x86-64-v3"}),
    "images": (WINDOWS, "images", "as it lies", {"target": "x86-64-v3"}),
    "no images": (SMALL_WINDOWS, "images", "copied", {"target": "x86-64-v3"}),
    "transposed as it is": (TRANSPOSED, "transposed convolution", "as it is", {"target": "x86-64-v3"}),
    "phases at once": (TRANSPOSED, "transposed convolution", "one convolution", {"target": "x86-64-v3"}),
    "groups as they are": (GROUPS, "convolution groups", "1", {"target": "x86-64-v3"}),
    "one group": (GROUPS, "convolution groups", "4", {"target": "x86-64-v3"}),
    "concatenation": (JOINED, "concatenation", "copied", {"target": "x86-64-v3"}),
    "tile rows": (WINOGRAD, "winograd blocks", "2 tile rows", {"target": "x86-64-v3"}),
    "output channels": (WINOGRAD, "winograd blocks", "24 output channels", {"target": "x86-64-v3"}),
    "constants": (GROUPS, "constants", "binary file", {}),
    "small kernels divided": (ATTENTION, "threads", "divided", {"threads": 2}),
}


def decisions(model: onnx.ModelProto, kind: str, **options: Any) -> list[Decision]:
    return [each for each in compile_network(model, **options).decisions if each.kind == kind]


def given(found: list[Decision], chosen: str) -> dict[str, Any]:
    entries = [{"kind": each.kind, "subject": each.subject, "chosen": chosen} for each in found]
    return {"format": 1, "decisions": entries}


@pytest.mark.parametrize("case", CASES)
def test_another_choice_is_obeyed_and_right(case: str):
    model, kind, chosen, options = CASES[case]
    found = decisions(model, kind, **options)
    assert found
    assert {each.chosen for each in found} != {chosen}
    with compile_network(model, decisions=given(found, chosen), **options) as artifact:
        assert {(each.chosen, each.by) for each in artifact.decisions if each.kind == kind} == {(chosen, "user")}
        assert artifact.verify().passed


@pytest.mark.parametrize(
    ("case", "chosen", "reason"),
    [
        ("fusion", "two kernels", "it is none of one kernel, a kernel each"),
        ("order", "2 1 0", "call 2 reads what call"),
        ("order", "0 1", "names each of the calls 0 … 2 once"),
        ("order", "first to last", "give numbers of calls"),
        ("whole images", "5 rows", "do not make up an image of"),
        ("whole images", "some", "give `whole images`"),
        ("one group", "3", "4 groups do not divide into 3"),
        ("one group", "all", "give a number of groups"),
        ("tile rows", "99 tile rows", "there are 7 tile rows"),
        ("tile rows", "65 output channels", "give a multiple of"),
        ("tile rows", "some", "give `whole images`, or a number"),
        ("one thread", "all", "it is none of divided, one thread"),
    ],
)
def test_choices_that_are_not_legal(case: str, chosen: str, reason: str):
    model, kind, _, options = CASES[case]
    with pytest.raises(InputError, match=reason):
        compile_network(model, decisions=given(decisions(model, kind, **options), chosen), **options)


def test_kernels_without_parallel_loops_cannot_be_divided():
    model = onnx_model("(float[4096] x) => (float[1] y) { [sum] y = ReduceSum (x) }")
    found = decisions(model, "threads", threads=2)
    with pytest.raises(InputError, match="no outermost loop whose iterations"):
        compile_network(model, decisions=given(found, "divided"), threads=2)


def test_fused_operators_have_one_kernel_each():
    apart = compile_network(FUSED, decisions=given(decisions(FUSED, "fusion"), "a kernel each"))
    assert len(apart.compilation.costs) > len(compile_network(FUSED).compilation.costs)
