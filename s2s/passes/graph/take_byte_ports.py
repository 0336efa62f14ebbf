"""Take off the quantisation of inputs and the dequantisation of outputs, so that the network is passed bytes.

    func.func @main(%x: tensor<2x3xf32> {name = "x"}) -> (tensor<2x3xf32> {name = "y"}) {
      %d = graph.div %x, %scale : …
      %r = graph.round %d : …
      %c = graph.clamp %r {min = -128.0 : f64, max = 127.0 : f64} : …
      %q = graph.cast %c : (tensor<2x3xf32>) -> tensor<2x3xi8>
      …                                                                     // %z computed of %q: bytes
      %f = graph.cast %z : (tensor<2x3xi8>) -> tensor<2x3xf32>
      %y = graph.mul %f, %scale : …
->
    func.func @main(%x: tensor<2x3xi8> {name = "x", quant_scale = …, quant_zero_point = 0}) -> …

An input is quantised by elementwise operations that begin with a division by the scale and end with bytes. They are
evaluated on the real numbers of all 256 bytes, and are taken off only if each gives the byte itself back: the network
then computes the same of a byte as of its real number. Operations that only move or select values may stand between an
input and its quantisation, or between a dequantisation and an output, and several may read an input: they move bytes
then. A pad in front of a quantisation adds the byte of its number; one behind a dequantisation, the byte that stands
for its number.

Declined where an input has another use, where a scale is computed or differs by channel, where bytes are not given
back, where parts of an input have several scales, and where no byte stands for the number of a pad. Other inputs and
outputs keep their types.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, FunctionType, IntegerAttr, ModuleOp, f64, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of, text
from s2s.analysis.numbers.known_values import splat_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import number as number_of
from s2s.interpret.graph import can_evaluate, evaluate
from s2s.passes.context import weights_of
from s2s.passes.graph.moves import MOVES, PADS, moved, rebuilt
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type, tensor_type, to_numpy
from s2s.types.interface import BytePorts
from s2s.types.weights import WeightStore


class Bytes(NamedTuple):
    """A tensor of bytes, which stand for `scale * (byte - zero_point)`."""

    value: SSAValue
    scale: float
    zero_point: int


@frozen
class TakeBytePortsPass(ModulePass):
    """Pass bytes where the network quantises an input or dequantises an output."""

    name = "graph-take-byte-ports"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        take_byte_ports(op, weights_of(ctx))


class Quantisation(NamedTuple):
    """How a value of floats becomes bytes: by the operations from `first` on."""

    first: Operation
    bytes: Bytes


class Reading(NamedTuple):
    """All that reads an input: operations that move values, each behind the one that it reads, and quantisations."""

    moves: list[Operation]
    quantisations: list[Quantisation]


def take_byte_ports(module: ModuleOp, weights: WeightStore) -> BytePorts:
    """Replace the quantised inputs and outputs of the network by bytes, and return their names."""
    main = main_of(module)
    readings = ((number, _reading(arg, weights)) for number, arg in enumerate(main.args))
    inputs = {number: _take_input(main.args[number], each, weights) for number, each in readings if each is not None}
    ending = main.body.block.last_op
    assert isinstance(ending, ReturnOp)
    outputs = dict(_numbered(_dequantised(value, weights) for value in ending.operands))
    for number, dequantised in outputs.items():
        ending.operands[number] = dequantised.value
    main.arg_attrs = _described(main.arg_attrs, inputs)
    main.res_attrs = _described(main.res_attrs, outputs)
    types = [arg.type for arg in main.args], [each.type for each in ending.operands]
    main.function_type = FunctionType.from_lists(*types)
    return BytePorts(_names(main.arg_attrs, inputs), _names(main.res_attrs, outputs))


def _take_input(argument: SSAValue, reading: Reading, weights: WeightStore) -> Bytes:
    """Make an input one of bytes, with the operations that move it, and erase its quantisations."""
    quantised = reading.quantisations[0].bytes
    element, shape = as_tensor_type(quantised.value.type).element_type, as_tensor_type(argument.type).get_shape()
    fills = [_pad_byte(each, reading.quantisations[0], weights) for each in reading.moves]
    argument = Rewriter.replace_value_with_new_type(argument, tensor_type(element, shape))
    in_bytes: dict[SSAValue, SSAValue] = {argument: argument}
    for op, fill in zip(reading.moves, fills, strict=True):
        in_bytes[op.results[0]] = _moved(op, [in_bytes[op.operands[0]]], fill)
    for first, found in reading.quantisations:
        found.value.replace_all_uses_with(in_bytes[first.operands[0]])
        for each in reversed(list(_members(first))):
            Rewriter.erase_op(each)
    for each in reversed(reading.moves):
        Rewriter.erase_op(each)
    return quantised


def _moved(op: Operation, values: Sequence[SSAValue], fill: int | None) -> SSAValue:
    made = rebuilt(op, values, fill)
    Rewriter.insert_op(made, InsertPoint.before(op))
    return made.results[0]


def _names(attributes: ArrayAttr[DictionaryAttr] | None, ports: Mapping[int, Bytes]) -> frozenset[str]:
    described = list(attributes or ())
    return frozenset(text(described[number], "name") or "" for number in ports if number < len(described))


def _numbered(found: Iterator[Bytes | None]) -> Iterator[tuple[int, Bytes]]:
    return ((number, each) for number, each in enumerate(found) if each is not None)


def _described(
    attributes: ArrayAttr[DictionaryAttr] | None, ports: Mapping[int, Bytes]
) -> ArrayAttr[DictionaryAttr] | None:
    """Add scale and zero point to the attributes of ports."""
    if attributes is None:
        return None
    described = [
        DictionaryAttr({**each.data, **_quantisation(ports[number])} if number in ports else each.data)
        for number, each in enumerate(attributes)
    ]
    return ArrayAttr(described)


def _quantisation(port: Bytes) -> dict[str, FloatAttr | IntegerAttr]:
    return {"quant_scale": FloatAttr(port.scale, f64), "quant_zero_point": IntegerAttr(port.zero_point, i64)}


def _dtype(value: SSAValue) -> np.dtype[np.integer[Any]]:
    return to_numpy(as_tensor_type(value.type).element_type)


def _is_byte(value: SSAValue) -> bool:
    return _dtype(value) in (np.dtype(np.int8), np.dtype(np.uint8))


def _reading(argument: SSAValue, weights: WeightStore) -> Reading | None:
    """Return what reads an argument, if that is nothing but quantisations to the same bytes and what moves values."""
    moves: list[Operation] = []
    quantisations: list[Quantisation] = []
    values = [argument]
    for value in values:
        for op in dict.fromkeys(use.operation for use in value.uses):
            quantised = None if _is_move(op, value) else _quantised(op, value, weights)
            if quantised is not None:
                quantisations.append(Quantisation(op, quantised))
            elif _is_move(op, value):
                moves.append(op)
                values.append(op.results[0])
            else:
                return None
    kinds = {(found.scale, found.zero_point, _dtype(found.value)) for _, found in quantisations}
    return Reading(moves, quantisations) if len(kinds) == 1 else None


def _is_move(op: Operation, value: SSAValue) -> bool:
    """Whether an operation moves or selects elements of one value, and reads `value` as nothing else."""
    alone = not isinstance(op, graph.ConcatOp) or len(op.operands) == 1
    return isinstance(op, MOVES) and alone and op.operands[0] == value and value not in op.operands[1:]


def _pad_number(op: Operation) -> float | None:
    """The number that a pad adds; None for all other operations, and pads that repeat elements."""
    if not isinstance(op, PADS) or (isinstance(op, graph.PadOp) and op.mode.data != "constant"):
        return None
    return float(number_of(op.value) or 0)


def _pad_byte(op: Operation, quantisation: Quantisation, weights: WeightStore) -> int | None:
    """The byte that a pad in front of a quantisation adds."""
    added = _pad_number(op)
    if added is None:
        return None
    found = _evaluated(quantisation.first, np.full(1, added, np.float32), weights)
    assert found is not None
    return int(found[1][0])


def _quantised(first: Operation, argument: SSAValue, weights: WeightStore) -> Bytes | None:
    """Return the bytes that an argument becomes by the operations from `first` on."""
    if not isinstance(first, graph.DivOp) or first.a != argument:
        return None
    scale = splat_value(first.b, weights)
    zero = None if scale is None else _evaluated(first, np.zeros(1, np.float32), weights)
    if scale is None or zero is None or not _is_region(first, zero[0]):
        return None
    value, zero_point = zero[0], int(zero[1][0])
    info = np.iinfo(_dtype(value))
    every = np.arange(info.min, info.max + 1)
    found = _evaluated(first, ((every - zero_point) * np.float32(scale)).astype(np.float32), weights)
    exact = found is not None and np.array_equal(found[1], every)
    return Bytes(value, float(scale), zero_point) if exact else None


def _members(first: Operation) -> Iterator[Operation]:
    """Yield the operations that compute of `first`, in order, up to the one that gives bytes."""
    yield first
    inside, op = {*first.results}, first.next_op
    while op is not None:
        if not inside.isdisjoint(op.operands):
            yield op
            if op.results and _is_byte(op.results[0]):
                return
            inside.update(op.results)
        op = op.next_op


def _is_region(first: Operation, last: SSAValue) -> bool:
    """Whether nothing but the operations up to `last` reads what they compute."""
    members = set(_members(first))
    inside = [result for op in members for result in op.results if result != last]
    return all(use.operation in members for value in inside for use in value.uses)


def _evaluated(first: Operation, reals: Array, weights: WeightStore) -> tuple[SSAValue, Array] | None:
    """Return the bytes that operations from `first` on give, and their values for some numbers that `first` reads; None
    if they give no bytes."""
    values: dict[SSAValue, Array] = {first.operands[0]: reals}
    for op in _members(first):
        if not can_evaluate(op) or fusion_kind(op) > FusionKind.BROADCAST:
            return None
        operands = [values[each] if each in values else _scalar(each, weights) for each in op.operands]
        known = [each for each in operands if each is not None]
        if len(known) < len(operands):
            return None
        results = [tensor_type(as_tensor_type(each.type).element_type, reals.shape) for each in op.results]
        copy = type(op).create(
            operands=[graph.ConstantOp(each).y for each in known], result_types=results, properties=op.properties
        )
        values[op.results[0]] = evaluate(copy, known)[0]
        if _is_byte(op.results[0]):
            return op.results[0], values[op.results[0]]
    return None


def _scalar(value: SSAValue, weights: WeightStore) -> Array | None:
    number = splat_value(value, weights)
    return None if number is None else np.asarray(number, to_numpy(as_tensor_type(value.type).element_type))


def _dequantised(value: SSAValue, weights: WeightStore) -> Bytes | None:
    """Return the bytes of a value that is `(byte - zero_point) * scale`, or moves elements of such values."""
    op = value.owner
    if not isinstance(op, MOVES):
        return _dequantised_once(value, weights)
    parts = [_dequantised(each, weights) for each in moved(op)]
    known = [each for each in parts if each is not None]
    kinds = {(each.scale, each.zero_point, _dtype(each.value)) for each in known}
    if len(known) < len(parts) or len(kinds) != 1:
        return None
    _, scale, zero_point = known[0]
    added, fill = _pad_number(op), None
    if added is not None:
        info = np.iinfo(_dtype(known[0].value))
        fill = round(added / scale) + zero_point
        if not info.min <= fill <= info.max or np.float32(fill - zero_point) * np.float32(scale) != np.float32(added):
            return None
    return Bytes(_moved(op, [each.value for each in known], fill), scale, zero_point)


def _dequantised_once(value: SSAValue, weights: WeightStore) -> Bytes | None:
    """Return the bytes of a value that is `(byte - zero_point) * scale`."""
    product = value.owner
    if not isinstance(product, graph.MulOp):
        return None
    scale, inner, zero_point = splat_value(product.b, weights), product.a.owner, 0
    if isinstance(inner, graph.SubOp):
        zero = splat_value(inner.b, weights)
        if zero is None:
            return None
        inner, zero_point = inner.a.owner, int(zero)
    if scale is None or not isinstance(inner, graph.CastOp) or not _is_byte(inner.x):
        return None
    return Bytes(inner.x, float(scale), zero_point)
