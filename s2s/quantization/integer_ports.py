"""Give a quantised model integer inputs and outputs by removing the conversions from and to floats at its border."""

import onnx
from onnx import NodeProto, numpy_helper


def with_integer_ports(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return `model` without the quantisation of its inputs and the dequantisation of its outputs.

    An input keeps its name and is of the type it was quantised to. One that has other readers than its quantisation
    stays as it is, and so does an output that is not dequantised last.
    """
    made = onnx.ModelProto()
    made.CopyFrom(model)
    types = {tensor.name: tensor.data_type for tensor in made.graph.initializer}
    single = {tensor.name for tensor in made.graph.initializer if numpy_helper.to_array(tensor).size == 1}
    for value in made.graph.input:
        readers = [node for node in made.graph.node if value.name in node.input]
        if len(readers) == 1 and readers[0].op_type == "QuantizeLinear" and _has_one_step(readers[0], single):
            _rename(made, readers[0].output[0], value.name)
            value.type.tensor_type.elem_type = types[readers[0].input[2]]
            made.graph.node.remove(readers[0])
    for value in made.graph.output:
        maker = next((node for node in made.graph.node if value.name in node.output), None)
        if maker is not None and maker.op_type == "DequantizeLinear" and _has_one_step(maker, single):
            integers = maker.input[0]
            made.graph.node.remove(maker)
            _rename(made, integers, value.name)
            value.type.tensor_type.elem_type = types[maker.input[2]]
    onnx.checker.check_model(made)  # pyright: ignore[reportUnknownMemberType]
    return made


def _has_one_step(node: NodeProto, single: set[str]) -> bool:
    """Return whether scale and zero point are known, and equal for all elements."""
    return len(node.input) == 3 and node.input[1] in single and node.input[2] in single


def _rename(model: onnx.ModelProto, old: str, new: str) -> None:
    for node in model.graph.node:
        for names in (node.input, node.output):
            for position, name in enumerate(names):
                if name == old:
                    names[position] = new
