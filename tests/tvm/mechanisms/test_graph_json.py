"""The text of the graph executor, as TVM 0.12 reads it."""

import json
from typing import Any

from s2s import tvm
from s2s.tvm import relay
from tests.tvm.mechanisms.networks import built


def graph_of(expression: Any) -> Any:
    return json.loads(relay.build(tvm.IRModule.from_expr(expression), "llvm").get_graph_json())


def test_its_parts_have_the_names_and_lengths_of_tvm():
    graph = json.loads(built().get_graph_json())
    assert sorted(graph) == ["arg_nodes", "attrs", "heads", "node_row_ptr", "nodes"]
    assert len(graph["node_row_ptr"]) == len(graph["nodes"]) + 1
    assert graph["arg_nodes"] == [at for at, node in enumerate(graph["nodes"]) if node["op"] == "null"]
    kinds = {name: value[0] for name, value in graph["attrs"].items()}
    assert kinds["dltype"] == "list_str"
    assert (kinds["storage_id"], kinds["shape"]) == ("list_int", "list_shape")
    assert {len(value[1]) for value in graph["attrs"].values()} == {graph["node_row_ptr"][-1]}


def test_a_node_names_its_function_and_inputs():
    graph = json.loads(built().get_graph_json())
    for node in graph["nodes"]:
        if node["op"] == "tvm_op":
            attrs = node["attrs"]
            assert {"func_name", "num_inputs", "num_outputs", "flatten_data", "hash"} <= set(attrs)
            assert int(attrs["num_inputs"]) == len(node["inputs"])
            assert all(isinstance(each, str) for each in attrs.values())


def test_equal_kernels_are_one_function():
    x = relay.var("x", shape=(1, 16))
    graph = graph_of(relay.nn.softmax(relay.nn.softmax(relay.nn.softmax(x))))
    names = [node["attrs"]["func_name"] for node in graph["nodes"] if node["op"] == "tvm_op"]
    assert len(names) == 3
    assert len(set(names)) < 3


def test_heads_are_the_results_in_their_order():
    x = relay.var("x", shape=(2, 4))
    graph = graph_of(relay.Tuple([relay.nn.softmax(x), relay.exp(x)]))
    assert len(graph["heads"]) == 2
    shapes = graph["attrs"]["shape"][1]
    for node, output, _version in graph["heads"]:
        assert shapes[graph["node_row_ptr"][node] + output] == [2, 4]


def test_values_that_are_not_alive_together_share_storage():
    x = relay.var("x", shape=(1, 64))
    value: Any = x
    for _ in range(4):
        value = relay.nn.softmax(value)
    graph = graph_of(value)
    ids = graph["attrs"]["storage_id"][1]
    assert len(set(ids)) < len(ids)
