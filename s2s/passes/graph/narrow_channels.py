"""Rewrite single operations of a network to tensors with fewer channels."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.channels.carried import ABSENT, Carried
from s2s.analysis.channels.layers import Layer
from s2s.analysis.channels.needed import Inputs
from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import integer, ints
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.types.dtypes import Array, as_tensor_type, tensor_type, to_numpy
from s2s.types.weights import WeightStore


class Channels(NamedTuple):
    """The channels that an operation keeps, by number."""

    operands: Mapping[int, Array]
    """Of each operand with channels that can be removed."""
    result: Array


class NarrowLayer(NamedTuple):
    """The weights of a layer without some channels, and what the removed ones add to each sum."""

    weights: Array
    addend: Array
    """[output channels], in f64: integers are exact in it."""


def narrow_layer(layer: Layer, kept: Channels, inputs: Inputs | None) -> NarrowLayer:
    """Compute the weights of a layer for the channels that are kept, in the order of the operation."""
    outputs = kept.result
    if layer.groups > 1:
        groups = np.unique(outputs // (layer.outputs // layer.groups))
        return NarrowLayer(layer.as_stored(layer.weights[groups]), np.zeros(outputs.size))
    weights = layer.weights[0][outputs]
    if inputs is None or 0 not in kept.operands:
        return NarrowLayer(layer.as_stored(weights[None]), np.zeros(outputs.size))
    wide = weights.astype(np.float64) - layer.weight_zp
    removed = np.ones(layer.inputs, np.bool_)
    removed[kept.operands[0]] = False
    constants = np.flatnonzero(removed & inputs.folded)
    number = np.broadcast_to(inputs.x.low, layer.inputs)[constants].astype(np.float64) - layer.input_zp
    addend = (wide[:, constants] * number[:, None]).sum(axis=(1, 2))
    merged = inputs.merged(np.isin(np.arange(layer.outputs), outputs))
    for channel in np.flatnonzero(removed & ~inputs.folded & (merged != np.arange(layer.inputs))):
        wide[:, merged[channel]] += wide[:, channel]
    rounded = (wide[:, kept.operands[0]] + layer.weight_zp).astype(weights.dtype)
    return NarrowLayer(layer.as_stored(rounded[None]), addend)


def replace_layer(layer: Layer, kept: Channels, narrow: NarrowLayer, store: WeightStore) -> Operation:
    """Put a layer with fewer channels in place of `layer`. What a convolution adds goes into its bias."""
    op = layer.op
    operands = [op.operands[0], _constant(narrow.weights, op, 1, "weight", store)]
    properties = dict(op.properties)
    if not isinstance(op, graph.MatmulOp):
        properties["groups"] = integer(layer.groups * kept.result.size // layer.outputs if layer.groups > 1 else 1)
        bias = None if layer.bias is None else layer.bias[kept.result]
        if bias is not None or narrow.addend.any():
            dtype = to_numpy(as_tensor_type(op.y.type).element_type)
            operands.append(_constant(total(bias, narrow.addend, dtype), op, 2, "bias", store))
    made = type(op).create(
        operands=operands,
        result_types=[_narrow_type(op, layer.op.out_axis, kept.result.size)],
        properties=properties,
        attributes=dict(op.attributes),
    )
    Rewriter.replace_op(op, made)
    return made


def add_after(product: graph.MatmulOp, addend: Array, store: WeightStore) -> None:
    """Add a number for each column to a matrix product."""
    dtype = to_numpy(product.y.type.element_type)
    bias = new_constant(total(None, addend, dtype), name_for(product, "bias"), store)
    addition = graph.AddOp(product.y, bias.y)
    copy_provenance(addition, product)
    product.y.replace_uses_with_if(addition.y, lambda use: use.operation is not addition)
    Rewriter.insert_op([bias, addition], InsertPoint.after(product))


def total(bias: Array | None, addend: Array, dtype: np.dtype[Any]) -> Array:
    """Add to a bias; integers wrap around, as sums of a layer do, and floats round once."""
    if dtype.kind == "f":
        return ((0 if bias is None else bias.astype(np.float64)) + addend).astype(dtype)
    return ((0 if bias is None else bias.astype(np.int64)) + addend.astype(np.int64)).astype(dtype)


def replace_carrier(
    op: Operation, carried: Carried, kept: Channels, store: WeightStore, addend: Array | None
) -> Operation:
    """Put an operation with fewer channels in place of `op`. `addend` goes into the constant of an addition."""
    operands = list(op.operands)
    for number, axis in carried.parameters.items():
        value = known_value(op.operands[number], store)
        assert value is not None
        part = np.take(value, kept.result, axis)
        if addend is not None:
            shape = [-1 if each == axis else 1 for each in range(part.ndim)]
            part = total(part, addend.reshape(shape), part.dtype)
        if isinstance(op, graph.GatherOp):
            part = np.searchsorted(kept.operands[0], carried.sources[0][kept.result]).astype(value.dtype)
        operands[number] = _constant(np.asarray(part, order="C"), op, number, "channels", store)
    adjust = _ADJUST.get(type(op))
    made = type(op).create(
        operands=operands,
        result_types=[_narrow_type(op, carried.axis, kept.result.size)],
        properties={**op.properties, **({} if adjust is None else adjust(op, carried, kept))},
        attributes=dict(op.attributes),
    )
    Rewriter.replace_op(op, made)
    return made


def _narrow_type(op: Operation, axis: int, channels: int) -> Attribute:
    kind = as_tensor_type(op.results[0].type)
    shape = list(kind.get_shape())
    shape[axis] = channels
    return tensor_type(kind.element_type, tuple(shape))


def _constant(value: Array, op: Operation, number: int, role: str, store: WeightStore) -> Any:
    """Insert a constant in front of `op`, named after the operand that it replaces."""
    old = op.operands[number] if number < len(op.operands) else None
    name = None if old is None else weight_name(old)
    made = new_constant(value, f"{name}_kept" if name else name_for(op, role), store)
    Rewriter.insert_op(made, InsertPoint.before(op))
    return made.y


def _slice(op: graph.SliceOp, carried: Carried, kept: Channels) -> dict[str, Attribute]:
    first = int(np.searchsorted(kept.operands[0], carried.sources[0][kept.result[0]]))
    return {
        "starts": _with(op.starts.get_values(), carried.axis, first),
        "sizes": _with(op.sizes.get_values(), carried.axis, kept.result.size),
        "strides": _with(op.strides.get_values(), carried.axis, 1),
    }


def _pad(op: graph.PadOp, carried: Carried, kept: Channels) -> dict[str, Attribute]:
    low, inside = op.low.get_values()[carried.axis], int((carried.sources[0] != ABSENT).sum())
    before, behind = int((kept.result < low).sum()), int((kept.result >= low + inside).sum())
    return {
        "low": _with(op.low.get_values(), carried.axis, before),
        "high": _with(op.high.get_values(), carried.axis, behind),
    }


def _with(values: Any, place: int, value: int) -> Attribute:
    changed = list(values)
    changed[place] = value
    return ints(changed)


_ADJUST: Mapping[type[Operation], Callable[[Any, Carried, Channels], dict[str, Attribute]]] = {
    graph.SliceOp: _slice,
    graph.PadOp: _pad,
}
"""The properties that count channels."""
