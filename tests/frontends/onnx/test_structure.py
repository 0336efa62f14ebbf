"""Graphs that do not hang together are refused with the name of the node."""

import onnx
import pytest
from onnx import helper

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.limits import MAX_DEPTH
from s2s.frontends.onnx import load_model
from support.onnx_text import onnx_model

BROKEN = {
    "cycle": (
        "(float[1] x) => (float[1] y) { [one] a = Add(x, b) [two] b = Relu(a) y = Relu(b) }",
        r"one \(Add\): its input 'b' depends on its own output; break the cycle",
    ),
    "node that reads itself": (
        "(float[1] x) => (float[1] y) { [one] y = Add(x, y) }",
        r"one \(Add\): its input 'y' depends on its own output; break the cycle",
    ),
    "wrong order": (
        "(float[1] x) => (float[1] y) { [one] y = Relu(a) [two] a = Relu(x) }",
        r"one \(Relu\): input 'a' is produced later, by two \(Relu\); sort",
    ),
    "missing initializer": (
        "(float[1] x) => (float[1] y) { [one] y = Add(x, w) }",
        r"one \(Add\): input 'w' is neither a graph input, an initializer nor the output of a node; add",
    ),
    "value produced twice": (
        "(float[1] x) => (float[1] y) { [one] y = Relu(x) [two] y = Exp(x) }",
        r"two \(Exp\): 'y' is defined twice; rename",
    ),
    "input overwritten": (
        "(float[1] x) => (float[1] x) { [one] x = Relu(x) }",
        r"one \(Relu\): 'x' is defined twice",
    ),
    "input listed twice": (
        "(float[1] x, float[1] x) => (float[1] y) { y = Relu(x) }",
        "graph g: 'x' is defined twice",
    ),
    "output listed twice": (
        "(float[1] x) => (float[1] y, float[1] y) { y = Relu(x) }",
        "graph g: outputs: 'y' is defined twice",
    ),
    "output nobody produces": (
        "(float[1] x) => (float[1] z) { y = Relu(x) }",
        "graph g: output 'z' is produced by no node; remove it or add the node",
    ),
    "name of an outer value in a body": (
        """(float[1] x, bool c) => (float[1] y) {
            y = If (c) <then_branch = t () => (float[1] x) { x = Relu(x) },
                        else_branch = e () => (float[1] b) { b = Exp(x) }>
        }""",
        "'x' is defined twice",
    ),
    "value of a body seen outside": (
        """(float[1] x, bool c) => (float[1] y) {
            a = If (c) <then_branch = t () => (float[1] p) { p = Relu(x) },
                        else_branch = e () => (float[1] q) { q = Exp(x) }>
            y = Add(a, p)
        }""",
        "input 'p' is neither",
    ),
}


@pytest.mark.parametrize(("body", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_graph(body: str, message: str):
    with pytest.raises(InputError, match=message) as caught:
        load_model(onnx_model(body))
    assert len(str(caught.value).splitlines()) == 1


def test_both_branches_may_use_a_name():
    body = """(float[1] x, bool c) => (float[1] y) {
        y = If (c) <then_branch = t () => (float[1] p) { p = Relu(x) },
                    else_branch = e () => (float[1] p) { p = Exp(x) }>
    }"""
    load_model(onnx_model(body))


def nested(depth: int) -> onnx.ModelProto:
    """`depth` Ifs within each other."""
    value = helper.make_tensor_value_info("y", 1, [1])
    node = helper.make_node("Relu", ["x"], ["y"])
    for _ in range(depth):
        body = helper.make_graph([node], "b", [], [value])
        node = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body)
    inputs = [helper.make_tensor_value_info("x", 1, [1]), helper.make_tensor_value_info("c", 9, [])]
    graph = helper.make_graph([node], "g", inputs, [value])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_deep_nesting_is_unsupported():
    with pytest.raises(UnsupportedError, match=f"nested more than {MAX_DEPTH} deep; flatten"):
        load_model(nested(MAX_DEPTH + 1))


def functions(calls: dict[str, list[str]]) -> onnx.ModelProto:
    """Local functions that call each other; `f0` is called by the graph."""
    protos: list[onnx.FunctionProto] = []
    for name, callees in calls.items():
        values = ["x", *(f"v{i}" for i in range(len(callees)))]
        nodes = [
            helper.make_node(callee, [source], [target], domain="local" if callee in calls else "")
            for callee, source, target in zip(callees, values, values[1:], strict=False)
        ]
        imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
        protos.append(helper.make_function("local", name, ["x"], [values[-1]], nodes, imports))
    graph = helper.make_graph(
        [helper.make_node("f0", ["x"], ["y"], domain="local", name="call")],
        "g",
        [helper.make_tensor_value_info("x", 1, [1])],
        [helper.make_tensor_value_info("y", 1, [1])],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, functions=protos)


def test_function_that_calls_itself_is_refused():
    with pytest.raises(InputError, match="calls itself"):
        load_model(functions({"f0": ["Relu", "f1"], "f1": ["f0"]}))


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 3000])
def test_long_chain_of_calls_is_unsupported(depth: int):
    calls = {f"f{i}": [f"f{i + 1}"] for i in range(depth - 1)} | {f"f{depth - 1}": ["Relu"]}
    with pytest.raises(UnsupportedError, match=f"call each other more than {MAX_DEPTH} deep"):
        load_model(functions(calls))


def test_calls_that_multiply_are_counted_before_they_are_expanded():
    calls = {f"f{i}": [f"f{i + 1}"] * 10 for i in range(MAX_DEPTH - 1)} | {f"f{MAX_DEPTH - 1}": ["Relu"]}
    with pytest.raises(UnsupportedError, match="10000000 nodes are over the limit"):
        load_model(functions(calls))


def test_function_of_an_unknown_opset_is_unsupported():
    model = functions({"f0": ["Relu"]})
    model.functions[0].opset_import[0].version = 99
    with pytest.raises(UnsupportedError, match="function f0: opset 99 is newer than"):
        load_model(model)


def test_two_functions_of_one_name_are_refused():
    model = functions({"f0": ["Relu"]})
    model.functions.append(model.functions[0])
    with pytest.raises(InputError, match="two local functions have the same name"):
        load_model(model)


def test_text_of_a_model_never_breaks_a_line():
    model = onnx_model("(float[1] x) => (float[1] y) { y = Add(x, w) }")
    model.graph.node[0].name = "evil*/\n#include <x>\r\x1b[31m" + "é" * 500
    with pytest.raises(InputError) as caught:
        load_model(model)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 400
