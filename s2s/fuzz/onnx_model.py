"""ONNX as a format of the fuzzer."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import cast

import numpy as np
import onnx
from onnx import helper

from s2s.frontends.onnx import import_model
from s2s.fuzz.draw import OPSETS, draw_model
from s2s.fuzz.engines import ENGINES, IR_VERSION, EngineName, node_model
from s2s.fuzz.forms import rewritten
from s2s.fuzz.idioms import IDIOMS
from s2s.fuzz.merge import merged, names_read
from s2s.fuzz.model import Drawn, Format, FuzzModel
from s2s.fuzz.operators import OPERATORS
from s2s.fuzz.oracle import evaluate_model
from s2s.fuzz.spread import PAIRS, Spread
from s2s.fuzz.variants import TARGETS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

OTHER_ENGINE: tuple[EngineName, ...] = ("reference", "onnxruntime", "onnxruntime in float32")


@frozen(eq=False)
class OnnxModel(FuzzModel):
    """An ONNX model."""

    proto: onnx.ModelProto

    @property
    def format(self) -> Format:
        """ONNX."""
        return FORMAT

    @property
    def source(self) -> onnx.ModelProto:
        """The message."""
        return self.proto

    @property
    def operators(self) -> list[str]:
        """The types of the nodes."""
        return [node.op_type for node in self.proto.graph.node]

    @property
    def inputs(self) -> list[str]:
        """The names of the graph's inputs."""
        return [each.name for each in self.proto.graph.input]

    @property
    def outputs(self) -> list[str]:
        """The names of the graph's outputs."""
        return [each.name for each in self.proto.graph.output]

    def rewritten(self) -> "OnnxModel":
        """The model with functions, branches and constants as nodes."""
        return OnnxModel(rewritten(self.proto))

    def evaluate(
        self, inputs: Mapping[str, Array], *, pairs: int = PAIRS, other_engine: bool = False
    ) -> dict[str, Spread]:
        """All values, by onnxruntime where it is to be trusted, or by the reference evaluator first."""
        return evaluate_model(self.proto, inputs, OTHER_ENGINE if other_engine else ENGINES, pairs)

    def check_import(self) -> None:
        """Read it by the ONNX frontend."""
        import_model(self.proto)

    def pruned(self, outputs: Sequence[str]) -> "OnnxModel":
        """The model with only these outputs."""
        return OnnxModel(pruned(self.proto, outputs))

    def without(self, operator: int, values: Mapping[str, Spread]) -> "OnnxModel":
        """The model without a node."""
        return OnnxModel(without_node(self.proto, self.proto.graph.node[operator], values))

    def serialised(self) -> bytes:
        """The message as bytes."""
        return self.proto.SerializeToString(deterministic=True)

    def read_inputs(self, stored: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs whose bytes are stored, in the types of the graph."""
        return {each.name: _read(each, stored[each.name]) for each in self.proto.graph.input}


class OnnxFormat(Format):
    """ONNX: models of one opset in each batch."""

    name, suffix, targets = "onnx", ".onnx", TARGETS

    @property
    def operators(self) -> list[str]:
        """The table of operators."""
        return sorted([*OPERATORS, *IDIOMS])

    def draw(self, seed: str, prefix: str, batch: str, nodes: int) -> Drawn:
        """Models of one opset."""
        model, inputs, expected, operators = draw_model(seed, prefix, Random(batch).choice(OPSETS), nodes)
        return Drawn(seed, OnnxModel(model), inputs, expected, operators)

    def merged(self, models: Sequence[FuzzModel]) -> OnnxModel:
        """The graphs side by side."""
        return OnnxModel(merged([each.proto for each in cast(Sequence[OnnxModel], models)]))

    def read(self, data: bytes) -> OnnxModel:
        """The model of a message."""
        return OnnxModel(onnx.load_model_from_string(data))

    def smallest(self) -> tuple[OnnxModel, dict[str, Array]]:
        """A Relu."""
        node = helper.make_node("Relu", ["x"], ["y"])
        inputs: dict[str, Array] = {"x": np.ones(4, np.float32)}
        return OnnxModel(node_model(node, {"": OPSETS[0]}, inputs)), inputs


FORMAT = OnnxFormat()


def without_node(model: onnx.ModelProto, node: onnx.NodeProto, values: Mapping[str, Spread]) -> onnx.ModelProto:
    """The model whose inputs are what `node` gave."""
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    cut.graph.node.remove(node)
    for name in filter(None, node.output):
        array = values[name].clean
        cut.graph.input.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        )
    made = {name for each in cut.graph.node for name in each.output}
    return pruned(cut, [each.name for each in model.graph.output if each.name in made])


def pruned(model: onnx.ModelProto, outputs: Sequence[str]) -> onnx.ModelProto:
    """The model with only these outputs, and what they need."""
    needed, nodes = set(outputs), list[onnx.NodeProto]()
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(names_read([node]))
    graph = helper.make_graph(
        nodes[::-1],
        "fuzz",
        [each for each in model.graph.input if each.name in needed],
        [each for each in model.graph.output if each.name in outputs],
        [each for each in model.graph.initializer if each.name in needed],
    )
    made = helper.make_model(graph, opset_imports=model.opset_import, ir_version=IR_VERSION)
    made.metadata_props.extend(model.metadata_props)
    return made


def _read(port: onnx.ValueInfoProto, data: Array) -> Array:
    tensor = port.type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    return np.frombuffer(data.tobytes(), dtype).reshape([each.dim_value for each in tensor.shape.dim])
