"""A common view of convolutions and matrix products: layers with constant weights that can be scaled per channel."""

from typing import NamedTuple

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value, map_lazily, per_channel, round_to, widened
from s2s.dialects import graph
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.types.dtypes import Array, as_tensor_type, is_float, to_numpy
from s2s.types.weights import WeightStore


class LinearLayer(NamedTuple):
    """A float convolution or matrix product with constant weights, whose result has one use."""

    op: graph.LayerOp
    weights: Array
    bias: Array | None

    @property
    def rank(self) -> int:
        """The rank of the result."""
        return as_tensor_type(self.op.y.type).get_num_dims()

    @property
    def axis(self) -> int:
        """The dimension of the result that counts output channels."""
        return self.op.out_axis

    @property
    def channels(self) -> int:
        """Number of output channels."""
        return as_tensor_type(self.op.y.type).get_shape()[self.axis]

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Element type of weights and result."""
        return to_numpy(as_tensor_type(self.op.y.type).element_type)

    def per_channel(self, constant: Array | None) -> Array | None:
        """`constant` as one f64 value per output channel, if it varies along no other dimension."""
        found = None if constant is None else per_channel(constant, self.rank, self.axis, self.channels)
        return None if found is None else widened(found)

    def scaled_weights(self, scale: Array) -> Array:
        """The weights times `scale[channel]`, rounded once."""
        factors = self.op.factors(scale, self.weights.shape, outputs=True)
        return round_to(map_lazily(np.multiply, widened(self.weights), factors), self.dtype)

    def rebuilt(
        self, weights: Array | None, bias: Array | None, store: WeightStore, rewriter: PatternRewriter
    ) -> graph.LayerOp:
        """Insert the operation with new weights and bias (None keeps the old ones)."""
        data, old, *rest = self.op.operands
        operands = [data, old if weights is None else self._constant(old, weights, "weight", store, rewriter)]
        if bias is not None:
            operands.append(self._constant(rest[0] if rest else None, bias, "bias", store, rewriter))
        else:
            operands.extend(rest)
        made = type(self.op).create(
            operands=operands,
            result_types=self.op.result_types,
            properties=dict(self.op.properties),
            attributes=dict(self.op.attributes),
        )
        return rewriter.insert(made)

    def _constant(
        self, old: SSAValue | None, value: Array, role: str, store: WeightStore, rewriter: PatternRewriter
    ) -> SSAValue:
        name = None if old is None else weight_name(old)
        wish = f"{name}_folded" if name else name_for(self.op, role)
        return rewriter.insert(new_constant(value, wish, store)).y


def linear_layer(value: SSAValue, store: WeightStore) -> LinearLayer | None:
    """The layer that computes `value`, if its weights and bias are constant and `value` has one use."""
    op = value.owner
    if not isinstance(op, graph.LayerOp) or not value.has_one_use():
        return None
    if not is_float(as_tensor_type(value.type).element_type):
        return None
    weights = known_value(op.operands[1], store)
    bias = known_value(op.operands[2], store) if len(op.operands) > 2 else None
    if weights is None or (len(op.operands) > 2 and bias is None):
        return None
    return LinearLayer(op, weights, bias)


def convolution_layer(value: SSAValue, store: WeightStore) -> LinearLayer | None:
    """Like `linear_layer`, but only for operations that take a bias."""
    layer = linear_layer(value, store)
    return None if layer is None or isinstance(layer.op, graph.MatmulOp) else layer


def constant_operand(op: Operation, other: SSAValue, store: WeightStore) -> Array | None:
    """The constant that a binary operation combines with `other`, if the result has the shape of `other`."""
    if op.results[0].type != other.type:
        return None
    found = [operand for operand in op.operands if operand is not other]
    return known_value(found[0], store) if len(found) == 1 else None
