"""An imported network is read back as calls of relay's operators, which compute what the network does."""

from typing import Any

import numpy as np
import pytest

from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.ir import Op
from s2s.tvm.relay import Call, Expr, Function, IRModule
from support.onnx_text import onnx_model

CASES = {
    "a convolution with a bias": (
        "Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b)",
        ["nn.conv2d", "nn.bias_add"],
        (1, 2, 6, 6),
    ),
    "a transposed convolution": ("ConvTranspose <strides = [2, 2]> (x, v)", ["nn.conv2d_transpose"], (1, 2, 4, 4)),
    "the largest of windows": ("MaxPool <kernel_shape = [2, 2]> (x)", ["nn.max_pool2d"], (1, 2, 5, 5)),
    "means of windows": (
        "AveragePool <kernel_shape = [2, 2], pads = [1, 1, 0, 0]> (x)",
        ["nn.avg_pool2d"],
        (1, 2, 5, 5),
    ),
    "a product": ("MatMul (x, m)", ["nn.matmul"], (3, 4)),
    "a dense layer": ("Gemm <transB = 1> (x, t)", ["nn.dense"], (3, 4)),
    "a softmax": ("Softmax (x)", ["nn.softmax"], (3, 4)),
    "a relu": ("Relu (x)", ["nn.relu"], (3, 4)),
    "a transposition": ("Transpose <perm = [1, 0]> (x)", ["transpose"], (3, 4)),
    "a reshape": ("Flatten <axis = 0> (x)", ["reshape"], (3, 4)),
    "a mean": ("ReduceMean <axes = [1], keepdims = 0> (x)", ["mean"], (3, 4)),
    "a concatenation": ("Concat <axis = 1> (x, x)", ["concatenate"], (3, 4)),
    "a conversion": ("Cast <to = 6> (x)", ["cast"], (3, 4)),
    "halves to even, which relay's round is not": ("Round (x)", ["graph.round"], (3, 4)),
}


def model(node: str, shape: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(2)

    def constant(name: str, sizes: tuple[int, ...]) -> str:
        numbers = ", ".join(f"{each:.3f}" for each in rng.standard_normal(int(np.prod(sizes))))
        return f"float[{', '.join(map(str, sizes))}] {name} = {{{numbers}}}"

    given = [
        constant("w", (3, 2, 3, 3)),
        constant("b", (3,)),
        constant("v", (2, 3, 2, 2)),
        constant("m", (4, 2)),
        constant("t", (5, 4)),
    ]
    result = "int32" if node.startswith("Cast") else "float"
    sizes = "a" if "Mean" in node else "a, b, c, d"[: 3 * len(shape) - 2]
    return onnx_model(f"(float{list(shape)} x) => ({result}[{sizes}] y) <{', '.join(given)}> {{ y = {node} }}")


@pytest.mark.parametrize("name", CASES)
def test_operations_have_the_names_of_relay(name: str):
    node, wanted, shape = CASES[name]
    mod, _ = relay.frontend.from_onnx(model(node, shape))
    main: Any = mod["main"]
    found: list[str] = []

    def note(each: Expr) -> None:
        if isinstance(each, Call) and isinstance(each.op, Op):
            found.append(each.op.name)

    relay.analysis.post_order_visit(main, note)
    assert found == wanted
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    again = IRModule({"main": Function(main.params, main.body)})
    results = [run_graph(each.module, [x], each.weights)[0] for each in (mod, again)]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-6, atol=1e-7)


def test_the_text_of_an_imported_network_reads_back():
    mod, _ = relay.frontend.from_onnx(model("Conv (x, w, b)", (1, 2, 6, 6)))
    assert "nn.conv2d(" in mod.astext(show_meta_data=False)
    assert relay.fromtext(mod.astext()).astext() == mod.astext()
