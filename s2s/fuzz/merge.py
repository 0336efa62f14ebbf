"""Put several models side by side into one, so that a single library holds them all."""

from collections.abc import Sequence

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
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
