"""Gather the stored integers of a constant table and dequantise what was gathered, so that the table stays small.

    %f = graph.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
    %d = graph.mul %f, %s : (…, tensor<64x32xf32>) -> …          // %s : one number for each row
    %y = graph.gather %d, %i {axis = 0} : (tensor<64x32xf32>, tensor<5xi64>) -> tensor<5x32xf32>
->
    %g = graph.gather %w, %i {axis = 0} : (tensor<64x32xi8>, tensor<5xi64>) -> tensor<5x32xi8>
    %f = graph.cast %g : (tensor<5x32xi8>) -> tensor<5x32xf32>
    %r = graph.gather %rows, %i {axis = 0} : (tensor<64x1xf32>, tensor<5xi64>) -> tensor<5x1xf32>
    %y = graph.mul %f, %r

Constant folding would make floats of the table: four bytes for each integer. Scales and zero points take part in their
smallest form: one number where all are equal, one for each block where they are equal by blocks. With blocks of 16
along the gathered axis, index 37 takes scale `37 >> 4`. Results do not change. A table of codes that looks up its
numbers (8-bit and 4-bit floats) is gathered as codes.

Declined where the table has other readers than gathers, and where the constants would not become smaller.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_known, known_value
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, size_in_bytes, tensor_type, to_numpy

COMBINED = (graph.SubOp, graph.MulOp, graph.AddOp, graph.DivOp, graph.BitwiseXorOp)
"""Operations that combine each element of a table with a constant."""


class Parameter(NamedTuple):
    """A constant of the rank of the table, of which one element serves a block of each axis."""

    array: Array
    blocks: tuple[int, ...]
    """Elements of the table that share an element, by axis; an axis of one element is shared by all."""


class GatherOfDequantised(WeightPattern):
    """A gather from a table that is computed from a smaller one, element by element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        if is_known(op.indices):
            return
        steps = _steps(op.x)
        if not steps:
            return
        table = _table(steps[0])
        axis, shape = op.axis.value.data, type_of(op.x).get_shape()
        parameters = [None if each is None else self._parameter(each, shape, axis) for each in map(_constant, steps)]
        size = _bytes(table) + sum(each.array.nbytes for each in parameters if each is not None)
        if size >= _bytes(op.x):
            return
        maker = Maker.of(rewriter, self.store, *steps, op)
        value = maker(graph.GatherOp(table, op.indices, axis=axis))
        for step, parameter in zip(steps, parameters, strict=True):
            match step:
                case graph.CastOp():
                    value = maker.cast(value, type_of(step.y).element_type)
                case graph.GatherOp():
                    value = maker(graph.GatherOp(step.x, value, axis=0))
                case _:
                    assert parameter is not None
                    kind = tensor_type(as_tensor_type(step.results[0].type).element_type, type_of(op.y).get_shape())
                    operands = [value, _looked_up(maker, parameter, op)]
                    value = maker(type(step).create(operands=operands, result_types=[kind], properties=step.properties))
        rewriter.replace(op, [], [value])

    def _parameter(self, value: SSAValue, shape: Sequence[int], axis: int) -> Parameter:
        array = known_value(value, self.store)
        assert array is not None
        return smallest(array, shape, axis)


def _steps(value: SSAValue) -> list[Operation]:
    """Return the operations, first to last, that compute `value` from a constant table of its shape and that only
    gathers read; none if there are no such."""
    found = list[Operation]()
    shape = as_tensor_type(value.type).get_shape()
    while not is_known(value):
        op = value.owner
        last = not found
        readers = [use.operation for use in value.uses]
        if not isinstance(op, Operation) or not (last or len(readers) == 1):
            return []
        if last and not all(isinstance(each, graph.GatherOp) and each.x is value for each in readers):
            return []
        found.insert(0, op)
        if not isinstance(op, graph.CastOp) and not _is_decoding(op) and not _is_combined(op):
            return []
        value = _table(op)
        if as_tensor_type(value.type).get_shape() != shape:
            return []
    return found


def _is_decoding(op: Operation) -> bool:
    return isinstance(op, graph.GatherOp) and is_known(op.x) and type_of(op.x).get_num_dims() == 1


def _is_combined(op: Operation) -> bool:
    return isinstance(op, COMBINED) and is_known(op.b)


def _table(op: Operation) -> SSAValue:
    """Return the operand of a step that has an element for each of its result."""
    return op.operands[1] if isinstance(op, graph.GatherOp) else op.operands[0]


def _constant(op: Operation) -> SSAValue | None:
    return op.b if isinstance(op, COMBINED) else None


def _bytes(value: SSAValue) -> int:
    kind = as_tensor_type(value.type)
    return kind.element_count() * size_in_bytes(kind.element_type)


def smallest(array: Array, shape: Sequence[int], axis: int) -> Parameter:
    """Return a constant that broadcasts to `shape` with one element for each block in which all are the same bits.

    [[1, 1, 2, 2], [3, 3, 4, 4]] is [[1, 2], [3, 4]] in blocks of (1, 2). Blocks of the gathered `axis` are powers of
    two that divide its size, so that a shift finds them.
    """
    small = array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
    blocks = list[int]()
    for each, size in enumerate(shape):
        block = 1
        if small.shape[each] > 1:
            rows = np.moveaxis(small, each, 0).reshape(size, -1)
            bits = np.asarray(rows, order="C").view(f"u{array.itemsize}")
            changes = np.flatnonzero((bits[1:] != bits[:-1]).any(axis=1)) + 1
            block = int(np.gcd.reduce(changes)) if changes.size else size
            if each == axis and block < size:
                block &= -block
                block = block if size % block == 0 else 1
            small = np.take(small, np.arange(0, size, block), axis=each)
        blocks.append(block)
    return Parameter(np.asarray(small, order="C"), tuple(blocks))


def _looked_up(maker: Maker, of: Parameter, op: graph.GatherOp) -> SSAValue:
    """Return the elements of a parameter for the elements that `op` gathers, in a shape that broadcasts to its
    result."""
    axis, places = op.axis.value.data, type_of(op.indices).get_num_dims()
    array, block = of.array, of.blocks[axis]
    shape = type_of(op.x).get_shape()
    if array.shape[axis] == 1:
        ones = array.reshape(array.shape[:axis] + (1,) * places + array.shape[axis + 1 :])
        value = maker.constant(ones, "parameter")
    else:
        indices = op.indices
        if block > 1:
            shift = np.asarray(block.bit_length() - 1, to_numpy(type_of(indices).element_type))
            indices = maker(graph.ShiftRightOp(indices, maker.constant(shift, "shift")))
        value = maker(graph.GatherOp(maker.constant(array, "parameter"), indices, axis=axis))
    for each in range(len(shape)):
        if each != axis and array.shape[each] > 1 and of.blocks[each] > 1:
            value = _repeated(maker, value, each if each < axis else each + places - 1, of.blocks[each], shape[each])
    return value


def _repeated(maker: Maker, value: SSAValue, axis: int, block: int, size: int) -> SSAValue:
    """Return `value` with each element `block` times along `axis`, cut to `size`."""
    shape = list(as_tensor_type(value.type).get_shape())
    apart = maker(graph.ReshapeOp(value, [*shape[: axis + 1], 1, *shape[axis + 1 :]]))
    wide = maker(graph.BroadcastToOp(apart, [*shape[: axis + 1], block, *shape[axis + 1 :]]))
    return maker.joined(wide, axis, size)


class GatherQuantizedPass(ModulePass):
    name = "graph-gather-quantized"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, GatherOfDequantised(weights_of(ctx)))
