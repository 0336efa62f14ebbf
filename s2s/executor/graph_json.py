"""A network as TVM's graph JSON: `<model>.graph.json`.

    nodes         inputs and parameters (op "null") and calls of kernels (op "tvm_op"), each after what it reads
    arg_nodes     numbers of the null nodes
    heads         the outputs
    node_row_ptr  number of the first entry of each node, and the number of all entries
    attrs         per entry: dltype, shape, storage_id, device_index; storage_scope where there are several memories

An entry is one result of one node. It is written `[node, index, version]`; the version is always 0. Source:
`src/relay/backend/graph_executor_codegen.cc` and `src/runtime/graph_executor/graph_executor.h` of TVM 0.12.
`s2s.executor.graph_json_reader` reads the format.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from s2s.executor.device import CPU
from s2s.support.frozen import frozen

NO_OPERATION = "__nop"
"""The function name of a call that only gives its operand another shape in the same storage."""

COPY = "__copy"
"""The function name of a call that copies its operand, from one device to another where there are several."""

CONCAT = "s2s.concat"
"""The function name of a call whose result holds the bytes of its operands, one after another."""

SPLIT = "s2s.split"
"""The function name of a call whose results hold the bytes of its operand, one after another."""

SCRATCH = "scratch"
"""The attribute of a call that counts its last results that are no values but memory for the kernel."""


GLOBAL = "global"
"""The scope of the memory of the first device."""


class Entry(NamedTuple):
    """One result of one node."""

    node: int
    result: int = 0


class Value(NamedTuple):
    """The type of an entry and where it is stored. Entries of one storage id share memory."""

    dtype: str
    shape: tuple[int, ...]
    storage_id: int
    device: int = CPU
    scope: str = GLOBAL
    """The memory: the first device's, or `global.` and the name of another one."""


class Source(NamedTuple):
    """An input or a parameter of the network."""

    name: str
    value: Value


@frozen
class Call:
    """A call of a kernel. Names are unique, functions are not: equal kernels are shared."""

    name: str
    function: str
    operands: tuple[Entry, ...]
    results: tuple[Value, ...]
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])


Node = Source | Call


class Network(NamedTuple):
    """Nodes in execution order, and the entries that are the outputs.

    Sources stand first: inputs of the model, then parameters.
    """

    nodes: tuple[Node, ...]
    outputs: tuple[Entry, ...]

    def sources(self) -> list[Source]:
        """Inputs and parameters in order."""
        return [node for node in self.nodes if isinstance(node, Source)]

    def value(self, entry: Entry) -> Value:
        """Type and storage of an entry."""
        return _results(self.nodes[entry.node])[entry.result]

    def values(self) -> Iterator[Value]:
        """Yield the type and storage of each entry, in the order of the nodes."""
        for node in self.nodes:
            yield from _results(node)


def _results(node: Node) -> tuple[Value, ...]:
    return (node.value,) if isinstance(node, Source) else node.results


def dump(network: Network) -> str:
    """The JSON text of `network`: one node or attribute a line, the same text for the same network."""
    values = list(network.values())
    attrs: dict[str, list[object]] = {
        "dltype": ["list_str", [value.dtype for value in values]],
        "device_index": ["list_int", [value.device for value in values]],
        "storage_id": ["list_int", [value.storage_id for value in values]],
        "shape": ["list_shape", [list(value.shape) for value in values]],
    }
    if any(value.scope != GLOBAL for value in values):
        attrs["storage_scope"] = ["list_str", [value.scope for value in values]]
    rows = [0]
    for node in network.nodes:
        rows.append(rows[-1] + len(_results(node)))
    sources = [number for number, node in enumerate(network.nodes) if isinstance(node, Source)]
    members = [
        '"nodes": ' + _lines("[]", [json.dumps(_json_of_node(node)) for node in network.nodes]),
        f'"arg_nodes": {json.dumps(sources)}',
        f'"heads": {json.dumps([_json_of_entry(entry) for entry in network.outputs])}',
        '"attrs": ' + _lines("{}", [f"{json.dumps(key)}: {json.dumps(item)}" for key, item in attrs.items()]),
        f'"node_row_ptr": {json.dumps(rows)}',
    ]
    return "{\n  " + ",\n  ".join(members) + "\n}\n"


def _lines(brackets: str, items: list[str]) -> str:
    body = ",\n    ".join(items)
    return f"{brackets[0]}\n    {body}\n  {brackets[1]}"


def _json_of_entry(entry: Entry) -> list[int]:
    return [entry.node, entry.result, 0]


def _json_of_node(node: Node) -> dict[str, object]:
    if isinstance(node, Source):
        return {"op": "null", "name": node.name, "inputs": []}
    attributes = {
        **node.attributes,
        "func_name": node.function,
        "flatten_data": "0",
        "num_inputs": str(len(node.operands)),
        "num_outputs": str(len(node.results)),
    }
    inputs = [_json_of_entry(entry) for entry in node.operands]
    return {"op": "tvm_op", "name": node.name, "attrs": attributes, "inputs": inputs}
