"""Write a model in another form of the same meaning, as exporters do: functions, branches, Constant nodes.

    y = Gemm(x, w, b)  ->  y = layer(x, w, b), a function of the model that holds the Gemm
    y = Relu(x)        ->  y = If(true): then Relu(x), else Relu(x)
    shape = [2, 3]     ->  shape = Concat(Constant [2], Constant [3])

What a node becomes follows from the name of its first output, so that a part of the model is written as the whole is.
"""

from random import Random

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.fuzz.engines import IR_VERSION
from s2s.fuzz.merge import names_read

DOMAIN = "layers"


def rewritten(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model in another form."""
    form = _Form(model)
    nodes = [made for tensor in model.graph.initializer for made in form.constant(tensor)]
    nodes += map(form.node, model.graph.node)
    graph = helper.make_graph(nodes, "fuzz", model.graph.input, model.graph.output, form.initializers)
    opsets = [*model.opset_import, *([helper.make_opsetid(DOMAIN, 1)] if form.functions else [])]
    return helper.make_model(graph, opset_imports=opsets, functions=form.functions, ir_version=IR_VERSION)


class _Form:
    def __init__(self, model: onnx.ModelProto) -> None:
        self.initializers: list[onnx.TensorProto] = []
        self.functions: list[onnx.FunctionProto] = []
        self._opsets = list(model.opset_import)

    def constant(self, tensor: onnx.TensorProto) -> list[onnx.NodeProto]:
        """The nodes that give a constant; none where it stays an initializer."""
        kind = Random(tensor.name).choice(("initializer", "node", "halves"))
        if kind == "initializer":
            self.initializers.append(tensor)
            return []
        array = numpy_helper.to_array(tensor)
        if kind == "node" or array.ndim != 1 or array.size < 2 or tensor.data_type != onnx.TensorProto.INT64:
            return [helper.make_node("Constant", [], [tensor.name], value=tensor)]
        names = [f"{tensor.name}_{part}" for part in "ab"]
        halves = zip(names, np.split(array, [1]), strict=True)
        parts = [helper.make_node("Constant", [], [each], value=numpy_helper.from_array(x)) for each, x in halves]
        return [*parts, helper.make_node("Concat", names, [tensor.name], axis=0)]

    def node(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """What stands for a node."""
        kind = Random(node.output[0]).choice(("same", "same", "function", "branch"))
        if kind == "function" and not node.domain:
            return self._call(node)
        if kind == "branch" and not node.domain:
            return self._branch(node)
        return node

    def _call(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """A call of a function that holds the node."""
        name, inputs, outputs = f"Layer_{node.output[0]}", names_read([node]), list(filter(None, node.output))
        self.functions.append(helper.make_function(DOMAIN, name, inputs, outputs, [node], self._opsets))
        return helper.make_node(name, inputs, outputs, domain=DOMAIN, name=node.name)

    def _branch(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """A branch on a constant; both ways hold the node."""
        outputs = list(filter(None, node.output))
        condition = f"{outputs[0]}_on"
        self.initializers.append(numpy_helper.from_array(np.asarray(True), condition))
        first, second = (_alone(node, way) for way in ("then", "else"))
        return helper.make_node("If", [condition], outputs, name=node.name, then_branch=first, else_branch=second)


def _alone(node: onnx.NodeProto, name: str) -> onnx.GraphProto:
    """A graph without inputs that holds the node, with other names of its outputs."""
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.output[:] = [each and f"{each}_{name}" for each in node.output]
    return helper.make_graph([made], name, [], [onnx.ValueInfoProto(name=each) for each in made.output if each])
