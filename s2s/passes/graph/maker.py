"""Build dequantisations, and requantisations of sums."""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.quantised_values import Quantised, Rounded, Scaled, along
from s2s.dialects import graph
from s2s.dialects.graph import provenance, set_provenance
from s2s.dialects.graph.traits import layer_of
from s2s.passes.graph.constants import new_constant
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.weights import WeightStore


class Maker(NamedTuple):
    """Inserts operations before the one that is rewritten, and records the source nodes that they replace."""

    rewriter: PatternRewriter
    store: WeightStore
    nodes: tuple[str, ...]

    @classmethod
    def of(cls, rewriter: PatternRewriter, store: WeightStore, *sources: Operation) -> "Maker":
        """A maker for operations that replace `sources`."""
        return cls(rewriter, store, tuple(name for op in sources for name in provenance(op)))

    def __call__(self, op: Operation) -> SSAValue:
        """Insert `op`; return its result."""
        set_provenance(op, self.nodes)
        self.rewriter.insert(op)
        return op.results[0]

    def placed(self, value: SSAValue) -> SSAValue:
        """Insert the operation that defines `value`, if it is not in a block yet; return `value`."""
        owner = value.owner
        return self(owner) if isinstance(owner, Operation) and owner.parent is None else value

    def constant(self, array: Array, role: str) -> SSAValue:
        """Insert `array` as a constant of the network."""
        return self(new_constant(array, f"{layer_of(self.nodes[-1]) if self.nodes else 'lifted'}_{role}", self.store))

    def joined(self, x: SSAValue, axis: int, size: int) -> SSAValue:
        """Make one dimension of `axis` and the one behind it, cut to `size`."""
        shape = as_tensor_type(x.type).get_shape()
        joined_shape = [*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]]
        merged = self(graph.ReshapeOp(x, joined_shape))
        if joined_shape[axis] == size:
            return merged
        cut = [*joined_shape[:axis], size, *joined_shape[axis + 1 :]]
        return self(graph.SliceOp(merged, starts=[0] * len(cut), sizes=cut, strides=[1] * len(cut)))

    def real(self, value: float) -> SSAValue:
        """Insert a constant of type f32."""
        return self.constant(np.asarray(value, np.float32), "number")

    def cast(self, x: SSAValue, element: Attribute) -> SSAValue:
        """Convert `x` to `element`, unless it has that type."""
        return x if as_tensor_type(x.type).element_type == element else self(graph.CastOp(x, element))

    def unscaled(self, of: Scaled) -> SSAValue:
        """`x - zero_point` in f32, which is exact for 8-bit and 16-bit integers."""
        y = self.cast(of.x, f32)
        if not of.zero_point.any():
            return y
        rank = as_tensor_type(of.x.type).get_num_dims()
        zero_point = along(of.zero_point.astype(np.float32), of.axis, rank)
        return self(graph.SubOp(y, self.constant(zero_point, "zero_point")))

    def dequantised(self, of: Scaled) -> SSAValue:
        """`(x - zero_point) * scale`."""
        rank = as_tensor_type(of.x.type).get_num_dims()
        scale = along(of.scale.astype(np.float32), of.axis, rank)
        return self(graph.MulOp(self.unscaled(of), self.constant(scale, "scale")))

    def quantised(self, real: SSAValue, like: Quantised) -> SSAValue:
        """Quantise `real` with the scale and zero point of `like`."""
        return self.rounded(self(graph.DivOp(real, self.real(float(like.scale)))), like, like.low, like.high)

    def rounded(self, real: SSAValue, like: Rounded, low: int, high: int) -> SSAValue:
        """Round `real`, already divided by the scale of `like`, to integers between `low` and `high`."""
        y = self(graph.RoundOp(real))
        if like.zero_point:
            y = self(graph.AddOp(y, self.real(like.zero_point)))
        y = self(graph.ClampOp(y, min=float(low), max=float(high)))
        return self.cast(y, like.element)
