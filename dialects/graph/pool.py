"""Pooling over one to three spatial dimensions, channels first. Padding is no element of any window."""

from abc import ABC
from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, traits_def

from s2s.analysis.dtypes import AnyTensor
from s2s.analysis.shapes import window
from s2s.analysis.shapes.window import Window
from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, integer, ints, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind


class PoolOp(GraphOp, ABC):
    """`y[n, c, p] = f(x[n, c, p * stride + k * dilation - lo] for all k that fall inside x)`."""

    x = operand_def(TENSOR)
    kernel = prop_def(INTS)
    strides = prop_def(INTS)
    pads = prop_def(INTS)
    dilations = prop_def(INTS)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        properties: Mapping[str, Attribute] | None = None,
    ) -> None:
        shape = {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations}
        super().__init__([x], {name: ints(values) for name, values in shape.items()} | dict(properties or {}))

    def window(self) -> Window:
        """The sliding window."""
        return Window(
            self.kernel.get_values(), self.strides.get_values(), self.pads.get_values(), self.dilations.get_values()
        )


@irdl_op_definition
class MaxPoolOp(PoolOp):
    """`y` = the largest element of the window, NaN if it holds one."""

    name = "graph.max_pool"

    def __init__(
        self, x: Value, *, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int], dilations: Sequence[int]
    ) -> None:
        super().__init__(x, kernel, strides, pads, dilations)

    def inferred_type(self) -> AnyTensor:
        return window.pool(type_of(self.x), self.window())


@irdl_op_definition
class AvgPoolOp(PoolOp):
    """`y` = the sum of the window over the number of its positions in `[-counted_lo, size + counted_hi)`.

    `counted_pads` are zeros to leave padding out of the mean, or the part of `pads` that the model asked for: what was
    added to round the output up never counts.
    """

    name = "graph.avg_pool"
    counted_pads = prop_def(INTS)

    def __init__(
        self,
        x: Value,
        *,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        counted_pads: Sequence[int],
    ) -> None:
        super().__init__(x, kernel, strides, pads, dilations, {"counted_pads": ints(counted_pads)})

    def inferred_type(self) -> AnyTensor:
        return window.avg_pool(type_of(self.x), self.window(), self.counted_pads.get_values())


@irdl_op_definition
class MaxPoolIndicesOp(PoolOp):
    """`y` = the position in `x`, flattened, of the element that `max_pool` picks; the first of equal ones.

    The spatial dimensions are counted in row-major order (`storage_order = 0`) or column-major order (1).
    """

    name = "graph.max_pool_indices"
    storage_order = prop_def(INT)

    def __init__(
        self,
        x: Value,
        *,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        storage_order: int = 0,
    ) -> None:
        super().__init__(x, kernel, strides, pads, dilations, {"storage_order": integer(storage_order)})

    def inferred_type(self) -> AnyTensor:
        return window.max_pool_indices(type_of(self.x), self.window(), self.storage_order.value.data)
