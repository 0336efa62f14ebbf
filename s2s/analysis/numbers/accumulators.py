"""Bound the sums of integer layers by their actual weights, and choose accumulator types by these bounds.

For any activations, and in any order of its terms, a sum `bias + sum (x - x_zp) * (w - w_zp)` never exceeds

    |bias| + max |x - x_zp| * sum |w - w_zp|

per output channel. Nine int8 weights whose absolute values add up to 600, `|x - x_zp| <= 255` and a bias of 1000 give
1000 + 255 * 600 = 154000, which takes 19 bits. A layer whose bound fits its accumulator cannot overflow; a bound below
half of its range lets the short forms of requantisation double the sum.
"""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.numbers.sums import LayerSums
from s2s.dialects import graph
from s2s.dialects.graph import provenance
from s2s.types.dtypes import Array, as_tensor_type, is_integer, size_in_bytes, to_numpy
from s2s.types.shapes.accumulate import is_small_integer, largest_factor
from s2s.types.weights import WeightStore


class SumBound(NamedTuple):
    """The largest absolute value of the sum of each output channel, and the type of its accumulator."""

    channels: tuple[int, ...]
    """One bound for each output channel, or one for all."""
    accumulator: Attribute

    @property
    def largest(self) -> int:
        """The largest bound of any channel."""
        return max(self.channels)

    @property
    def bits(self) -> int:
        """Bits of the narrowest signed integer that holds every sum."""
        return signed_bits(self.largest)

    @property
    def fits(self) -> bool:
        """Whether the accumulator type holds every sum."""
        return self.largest <= int(np.iinfo(to_numpy(self.accumulator)).max)


def layer_sums(root: Operation, store: WeightStore) -> tuple[LayerSums, ...]:
    """Return the sums of all integer layers under `root`, in program order."""
    found: list[LayerSums] = []
    for op in root.walk():
        bound = total_bound(op, store)
        if bound is not None:
            assert isinstance(op, graph.LayerOp)
            name = ", ".join(provenance(op)) or op.name
            kind = to_numpy(bound.accumulator).name
            found.append(LayerSums(name, op.terms, bound.largest, bound.bits, kind, bound.fits))
    return tuple(found)


def total_bound(op: Operation, store: WeightStore) -> SumBound | None:
    """Return the bound of an integer layer, including a constant that is added to a matrix product as its bias."""
    bound = sum_bound(op, store)
    if bound is None or not isinstance(op, graph.MatmulOp) or not op.y.has_one_use():
        return bound
    [use] = op.y.uses
    if not isinstance(use.operation, graph.AddOp):
        return bound
    other = known_value(use.operation.operands[1 - use.index], store)
    if other is None:
        return bound
    added = [abs(int(each)) for each in other.flat]
    if len(added) == len(bound.channels) == other.shape[-1] and known_value(op.a, store) is None:
        return SumBound(tuple(map(sum, zip(bound.channels, added, strict=True))), bound.accumulator)
    return SumBound((bound.largest + max(added, default=0),), bound.accumulator)


def signed_bits(magnitude: int) -> int:
    """Return the bits of the narrowest signed integer type that holds `-magnitude` to `magnitude`."""
    return magnitude.bit_length() + 1


def is_integer_layer(op: Operation) -> bool:
    """Return whether `op` sums products of small integers."""
    return isinstance(op, graph.LayerOp) and all(
        is_small_integer(as_tensor_type(operand.type).element_type) for operand in op.operands[:2]
    )


def sum_bound(op: Operation, store: WeightStore) -> SumBound | None:
    """Return the bound of an integer layer, from the actual weights where they are constant; None for other
    operations."""
    if not is_integer_layer(op):
        return None
    assert isinstance(op, graph.LayerOp)
    x, w = op.operands[:2]
    zero_points = op.accumulation
    accumulator = as_tensor_type(op.y.type).element_type
    if isinstance(op, graph.MatmulOp) and known_value(x, store) is not None and known_value(w, store) is None:
        x, w, swapped = w, x, True
        x_zp, w_zp = zero_points.w_zp, zero_points.x_zp
    else:
        swapped, x_zp, w_zp = False, zero_points.x_zp, zero_points.w_zp
    factor = _largest(x, x_zp)
    weights = known_value(w, store)
    if weights is None:
        sums = np.asarray([op.terms * _largest(w, w_zp)], dtype=object)
    else:
        magnitudes = np.abs(weights.astype(np.int64) - w_zp)
        sums = _per_channel(op, magnitudes, swapped).astype(object)
    total = sums * factor
    if op.bias is not None:
        total = total + _largest_bias(op.bias, store)
    return SumBound(tuple(int(each) for each in np.ravel(total)), accumulator)


def _largest(value: SSAValue, zero_point: int) -> int:
    """Return the largest `|value - zero_point|`. The type of a difference of bytes may be wide, its range is known."""
    element = as_tensor_type(value.type).element_type
    difference = value.owner
    if zero_point == 0 and element == i16 and isinstance(difference, graph.SubOp):
        sides = [side.owner for side in difference.operands]
        if all(isinstance(side, graph.CastOp) and _is_byte(side.x) for side in sides):
            return 2**8 - 1
    return largest_factor(element, zero_point)


def _is_byte(value: SSAValue) -> bool:
    return size_in_bytes(as_tensor_type(value.type).element_type) == 1


def _per_channel(op: graph.LayerOp, magnitudes: Array, swapped: bool) -> Array:
    """Return the sum of `magnitudes` over the weights of each output channel."""
    if not isinstance(op, graph.MatmulOp):
        return op.by_channels(magnitudes).sum(axis=(2, 3)).reshape(-1)
    is_last = op.transpose_a is None if swapped else op.transpose_b is not None
    sums = magnitudes.sum(axis=-1 if is_last else -2)
    return sums.reshape(-1, sums.shape[-1]).max(axis=0)


def _largest_bias(bias: SSAValue, store: WeightStore) -> Array:
    known = known_value(bias, store)
    if known is not None:
        return np.abs(known.astype(object))
    element = as_tensor_type(bias.type).element_type
    assert is_integer(element)
    return np.asarray([2 ** (31 if element == i32 else 63)], dtype=object)


def narrowest_accumulator(bound: int) -> Attribute | None:
    """Return the narrowest type that holds every sum up to `bound`; None if no integer type does."""
    for element in (i32, i64):
        if bound <= int(np.iinfo(to_numpy(element)).max):
            return element
    return None
