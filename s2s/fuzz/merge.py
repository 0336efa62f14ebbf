"""The names that nodes read, and several models side by side in one, so that a single library holds them all."""

from collections.abc import Iterable, Sequence

import onnx
from onnx import helper

from s2s.fuzz.engines import IR_VERSION


def merged(models: Sequence[onnx.ModelProto]) -> onnx.ModelProto:
    """One model with the nodes, inputs and outputs of all, whose names must differ and whose opsets must not."""
    graph = onnx.GraphProto(name="fuzz")
    versions: dict[str, int] = {}
    for model in models:
        graph.node.extend(model.graph.node)
        graph.initializer.extend(model.graph.initializer)
        graph.input.extend(model.graph.input)
        graph.output.extend(model.graph.output)
        versions.update({each.domain: each.version for each in model.opset_import})
    opsets = [helper.make_opsetid(domain, version) for domain, version in versions.items()]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    for model in models:
        made.metadata_props.extend(model.metadata_props)
    return made


def names_read(nodes: Iterable[onnx.NodeProto]) -> list[str]:
    """The values that some nodes take from outside of them, their subgraphs included, in the order of their uses."""
    made, found = set[str](), dict[str, None]()
    for node in nodes:
        inner = [name for each in node.attribute if each.HasField("g") for name in _free(each.g)]
        found.update(dict.fromkeys(name for name in (*node.input, *inner) if name and name not in made))
        made.update(node.output)
    return list(found)


def _free(graph: onnx.GraphProto) -> list[str]:
    """What a subgraph reads of the graph around it."""
    own = {each.name for each in (*graph.input, *graph.initializer)}
    computed = {name for node in graph.node for name in node.output}
    read = (*names_read(graph.node), *(each.name for each in graph.output if each.name not in computed))
    return [name for name in read if name not in own]
