"""TVM's graph JSON: its layout, round trips, and files that lie."""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.errors import InputError
from s2s.executor import graph_json_reader
from s2s.executor.device import CPU
from s2s.executor.element_types import numpy_of_name
from s2s.executor.graph_json import NO_OPERATION, Call, Entry, Network, Source, Value, dump

F32 = "float32"
EXAMPLE = Network(
    nodes=(
        Source("x", Value(F32, (2, 3), 0)),
        Source("p0", Value(F32, (3,), 1)),
        Call("add_relu", "kws_add_relu", (Entry(0), Entry(1)), (Value(F32, (2, 3), 2),), {"hash": "12ab"}),
        Call("split", "kws_split", (Entry(2),), (Value(F32, (1, 3), 3), Value("int64", (), 4))),
        Call("reshape", NO_OPERATION, (Entry(3),), (Value(F32, (3,), 3),)),
    ),
    outputs=(Entry(4), Entry(3, 1)),
)

EXAMPLE_TEXT = """{
  "nodes": [
    {"op": "null", "name": "x", "inputs": []},
    {"op": "null", "name": "p0", "inputs": []},
    {"op": "tvm_op", "name": "add_relu", "attrs": {"hash": "12ab", "func_name": "kws_add_relu", "flatten_data": "0", \
"num_inputs": "2", "num_outputs": "1"}, "inputs": [[0, 0, 0], [1, 0, 0]]},
    {"op": "tvm_op", "name": "split", "attrs": {"func_name": "kws_split", "flatten_data": "0", \
"num_inputs": "1", "num_outputs": "2"}, "inputs": [[2, 0, 0]]},
    {"op": "tvm_op", "name": "reshape", "attrs": {"func_name": "__nop", "flatten_data": "0", \
"num_inputs": "1", "num_outputs": "1"}, "inputs": [[3, 0, 0]]}
  ],
  "arg_nodes": [0, 1],
  "heads": [[4, 0, 0], [3, 1, 0]],
  "attrs": {
    "dltype": ["list_str", ["float32", "float32", "float32", "float32", "int64", "float32"]],
    "device_index": ["list_int", [1, 1, 1, 1, 1, 1]],
    "storage_id": ["list_int", [0, 1, 2, 3, 4, 3]],
    "shape": ["list_shape", [[2, 3], [3], [2, 3], [1, 3], [], [3]]]
  },
  "node_row_ptr": [0, 1, 2, 3, 5, 6]
}
"""


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """A network of calls that read any results before them."""
    names = iter(draw(st.lists(st.text(max_size=6), min_size=8, max_size=8, unique=True).map(encodable)))
    values = st.builds(
        Value,
        st.sampled_from(["float32", "bool", "uint8", "bfloat16"]),
        st.lists(st.integers(0, 9), max_size=4).map(tuple),
        st.integers(0, 5),
        st.just(CPU),
    )
    nodes: list[Source | Call] = [Source(next(names), draw(values)) for _ in range(draw(st.integers(1, 3)))]
    entries = [Entry(i) for i in range(len(nodes))]
    for _ in range(draw(st.integers(0, 4))):
        operands = tuple(draw(st.lists(st.sampled_from(entries), max_size=3)))
        results = tuple(draw(st.lists(values, min_size=1, max_size=3)))
        nodes.append(Call(next(names), "f", operands, results, {"note": draw(st.sampled_from(["a", '"', "é"]))}))
        entries += [Entry(len(nodes) - 1, index) for index in range(len(results))]
    return Network(tuple(nodes), tuple(draw(st.lists(st.sampled_from(entries), max_size=3))))


def encodable(names: list[str]) -> list[str]:
    """Names numbered, so that they stay unique, without what UTF-8 cannot encode."""
    return [f"{number}{name.encode(errors='ignore').decode()}" for number, name in enumerate(names)]


def test_text_is_in_the_layout_of_tvm():
    assert dump(EXAMPLE) == EXAMPLE_TEXT


@given(networks())
def test_round_trip(network: Network):
    assert graph_json_reader.load(dump(network)) == network


def test_sources_and_values_are_found():
    assert [source.name for source in EXAMPLE.sources()] == ["x", "p0"]
    assert EXAMPLE.value(EXAMPLE.outputs[1]) == Value("int64", (), 4)


def test_what_only_tvm_writes_is_accepted():
    parsed: dict[str, Any] = json.loads(EXAMPLE_TEXT)
    del parsed["attrs"]["device_index"]
    parsed["attrs"]["storage_scope"] = ["list_str", ["global"] * 6]
    parsed["heads"] = [[4, 0], [3, 1]]
    assert graph_json_reader.load(json.dumps(parsed)) == EXAMPLE


Path = tuple[str | int, ...]


def change(path: Path, value: object) -> Callable[[dict[str, Any]], None]:
    """Put `value` at `path`; without a value the member goes."""

    def apply(parsed: Any) -> None:
        for step in path[:-1]:
            parsed = parsed[step]
        if value is ...:
            del parsed[path[-1]]
        else:
            parsed[path[-1]] = value

    return apply


LIES: list[tuple[Path, object, str]] = [
    (("nodes",), ..., r"file has no 'nodes'"),
    (("nodes",), {}, r"nodes is a dict, not a list"),
    (("nodes", 1), 7, r"nodes\[1\] is 7, not an object"),
    (("nodes", 1, "op"), "while", r"nodes\[1\] is of kind 'while'"),
    (("nodes", 1, "name"), "x", r"nodes\[1\]\.name 'x' is the name of another node"),
    (("nodes", 1, "name"), 3, r"nodes\[1\]\.name is 3, not a text"),
    (("nodes", 1, "name"), "\ud800", r"which is not Unicode"),
    (("nodes", 1, "inputs"), [[0, 0, 0]], r"must be empty in a null node"),
    (("nodes", 2, "attrs"), ..., r"nodes\[2\] has no 'attrs'"),
    (("nodes", 2, "attrs", "func_name"), ..., r"func_name is missing"),
    (("nodes", 2, "attrs", "num_inputs"), "3", r"num_inputs is not the number of inputs, 2"),
    (("nodes", 2, "attrs", "num_outputs"), "-1", r"num_outputs is '-1', not a number"),
    (("nodes", 2, "attrs", "num_outputs"), "9" * 10, r"not a number"),
    (("nodes", 2, "attrs", "num_outputs"), "2", r"node_row_ptr does not agree"),
    (("nodes", 2, "attrs", "hash"), 5, r"attrs\.hash is 5, not a text"),
    (("nodes", 2, "inputs", 0), [2, 0, 0], r"inputs\[0\] names result 0 of node 2, which does not exist before"),
    (("nodes", 2, "inputs", 0), [0, 1, 0], r"inputs\[0\] names result 1 of node 0"),
    (("nodes", 2, "inputs", 0), [-1, 0, 0], r"inputs\[0\]\[0\] is -1, not a number from 0"),
    (("nodes", 2, "inputs", 0), [0], r"is not \[node, index, version\]"),
    (("arg_nodes",), [0], r"arg_nodes does not list the null nodes"),
    (("heads", 0), [5, 0, 0], r"heads\[0\] names result 0 of node 5"),
    (("node_row_ptr",), [0, 1, 2, 3, 5, 7], r"node_row_ptr does not agree"),
    (("node_row_ptr", 0), True, r"node_row_ptr\[0\] is True, not a number"),
    (("attrs", "shape"), ..., r"attrs has no 'shape'"),
    (("attrs", "shape"), ["list_int", []], r'attrs\.shape is not \["list_shape", \[...\]\]'),
    (("attrs", "shape", 1), [[]], r"attrs\.shape has 1 items for 6 entries"),
    (("attrs", "shape", 1, 0), [2**40, 2**40], r"attrs\.shape\[0\] has more than"),
    (("attrs", "shape", 1, 0), [2.0], r"attrs\.shape\[0\]\[0\] is 2\.0, not a number"),
    (("attrs", "dltype", 1, 0), "complex64", r"attrs\.dltype\[0\] element type 'complex64': is not known"),
    (("attrs", "storage_id", 1, 0), 2**31, r"attrs\.storage_id\[0\] is 2147483648"),
    (("attrs", "device_index", 1, 5), 2, r"puts storage 3 on devices 1 and 2"),
]


@pytest.mark.parametrize(("path", "value", "message"), LIES)
def test_lies_are_named(path: Path, value: object, message: str):
    parsed = json.loads(EXAMPLE_TEXT)
    change(path, value)(parsed)
    with pytest.raises(InputError, match=message):
        graph_json_reader.load(json.dumps(parsed))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "null", '{"nodes": [' + "1" * 5000 + "]}"])
def test_what_is_not_a_graph_is_refused(text: str):
    with pytest.raises(InputError, match="graph JSON"):
        graph_json_reader.load(text)


def paths(item: object, path: Path = ()) -> Iterator[Path]:
    """The places of all values in a JSON document."""
    members: dict[Any, object] = {}
    if isinstance(item, dict):
        members = cast(dict[Any, object], item)
    elif isinstance(item, list):
        members = dict(enumerate(cast(list[object], item)))
    for key, value in members.items():
        yield (*path, key)
        yield from paths(value, (*path, key))


ODD_VALUES: list[object] = [None, -1, 0, 1, 10**30, 1.5, "x", "null", [], [0], [[0, 0]], {}, {"x": "y"}]


@given(st.sampled_from(list(paths(json.loads(EXAMPLE_TEXT)))), st.sampled_from(ODD_VALUES))
def test_a_changed_file_is_read_or_refused(path: Path, value: object):
    parsed = json.loads(EXAMPLE_TEXT)
    change(path, value)(parsed)
    try:
        network = graph_json_reader.load(json.dumps(parsed))
    except InputError:
        return
    assert graph_json_reader.load(dump(network)) == network


@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float16", "bfloat16", "float64"])
def test_names_are_those_of_numpy(name: str):
    assert numpy_of_name(name).name == name
