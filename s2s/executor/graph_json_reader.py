"""Reads TVM's graph JSON, written by s2s or by TVM; the format is described in `s2s.executor.graph_json`.

Nothing in the text is trusted: every number is checked before it is used, and what does not add up is an InputError
that names its place in the file.
"""

import json
from collections.abc import Callable
from typing import TypeVar, cast

from s2s.errors import InputError
from s2s.executor.device import CPU
from s2s.executor.element_types import numpy_of_name
from s2s.executor.graph_json import GLOBAL, Call, Entry, Network, Node, Source, Value

T = TypeVar("T")

MAX_ELEMENTS = 2**48
"""More elements in one tensor are a mistake in the file."""

MAX_STORAGE_ID = 2**31 - 1
OWN_ATTRIBUTES = ("func_name", "flatten_data", "num_inputs", "num_outputs")
"""Attributes of a call that the executor reads; all others are kept as they are."""


def load(text: str) -> Network:
    """The network that `text` describes."""
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"graph JSON: this is not JSON ({error}); write the file again") from error
    return _network(_object(parsed, "file"))


def _network(top: dict[str, object]) -> Network:
    described = _list(_member(top, "nodes", "file"), "nodes", _node_object)
    counts = [_result_count(node, f"nodes[{i}]") for i, node in enumerate(described)]
    rows = [0]
    for count in counts:
        rows.append(rows[-1] + count)
    written_rows = _list(_member(top, "node_row_ptr", "file"), "node_row_ptr", _natural)
    if written_rows != rows:
        raise _wrong("node_row_ptr", "does not agree with the results of the nodes")
    values = _values(_object(_member(top, "attrs", "file"), "attrs"), rows[-1])
    nodes: list[Node] = []
    for i, node in enumerate(described):
        operands = _entries(_member(node, "inputs", f"nodes[{i}]"), counts, i, f"nodes[{i}].inputs")
        nodes.append(_node(node, operands, values[rows[i] : rows[i + 1]], f"nodes[{i}]"))
    _check_names(nodes)
    sources = [i for i, node in enumerate(nodes) if isinstance(node, Source)]
    if sorted(_list(_member(top, "arg_nodes", "file"), "arg_nodes", _natural)) != sources:
        raise _wrong("arg_nodes", "does not list the null nodes")
    outputs = _entries(_member(top, "heads", "file"), counts, len(counts), "heads")
    return Network(tuple(nodes), outputs)


def _node_object(node: object, place: str) -> dict[str, object]:
    described = _object(node, place)
    if _member(described, "op", place) not in ("null", "tvm_op"):
        raise _wrong(place, f"is of kind {described['op']!r}; the executor knows null and tvm_op")
    return described


def _result_count(node: dict[str, object], place: str) -> int:
    if node["op"] == "null":
        return 1
    return _count(_attributes(node, place), "num_outputs", place)


def _attributes(node: dict[str, object], place: str) -> dict[str, str]:
    attributes = _object(_member(node, "attrs", place), f"{place}.attrs")
    return {key: _text(value, f"{place}.attrs.{key}") for key, value in attributes.items()}


def _count(attributes: dict[str, str], key: str, place: str) -> int:
    text = attributes.get(key, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise _wrong(f"{place}.attrs.{key}", f"is {text!r}, not a number")
    return int(text)


def _node(node: dict[str, object], operands: tuple[Entry, ...], results: list[Value], place: str) -> Node:
    name = _text(_member(node, "name", place), f"{place}.name")
    if node["op"] == "null":
        if operands:
            raise _wrong(f"{place}.inputs", "must be empty in a null node")
        return Source(name, results[0])
    attributes = _attributes(node, place)
    if _count(attributes, "num_inputs", place) != len(operands):
        raise _wrong(f"{place}.attrs.num_inputs", f"is not the number of inputs, {len(operands)}")
    if not attributes.get("func_name"):
        raise _wrong(f"{place}.attrs.func_name", "is missing")
    extras = {key: value for key, value in attributes.items() if key not in OWN_ATTRIBUTES}
    return Call(name, attributes["func_name"], operands, tuple(results), extras)


def _entries(described: object, counts: list[int], end: int, place: str) -> tuple[Entry, ...]:
    """A list of entries of the nodes before node `end`; `counts` are the numbers of results of all nodes."""

    def entry(item: object, where: str) -> Entry:
        numbers = _list(item, where, _natural)
        if len(numbers) not in (2, 3):
            raise _wrong(where, "is not [node, index, version]")
        node, index = numbers[:2]
        if node >= end or index >= counts[node]:
            raise _wrong(where, f"names result {index} of node {node}, which does not exist before it is read")
        return Entry(node, index)

    return tuple(_list(described, place, entry))


def _values(attrs: dict[str, object], count: int) -> list[Value]:
    dtypes = _attribute(attrs, "dltype", "list_str", count, _dtype)
    storage = _attribute(attrs, "storage_id", "list_int", count, _storage_id)
    shapes = _attribute(attrs, "shape", "list_shape", count, _shape)
    devices = [CPU] * count
    if "device_index" in attrs:
        devices = _attribute(attrs, "device_index", "list_int", count, _natural)
    scopes = [GLOBAL] * count
    if "storage_scope" in attrs:
        scopes = _attribute(attrs, "storage_scope", "list_str", count, _text)
    device_of: dict[int, int] = {}
    for number, device in zip(storage, devices, strict=True):
        if device_of.setdefault(number, device) != device:
            raise _wrong("attrs.storage_id", f"puts storage {number} on devices {device_of[number]} and {device}")
    return [Value(*fields) for fields in zip(dtypes, shapes, storage, devices, scopes, strict=True)]


def _attribute(
    attrs: dict[str, object], key: str, kind: str, count: int, convert: Callable[[object, str], T]
) -> list[T]:
    """The list of one attribute, which has an item for each entry."""
    place = f"attrs.{key}"
    pair = _member(attrs, key, "attrs")
    if not isinstance(pair, list) or len(cast(list[object], pair)) != 2 or pair[0] != kind:
        raise _wrong(place, f'is not ["{kind}", [...]]')
    items = _list(cast(list[object], pair)[1], place, convert)
    if len(items) != count:
        raise _wrong(place, f"has {len(items)} items for {count} entries")
    return items


def _check_names(nodes: list[Node]) -> None:
    seen: set[str] = set()
    for i, node in enumerate(nodes):
        if node.name in seen:
            raise _wrong(f"nodes[{i}].name", f"{node.name!r} is the name of another node too")
        seen.add(node.name)


def _dtype(item: object, place: str) -> str:
    name = _text(item, place)
    try:
        return numpy_of_name(name).name
    except InputError as error:
        raise _wrong(place, str(error)) from error


def _shape(item: object, place: str) -> tuple[int, ...]:
    shape = _list(item, place, _natural)
    elements = 1
    for dim in shape:
        elements *= max(dim, 1)
        if elements > MAX_ELEMENTS:
            raise _wrong(place, f"has more than {MAX_ELEMENTS} elements")
    return tuple(shape)


def _storage_id(item: object, place: str) -> int:
    number = _natural(item, place)
    if number > MAX_STORAGE_ID:
        raise _wrong(place, f"is {number}, more than {MAX_STORAGE_ID}")
    return number


def _natural(item: object, place: str) -> int:
    if not isinstance(item, int) or isinstance(item, bool) or item < 0:
        raise _wrong(place, f"is {_short(item)}, not a number from 0")
    return item


def _text(item: object, place: str) -> str:
    if not isinstance(item, str):
        raise _wrong(place, f"is {_short(item)}, not a text")
    if any("\ud800" <= character <= "\udfff" for character in item):
        raise _wrong(place, f"is {item[:40]!a}, which is not Unicode")
    return item


def _object(item: object, place: str) -> dict[str, object]:
    if not isinstance(item, dict):
        raise _wrong(place, f"is {_short(item)}, not an object")
    return cast(dict[str, object], item)


def _list(item: object, place: str, convert: Callable[[object, str], T]) -> list[T]:
    if not isinstance(item, list):
        raise _wrong(place, f"is {_short(item)}, not a list")
    return [convert(element, f"{place}[{i}]") for i, element in enumerate(cast(list[object], item))]


def _member(item: dict[str, object], key: str, place: str) -> object:
    if key not in item:
        raise _wrong(place, f"has no {key!r}")
    return item[key]


def _short(item: object) -> str:
    """A few words for an item of any size."""
    if isinstance(item, (list, dict)):
        return f"a {type(cast(object, item)).__name__}"
    return ascii(item[:40] if isinstance(item, str) else item)


def _wrong(place: str, fact: str) -> InputError:
    return InputError(f"graph JSON: {place} {fact}; write the file again")
