"""Write lookups of rows in embeddings: in floats, or in quantised weights, whose rows become floats.

Quantised rows and their scales are gathered from the same constants that the product with a tied embedding takes.
"""

import numpy as np
from onnx import TensorProto

from s2s.frontends.decoder.nodes import Nodes
from s2s.frontends.decoder.weights import Blocks, Linear, Superblocks, as_multiplied
from s2s.types.dtypes import Array

HALF = 8
"""The integer of 4 bits that stands for 0 in blocks without least values."""


def look_up(nodes: Nodes, weights: Linear, tokens: str, count: int) -> str:
    """Return the rows `[count, width]` of an embedding for `tokens`."""
    if isinstance(weights, Blocks):
        return _Lookup(nodes, tokens, count).in_blocks(weights)
    if isinstance(weights, Superblocks):
        return _Lookup(nodes, tokens, count).in_superblocks(weights)
    return nodes.node("Gather", nodes.constant(weights, "embedding"), tokens)


class _Lookup:
    """Looks up rows of the parts of one embedding."""

    def __init__(self, nodes: Nodes, tokens: str, count: int) -> None:
        self.nodes, self.tokens, self.count = nodes, tokens, count

    def in_blocks(self, weights: Blocks) -> str:
        """Return `q * scale`."""
        nodes, q = self.nodes, self._integers(weights)
        scales = self._reshaped(self._rows(weights.scales, "rows.scales"), weights.scales.shape[1], 1)
        moved = q if weights.bits == 8 else nodes.node("Sub", q, nodes.constant(np.float32(HALF)))
        return self._flat(nodes.node("Mul", moved, scales))

    def in_superblocks(self, weights: Superblocks) -> str:
        """Return `q * (super_scale * scale) - super_min * min`."""
        inner, outer = (weights.levels[number].shape[1] for number in (0, 2))
        scales, mins, super_scales, super_mins = weights.levels
        q = self._reshaped(self._integers(weights), outer, inner // outer, -1)
        scale, least = (
            self.nodes.node(
                "Mul",
                self._reshaped(self._float(self._rows(low.view(np.int8), f"rows.{name}")), outer, inner // outer, 1),
                self._reshaped(self._float(self._rows(high, f"rows.super_{name}")), outer, 1, 1),
            )
            for low, high, name in ((scales, super_scales, "scales"), (mins, super_mins, "mins"))
        )
        return self._flat(self.nodes.node("Sub", self.nodes.node("Mul", q, scale), least))

    def _integers(self, weights: Blocks | Superblocks) -> str:
        """Return the integers of the rows as floats, `[count, blocks, block]`."""
        rows = self._rows(as_multiplied(weights), "rows")
        return self._float(rows if weights.bits == 8 else self._apart(rows, weights))

    def _apart(self, rows: str, weights: Blocks | Superblocks) -> str:
        """Return the numbers of 4 bits in `rows` of bytes: the lower halves of a block, then the upper ones."""
        nodes, (_, blocks, size) = self.nodes, weights.packed.shape
        unsigned = nodes.node("Cast", self._reshaped(rows, blocks, 1, size), to=TensorProto.UINT8)
        counts = nodes.constant(np.array([[0], [4]], np.uint8))
        shifted = nodes.node("BitShift", unsigned, counts, direction="RIGHT")
        halves = nodes.node("BitwiseAnd", shifted, nodes.constant(np.uint8(15)))
        return self._reshaped(halves, blocks, 2 * size)

    def _rows(self, table: Array, name: str) -> str:
        return self.nodes.node("Gather", self.nodes.constant(table, name), self.tokens)

    def _float(self, x: str) -> str:
        return self.nodes.node("Cast", x, to=TensorProto.FLOAT)

    def _reshaped(self, x: str, *shape: int) -> str:
        return self.nodes.node("Reshape", x, self.nodes.constant(np.array([self.count, *shape])))

    def _flat(self, x: str) -> str:
        return self._reshaped(x, -1)
