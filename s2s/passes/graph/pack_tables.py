"""Store constant tables of integers of at most four bits packed, two or four in a byte, and unpack what is gathered.

    %y = graph.gather %w, %i {axis = 0} : (tensor<64x32xi8>, tensor<5xi64>) -> tensor<5x32xi8>     // from -8 to 7
->
    %p = graph.gather %packed, %i {axis = 0} : (tensor<64x16xui8>, tensor<5xi64>) -> tensor<5x16xui8>
    %s = graph.shift_right (graph.reshape %p : tensor<5x16x1xui8>), dense<[0, 4]>
    %c = graph.cast (graph.reshape (graph.bitwise_and %s, 15)) : (tensor<5x32xui8>) -> tensor<5x32xi8>
    %y = graph.add %c, -8

The values decide, not the type that the model declares: elements from at most 16 successive integers take four bits
each (here -1, 2 become the byte 0xa7), those from at most 4 take two. Neighbours along the last axis that is not
gathered share a byte.

Declined for tables with other readers than gathers, of one dimension, and of fewer than 64 elements.
"""

from collections.abc import Set

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import new_weight
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, to_numpy, ui8
from s2s.types.weights import WeightStore

MIN_ELEMENTS = 64
WIDTHS = (2, 4)
"""Bits of a packed element."""


class GatherOfSmallIntegers(WeightPattern):
    """A gather from a table of bytes that take few values."""

    def __init__(self, store: WeightStore, read_otherwise: Set[str]) -> None:
        super().__init__(store)
        self.read_otherwise = read_otherwise
        """The hashes of weights with other readers than gathers."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.GatherOp, rewriter: PatternRewriter) -> None:
        weight = op.x.owner
        kind = type_of(op.x)
        if not isinstance(weight, graph.WeightOp) or kind.element_type not in (i8, ui8) or is_known(op.indices):
            return
        gathers = [use.operation for use in weight.y.uses]
        axes = {each.axis.value.data for each in gathers if isinstance(each, graph.GatherOp)}
        free = [axis for axis in range(kind.get_num_dims()) if axis not in axes]
        if not free or weight.hash.data in self.read_otherwise:
            return
        values = self.store.get(weight.weight_name.data)
        bits = width(values)
        if bits is None:
            return
        low, axis = int(values.min()), free[-1]
        packed = new_weight(packed_along(values, axis, bits), f"{weight.weight_name.data}_packed", self.store)
        maker = Maker.of(rewriter, self.store, op)
        gathered = maker(
            graph.GatherOp(maker(packed), op.indices, axis=op.axis.value.data, nonnegative_indices=op.is_nonnegative)
        )
        behind = axis > op.axis.value.data
        place = axis + type_of(op.indices).get_num_dims() - 1 if behind else axis
        value = maker.cast(_unpacked(maker, gathered, place, bits, kind.get_shape()[axis]), kind.element_type)
        if low:
            value = maker(graph.AddOp(value, maker.constant(np.asarray(low, to_numpy(kind.element_type)), "lowest")))
        rewriter.replace(op, [], [value])


def width(values: Array) -> int | None:
    """Return the bits that hold the distances of `values` from the lowest; None if they are not worth packing."""
    if values.size < MIN_ELEMENTS:
        return None
    distance = int(values.max()) - int(values.min())
    return next((bits for bits in WIDTHS if distance < 1 << bits), None)


def packed_along(values: Array, axis: int, bits: int) -> Array:
    """Return the distances of `values` from the lowest, neighbours along `axis` in one byte, the first in the low
    bits."""
    per_byte = 8 // bits
    codes = np.moveaxis(values.astype(np.int16) - values.min().astype(np.int16), axis, -1).astype(np.uint8)
    filled = np.zeros((*codes.shape[:-1], -(-codes.shape[-1] // per_byte) * per_byte), np.uint8)
    filled[..., : codes.shape[-1]] = codes
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    bytes = np.bitwise_or.reduce(filled.reshape(*codes.shape[:-1], -1, per_byte) << shifts, axis=-1)
    return np.asarray(np.moveaxis(bytes, -1, axis), order="C")


def _unpacked(maker: Maker, value: SSAValue, axis: int, bits: int, size: int) -> SSAValue:
    """Return the codes in the bytes of `value`, `size` of them along `axis`."""
    shape = list(as_tensor_type(value.type).get_shape())
    per_byte = 8 // bits
    shifts = np.arange(0, 8, bits, dtype=np.uint8).reshape(per_byte, *[1] * (len(shape) - axis - 1))
    apart = maker(graph.ReshapeOp(value, [*shape[: axis + 1], 1, *shape[axis + 1 :]]))
    low = maker(graph.ShiftRightOp(apart, maker.constant(shifts, "shifts")))
    codes = maker(graph.BitwiseAndOp(low, maker.constant(np.asarray((1 << bits) - 1, np.uint8), "mask")))
    return maker.joined(codes, axis, size)


class PackTablesPass(ModulePass):
    name = "graph-pack-tables"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = [each for each in op.walk() if isinstance(each, graph.WeightOp)]
        read_otherwise = {each.hash.data for each in weights if not _is_only_gathered(each)}
        rewrite(op, GatherOfSmallIntegers(weights_of(ctx), read_otherwise))


def _is_only_gathered(weight: graph.WeightOp) -> bool:
    return all(isinstance(use.operation, graph.GatherOp) and use.index == 0 for use in weight.y.uses)
