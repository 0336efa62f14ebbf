"""Check the structure of a model's graphs before anything is computed from them."""

from math import prod

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.formulas import checked_shape
from s2s.frontends.limits import MAX_NODES
from s2s.frontends.tflite.records import ModelInfo, OperatorInfo, Quant, Subgraph, TensorInfo
from s2s.frontends.tflite.schema import PACKED_BITS, RESOURCE, SCHEMA_VERSION


def check_model(model: ModelInfo) -> None:
    """Raise an error that names the first tensor or operator that is out of order."""
    if model.version != SCHEMA_VERSION:
        raise InputError(f"model: schema version {model.version} is not {SCHEMA_VERSION}; convert the model again")
    if not model.subgraphs:
        raise InputError("model: holds no graph; give a file written by the TFLite converter")
    total = sum(len(graph.operators) for graph in model.subgraphs)
    if total > MAX_NODES:
        raise UnsupportedError(f"model: {total} operators are over the limit of {MAX_NODES}; split the model")
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            _check_tensor(tensor, model)
        _check_flow(graph, model)


def is_constant(tensor: TensorInfo, model: ModelInfo) -> bool:
    """Whether the file holds the values of `tensor`."""
    if tensor.is_variable or tensor.kind == RESOURCE:
        return False
    return len(model.buffers[tensor.buffer]) > 0


def stored_bytes(tensor: TensorInfo) -> int:
    """Bytes that the values of a dense tensor take in the file."""
    return -(-prod(tensor.shape) * PACKED_BITS.get(tensor.kind, 8 * tensor.dtype.itemsize) // 8)


def _check_tensor(tensor: TensorInfo, model: ModelInfo) -> None:
    if not tensor.open_shape or all(dim >= 0 for dim in tensor.shape):
        checked_shape(tensor.shape, tensor.place)
    if tensor.buffer >= len(model.buffers):
        raise InputError(f"{tensor.place}: buffer {tensor.buffer} of {len(model.buffers)}; export the model again")
    if tensor.quant is not None:
        _check_quant(tensor, tensor.quant)
    if not is_constant(tensor, model):
        return
    if any(dim < 0 for dim in tensor.shape):
        raise InputError(f"{tensor.place}: is a constant of open shape {list(tensor.shape)}; export the model again")
    stored, needed = len(model.buffers[tensor.buffer]), stored_bytes(tensor)
    if tensor.sparsity is None and stored != needed:
        raise InputError(
            f"{tensor.place}: holds {stored} bytes, its shape {list(tensor.shape)} needs {needed}; export it again"
        )


def _check_quant(tensor: TensorInfo, quant: Quant) -> None:
    if len(quant.scale) != len(quant.zero_point):
        raise InputError(
            f"{tensor.place}: has {len(quant.scale)} scales and {len(quant.zero_point)} zero points; quantise it again"
        )
    if not np.isfinite(quant.scale).all() or not (quant.scale > 0).all():
        wrong = next(float(scale) for scale in quant.scale if not (np.isfinite(scale) and scale > 0))
        raise InputError(f"{tensor.place}: scale {wrong} is not a positive finite number; quantise the model again")
    limits = np.iinfo(tensor.dtype)
    narrower = limits.bits - PACKED_BITS.get(tensor.kind, limits.bits)
    low, high = int(limits.min) >> narrower, int(limits.max) >> narrower
    if quant.zero_point.size and not (low <= quant.zero_point.min() and quant.zero_point.max() <= high):
        raise InputError(f"{tensor.place}: a zero point is outside {low} to {high}; quantise the model again")
    if quant.is_per_tensor:
        return
    if not 0 <= quant.axis < len(tensor.shape) or tensor.shape[quant.axis] != len(quant.scale):
        raise InputError(
            f"{tensor.place}: {len(quant.scale)} scales along axis {quant.axis} do not fit shape {list(tensor.shape)}; "
            "quantise the model again"
        )


def _check_flow(graph: Subgraph, model: ModelInfo) -> None:
    """Tensors are defined once and before their use; outputs are produced."""
    count = len(graph.tensors)
    for kind, numbers in (("input", graph.inputs), ("output", graph.outputs)):
        _check_indices(graph.place, kind, numbers, count, optional=False)
    constant = {tensor.index for tensor in graph.tensors if is_constant(tensor, model)}
    defined = constant | {tensor.index for tensor in graph.tensors if tensor.is_variable or 0 in tensor.shape}
    given: set[int] = set()
    for index in graph.inputs:
        if index in constant or index in given:
            fact = "a constant" if index in constant else "listed twice"
            raise InputError(f"{graph.tensors[index].place}: is an input of the graph and {fact}; fix the inputs")
        given.add(index)
    defined |= given
    produced = {output for operator in graph.operators for output in operator.outputs}
    for operator in graph.operators:
        _check_indices(operator.place, "input", operator.inputs, count, optional=True)
        _check_indices(operator.place, "output", operator.outputs, count, optional=False)
        _check_indices(operator.place, "intermediate", operator.intermediates, count, optional=True)
        _check_operands(graph, operator, defined, produced)
        _define_outputs(graph, operator, defined, constant, given)
    for index in graph.outputs:
        if index not in defined:
            raise InputError(f"{graph.tensors[index].place}: is an output that no operator produces; fix the outputs")


def _check_indices(place: str, kind: str, numbers: tuple[int, ...], count: int, *, optional: bool) -> None:
    lowest = -1 if optional else 0
    for position, number in enumerate(numbers):
        if not lowest <= number < count:
            raise InputError(f"{place}: {kind} {position} is tensor {number} of {count}; export the model again")


def _check_operands(graph: Subgraph, operator: OperatorInfo, defined: set[int], produced: set[int]) -> None:
    for position, index in enumerate(operator.inputs):
        if index < 0 or index in defined:
            continue
        name = graph.tensors[index].place
        if index in operator.outputs:
            fact = "is what it produces itself"
        elif index in produced:
            fact = "is produced only later: the operators are out of order or form a cycle"
        else:
            fact = "has no value: no operator produces it and the file holds none"
        raise InputError(f"{operator.place}: input {position}, {name}, {fact}; export the model again")


def _define_outputs(
    graph: Subgraph, operator: OperatorInfo, defined: set[int], constant: set[int], given: set[int]
) -> None:
    for index in operator.outputs:
        tensor = graph.tensors[index]
        if index in constant or index in given:
            kind = "a constant" if index in constant else "an input of the graph"
            raise InputError(f"{operator.place}: writes {tensor.place}, {kind}; export the model again")
        if index in defined and not tensor.is_variable and 0 not in tensor.shape:
            raise InputError(
                f"{operator.place}: writes {tensor.place}, which has a value already; export the model again"
            )
        defined.add(index)
