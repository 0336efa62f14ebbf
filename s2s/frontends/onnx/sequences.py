"""Make the tensors of a sequence that a model returns outputs of their own.

    probabilities = SequenceConstruct(a, b)     output probabilities
->
    probabilities_0 = Identity(a), probabilities_1 = Identity(b)     outputs probabilities_0 and probabilities_1

Models with a result for each of several targets return such sequences. Left as it is, and refused later, is a sequence
that another node reads.
"""

from collections.abc import Iterator

from onnx import ModelProto, NodeProto, ValueInfoProto, helper


def returned_sequences(model: ModelProto) -> dict[str, NodeProto]:
    """The nodes that construct a sequence which the graph returns, and which nothing else reads, by its name."""
    graph = model.graph
    made = {node.output[0]: node for node in graph.node if node.op_type == "SequenceConstruct" and node.output}
    read = {name for node in graph.node for name in node.input}
    names = [value.name for value in graph.output]
    taken = {*read, *names, *(name for node in graph.node for name in node.output)}
    return {
        name: node
        for name, node in made.items()
        if names.count(name) == 1 and name not in read and not taken.intersection(_names(name, node))
    }


def _names(name: str, node: NodeProto) -> list[str]:
    return [f"{name}_{number}" for number in range(len(node.input))]


def with_tensors_for(model: ModelProto, sequences: dict[str, NodeProto]) -> ModelProto:
    """A copy of `model` that returns the tensors of `sequences`."""
    made = ModelProto()
    made.CopyFrom(model)
    del made.graph.node[:], made.graph.output[:]
    for node in model.graph.node:
        name = node.output[0] if node.output else ""
        made.graph.node.extend(_moves(name, node) if name in sequences else [node])
    for value in model.graph.output:
        found = sequences.get(value.name)
        made.graph.output.extend(
            [value] if found is None else [ValueInfoProto(name=name) for name in _names(value.name, found)]
        )
    return made


def _moves(name: str, node: NodeProto) -> Iterator[NodeProto]:
    for tensor, output in zip(node.input, _names(name, node), strict=True):
        yield helper.make_node("Identity", [tensor], [output], name=output)
