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
then computes the same of a byte as of its real number.

Declined where an input has another use, where a scale is computed or differs by channel, and where bytes are not given
back. Other inputs and outputs keep their types.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, FunctionType, IntegerAttr, ModuleOp, f64, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import main_of, text
from s2s.analysis.numbers.known_values import splat_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.interpret.graph import can_evaluate, evaluate
from s2s.passes.context import weights_of
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


def take_byte_ports(module: ModuleOp, weights: WeightStore) -> BytePorts:
    """Replace the quantised inputs and outputs of the network by bytes, and return their names."""
    main = main_of(module)
    inputs = dict(_numbered(_quantised(arg, weights) for arg in main.args))
    for number, quantised in inputs.items():
        argument = Rewriter.replace_value_with_new_type(main.args[number], quantised.value.type)
        dead = list(_members(argument))
        quantised.value.replace_all_uses_with(argument)
        for each in reversed(dead):
            Rewriter.erase_op(each)
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


def _is_byte(value: SSAValue) -> bool:
    return to_numpy(as_tensor_type(value.type).element_type) in (np.dtype(np.int8), np.dtype(np.uint8))


def _quantised(argument: SSAValue, weights: WeightStore) -> Bytes | None:
    """Return the bytes that an argument becomes, if all its uses are of these."""
    first = next((use.operation for use in argument.uses), None)
    if not isinstance(first, graph.DivOp) or first.a != argument:
        return None
    scale = splat_value(first.b, weights)
    zero = None if scale is None else _evaluated(argument, np.zeros(1, np.float32), weights)
    if scale is None or zero is None or not _is_region(argument, zero[0]):
        return None
    value, zero_point = zero[0], int(zero[1][0])
    info = np.iinfo(to_numpy(as_tensor_type(value.type).element_type))
    every = np.arange(info.min, info.max + 1)
    found = _evaluated(argument, ((every - zero_point) * np.float32(scale)).astype(np.float32), weights)
    exact = found is not None and np.array_equal(found[1], every)
    return Bytes(value, float(scale), zero_point) if exact else None


def _members(argument: SSAValue) -> Iterator[Operation]:
    """Yield the operations that compute of an argument, in order, up to the one that gives bytes."""
    block, inside = argument.owner, {argument}
    for op in getattr(block, "ops", ()):
        if not inside.isdisjoint(op.operands):
            yield op
            if op.results and _is_byte(op.results[0]):
                return
            inside.update(op.results)


def _is_region(argument: SSAValue, last: SSAValue) -> bool:
    """Whether nothing but the operations up to `last` reads what they compute."""
    members = set(_members(argument))
    inside = [argument, *(result for op in members for result in op.results if result != last)]
    return all(use.operation in members for value in inside for use in value.uses)


def _evaluated(argument: SSAValue, reals: Array, weights: WeightStore) -> tuple[SSAValue, Array] | None:
    """Return the bytes that an argument becomes, and their values for some numbers; None if it becomes no bytes."""
    values: dict[SSAValue, Array] = {argument: reals}
    for op in _members(argument):
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
