"""Check the structure of a model's graphs and functions before anything is computed from them.

Names are defined once and before their use, outputs are produced, no cycle, nesting and node counts within limits.
onnx.checker looks at some of this too, but says it less clearly and lets nesting bombs through.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.limits import MAX_DEPTH, MAX_NODES
from s2s.frontends.names import one_line
from s2s.frontends.onnx.names import canonical_domain, place

FunctionKey = tuple[str, str, str]
Scopes = tuple[set[str], ...]
"""Names defined so far in a graph and in the graphs around it, innermost last."""


def function_key(item: FunctionProto | NodeProto) -> FunctionKey:
    """What identifies a local function, of the function or of a node that calls it."""
    name = item.name if isinstance(item, FunctionProto) else item.op_type
    return canonical_domain(item.domain), name, item.overload


def subgraphs(node: NodeProto) -> Iterator[tuple[str, GraphProto]]:
    """The graphs among the attributes of `node`, with the attributes' names."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.name, attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            for graph in attribute.graphs:
                yield attribute.name, graph


def free_names(graph: GraphProto) -> list[str]:
    """The names that `graph` and the graphs inside it read from around it, in order of first use."""
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {tensor.values.name for tensor in graph.sparse_initializer}
    found: dict[str, None] = {}
    for node in graph.node:
        inner = [name for _, body in subgraphs(node) for name in free_names(body)]
        found |= dict.fromkeys(name for name in (*node.input, *inner) if name and name not in own)
        own |= set(node.output)
    found |= dict.fromkeys(value.name for value in graph.output if value.name not in own)
    return list(found)


def check_structure(model: ModelProto) -> None:
    """Raise an InputError that names the first node or value that is out of order."""
    functions = {function_key(function): function for function in model.functions}
    if len(functions) != len(model.functions):
        raise InputError("model: two local functions have the same name; rename or drop one")
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        _check_depth(nodes, 0)
    total, _ = _Expansion(functions).measure(model.graph.node, ())
    if total > MAX_NODES:
        raise UnsupportedError(f"model: {total} nodes are over the limit of {MAX_NODES}; split the model")
    for function in model.functions:
        check_function(function, function.output)
    _check_graph(model.graph, ())


def _check_depth(nodes: Iterable[NodeProto], depth: int) -> None:
    for node in nodes:
        for name, graph in subgraphs(node):
            if depth == MAX_DEPTH:
                raise UnsupportedError(
                    f"{place(node)}: body {one_line(name)!r} is nested more than {MAX_DEPTH} deep; flatten the model"
                )
            _check_depth(graph.node, depth + 1)


class _Expansion:
    """Counts the nodes that remain when every call is replaced by its body; calls may nest, but not in a circle."""

    def __init__(self, functions: dict[FunctionKey, FunctionProto]) -> None:
        self._functions = functions
        self._measured: dict[FunctionKey, tuple[int, int]] = {}

    def measure(self, nodes: Iterable[NodeProto], active: tuple[FunctionKey, ...]) -> tuple[int, int]:
        """Number of nodes, and how deep calls nest, inside the calls `active`."""
        total, deepest = 0, 0
        for node in nodes:
            size, depth = self._call(node, active) if function_key(node) in self._functions else (1, 0)
            for _, graph in subgraphs(node):
                inner, inner_depth = self.measure(graph.node, active)
                size, depth = size + inner, max(depth, inner_depth)
            total, deepest = total + size, max(deepest, depth)
        return total, deepest

    def _call(self, node: NodeProto, active: tuple[FunctionKey, ...]) -> tuple[int, int]:
        key = function_key(node)
        if key in active:
            raise InputError(f"{place(node)}: function {one_line(key[1])!r} calls itself; functions cannot recurse")
        if key not in self._measured and len(active) < MAX_DEPTH:
            size, depth = self.measure(self._functions[key].node, (*active, key))
            self._measured[key] = size, depth + 1
        size, depth = self._measured.get(key, (0, 1))
        if len(active) + depth > MAX_DEPTH:
            raise UnsupportedError(f"{place(node)}: functions call each other more than {MAX_DEPTH} deep; inline some")
        return size, depth


def check_function(function: FunctionProto, outputs: Iterable[str]) -> None:
    """Raise an InputError that names the first node or value that is out of order, also among `outputs`."""
    where = f"function {one_line(function.name)}"
    known: set[str] = set()
    for name in function.input:
        _define(name, (known,), where)
    _check_nodes(function.node, (known,))
    _check_produced(outputs, (known,), where)


def _check_graph(graph: GraphProto, outer: Scopes) -> None:
    where = f"graph {one_line(graph.name)}".rstrip()
    inputs: set[str] = set()
    for value in graph.input:
        _define(value.name, (*outer, inputs), where)
    known: set[str] = set()
    for name in [*(tensor.name for tensor in graph.initializer), *(t.values.name for t in graph.sparse_initializer)]:
        _define(name, (*outer, known), where)  # may repeat an input: it is that input's default value
    known |= inputs
    _check_nodes(graph.node, (*outer, known))
    listed: set[str] = set()
    for value in graph.output:
        _define(value.name, (listed,), f"{where}: outputs")
    _check_produced(listed, (*outer, known), where)


def _check_nodes(nodes: Sequence[NodeProto], scopes: Scopes) -> None:
    for position, node in enumerate(nodes):
        _check_text(node)
        for name in node.input:
            if name and not _visible(name, scopes):
                raise InputError(_missing(name, position, nodes))
        for _, graph in subgraphs(node):
            _check_graph(graph, scopes)
        for name in node.output:
            if name:
                _define(name, scopes, place(node))


def _check_text(node: NodeProto) -> None:
    """Names must be text: protobuf hands out bytes for what is not."""
    texts: list[object] = [node.name, node.op_type, node.domain, node.overload, *node.input, *node.output]
    texts += [text for attribute in node.attribute for text in (attribute.name, attribute.ref_attr_name)]
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{place(node)}: a name is not valid UTF-8; the file is damaged, export the model again")


def _missing(name: str, position: int, nodes: Sequence[NodeProto]) -> str:
    """Why `name`, read by the node at `position`, is not there: never produced, produced later, or in a cycle."""
    reader = nodes[position]
    producers = {output: node for node in nodes[position:] for output in node.output if output}
    if name not in producers:
        return (
            f"{place(reader)}: input {one_line(name)!r} is neither a graph input, an initializer nor the output of a "
            "node; add the missing initializer or node"
        )
    wanted, seen = [name], {name}
    while wanted:
        producer = producers.get(wanted.pop())
        for source in producer.input if producer is not None else ():
            if producer is reader or source in reader.output:
                return f"{place(reader)}: its input {one_line(name)!r} depends on its own output; break the cycle"
            if source not in seen:
                seen.add(source)
                wanted.append(source)
    return (
        f"{place(reader)}: input {one_line(name)!r} is produced later, by {place(producers[name])}; "
        "sort the nodes topologically"
    )


def _visible(name: str, scopes: Scopes) -> bool:
    return any(name in scope for scope in reversed(scopes))


def _define(name: str, scopes: Scopes, where: str) -> None:
    """Add `name` to the innermost scope, where neither it nor a scope around it may have it."""
    if not name:
        raise InputError(f"{where}: a value has no name; give it one")
    if not isinstance(cast(object, name), str):
        raise InputError(f"{where}: a name is not valid UTF-8; the file is damaged, export the model again")
    if _visible(name, scopes):
        raise InputError(f"{where}: {one_line(name)!r} is defined twice; rename one of the two values")
    scopes[-1].add(name)


def _check_produced(names: Iterable[str], scopes: Scopes, where: str) -> None:
    for name in names:
        if not _visible(name, scopes):
            raise InputError(f"{where}: output {one_line(name)!r} is produced by no node; remove it or add the node")
