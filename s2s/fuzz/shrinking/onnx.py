"""ONNX models from which nodes are cut off."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from s2s.errors import InputError
from s2s.fuzz.merge import names_read
from s2s.fuzz.shrinking import Node, Shrinkable


class OnnxParts(Shrinkable):
    """An ONNX model, read as it is: it may be one that the frontend refuses."""

    suffix = ".onnx"

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        graph = model.graph
        self.nodes = [Node(node.op_type, names_read([node]), [*filter(None, node.output)]) for node in graph.node]
        self.outputs = [output.name for output in graph.output]
        self.stored = {tensor.name for tensor in graph.initializer}

    @staticmethod
    def read(path: Path) -> "OnnxParts":
        """Return the model of a file."""
        try:
            return OnnxParts(onnx.load(path))  # pyright: ignore[reportUnknownMemberType]
        except (DecodeError, OSError, onnx.checker.ValidationError) as error:
            raise InputError(
                f"{path}: cannot be read ({str(error).partition(chr(10))[0]}); give a whole model"
            ) from error

    @cached_property
    def types(self) -> dict[str, onnx.ValueInfoProto]:
        """The ports by name whose type is declared, or told by shape inference."""
        inferred = _inferred(self.model).graph
        ports = (*inferred.value_info, *inferred.input, *inferred.output)
        return {port.name: port for port in ports if port.type.WhichOneof("value") is not None}

    def part(self, kept: Sequence[int], inputs: Sequence[str], outputs: Sequence[str]) -> "OnnxParts | None":
        """Return the model of some nodes, with the constants that they read."""
        if not all(name in self.types for name in (*inputs, *outputs)):
            return None
        nodes = [self.model.graph.node[number] for number in kept]
        needed = {*names_read(nodes), *outputs}
        graph = helper.make_graph(
            nodes,
            self.model.graph.name or "reduced",
            [self.types[name] for name in inputs],
            [self.types[name] for name in outputs],
            [tensor for tensor in self.model.graph.initializer if tensor.name in needed],
        )
        graph.sparse_initializer.extend(
            tensor for tensor in self.model.graph.sparse_initializer if tensor.values.name in needed
        )
        return OnnxParts(
            helper.make_model(
                graph,
                opset_imports=self.model.opset_import,
                ir_version=self.model.ir_version,
                functions=self.model.functions,
            )
        )

    def serialised(self) -> bytes:
        """Return the message as bytes."""
        return self.model.SerializeToString(deterministic=True)


def _inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the types that shape inference tells; the declared ones where it fails.

    A domain that the model does not import is imported first: the inference then passes over its operators.
    """
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    known = {opset.domain for opset in model.opset_import}
    others = {node.domain for node in model.graph.node} - known
    whole.opset_import.extend(helper.make_opsetid(domain, 1) for domain in sorted(others))
    try:
        return onnx.shape_inference.infer_shapes(whole, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return model
