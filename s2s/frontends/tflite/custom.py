"""Custom operators: the ones of TFLite-Micro and MediaPipe, and others as `s2s.register_custom_op` has them."""

from collections.abc import Sequence

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.custom import Function, call_function, custom_operator
from s2s.frontends.tflite.micro.table import MICRO_IMPORTERS
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import from_numpy, tensor_type


def custom_importer(node: Node) -> Importer:
    """The importer that was registered for the operator of `node`, else TFLite-Micro's or MediaPipe's."""
    importer = custom_operator(node.info.custom) or MICRO_IMPORTERS.get(node.info.custom)
    if importer is None:
        from s2s.frontends.tflite.mediapipe import IMPORTERS  # few networks have them

        importer = IMPORTERS.get(node.info.custom)
    if importer is None:
        raise node.unsupported(
            "no importer is registered for this custom operator",
            f"give one with s2s.register_custom_op({node.info.custom!r}, importer)",
        )
    if isinstance(importer, Function):
        function = importer
        return lambda called: _call(called, function)
    return importer


def _call(node: Node, function: Function) -> Sequence[Value]:
    """The outputs of a call of a function."""
    operands = [tensor.value for tensor in node.operands if tensor is not None]
    if node.info.custom_options:
        options = np.frombuffer(node.info.custom_options, np.uint8)
        operands.append(node.builder.constant(options, f"{node.name}_options"))
    outputs = [node.output_type(position) for position in range(node.output_count)]
    if any(tensor.open_shape for tensor in outputs):
        raise node.unsupported("the shape of its output is open", "fix it when converting the model")
    types = [tensor_type(from_numpy(tensor.dtype), tensor.shape) for tensor in outputs]
    return call_function(node.builder, function, operands, types)
