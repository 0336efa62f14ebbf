"""What a quantiser leaves in floats: operators of a model in QDQ form that no integers reach, and weights of floats."""

from collections.abc import Iterator
from math import prod

import onnx
from onnx import TensorProto, numpy_helper

from s2s.support.frozen import frozen

QUANTISERS = ("QuantizeLinear", "DequantizeLinear")
FLOATS: dict[int, int] = {TensorProto.FLOAT: 4, TensorProto.FLOAT16: 2, TensorProto.BFLOAT16: 2, TensorProto.DOUBLE: 8}
"""Types of floats with their bytes."""
NIBBLES = TensorProto.INT4, TensorProto.UINT4


@frozen
class FloatNode:
    """An operator of a quantised model that computes in floats."""

    node: str
    operator: str
    weight_bytes: int
    """The bytes of its weights."""
    reason: str = "the quantiser has no integer form of it"


def float_nodes(model: onnx.ModelProto) -> tuple[FloatNode, ...]:
    """Return the operators that compute in floats, in the order of the model.

    An operator computes in integers if it reads something dequantised, or the result of such an operator (a `Relu`
    behind a `Conv`), and has no weights of floats: a `GRU` behind a quantised `Conv` keeps its weights, so it is none.
    """
    return tuple(_float_nodes(model))


def _float_nodes(model: onnx.ModelProto) -> Iterator[FloatNode]:
    sizes = {each.name: _float_bytes(each) for each in model.graph.initializer}
    integers: set[str] = set()
    for node in model.graph.node:
        weights = sum(sizes.get(name, 0) for name in node.input)
        if node.op_type in QUANTISERS or (not weights and integers.intersection(node.input)):
            integers.update(node.output)
        else:
            yield FloatNode(node.name or node.output[0], node.op_type, weights)


def _float_bytes(tensor: TensorProto) -> int:
    """Return the bytes of a constant of floats with more than one element, and 0 for any other one."""
    elements = prod(tensor.dims)
    return FLOATS.get(tensor.data_type, 0) * elements if elements > 1 else 0


def weight_bytes(model: onnx.ModelProto) -> int:
    """Return the bytes of all constants, of branches and loops too; numbers of 4 bits are two in a byte."""
    return sum(_bytes(tensor) for network in networks(model.graph) for tensor in network.initializer)


def _bytes(tensor: onnx.TensorProto) -> int:
    if tensor.data_type in NIBBLES:
        return -(-prod(tensor.dims) // 2)
    return numpy_helper.to_array(tensor).nbytes


def networks(network: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Yield a network, and the networks of branches and loops that its nodes run."""
    yield network
    for node in network.node:
        for each in node.attribute:
            if each.HasField("g"):
                yield from networks(each.g)
