"""Write the nodes of an ONNX graph one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from s2s.types.dtypes import Array


class Nodes:
    """Nodes, constants, inputs and outputs in the order in which they are added."""

    def __init__(self, name: str) -> None:
        self._name, self._nodes = name, list[onnx.NodeProto]()
        self._constants: dict[str, Array] = {}
        self._inputs, self._outputs = list[onnx.ValueInfoProto](), list[onnx.ValueInfoProto]()

    def constant(self, value: object, name: str | None = None) -> str:
        """Add a constant and return its name."""
        name = name or f"constant{len(self._constants)}"
        self._constants[name] = np.asarray(value)
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = output or f"{kind.lower()}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def input(self, name: str, dtype: type[np.generic], shape: Sequence[int]) -> str:
        """Declare an input."""
        self._inputs.append(_described(name, dtype, shape))
        return name

    def output(self, name: str, shape: Sequence[int], dtype: type[np.generic] = np.float32) -> None:
        """Declare the result of a node as an output."""
        self._outputs.append(_described(name, dtype, shape))

    def model(self) -> onnx.ModelProto:
        """The model of all that was added."""
        constants = [numpy_helper.from_array(value, name) for name, value in self._constants.items()]
        graph = helper.make_graph(self._nodes, self._name, self._inputs, self._outputs, constants)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("s2s", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def _described(name: str, dtype: type[np.generic], shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
