"""Pooling over one to three spatial dimensions. Padding is no element of any window.

Channels come first, and last with `layout = "NHWC"`.
"""

from abc import ABC
from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import (
    INT,
    INTS,
    TENSOR,
    GraphOp,
    Value,
    integer,
    ints,
    layout_attribute,
    layout_of,
    string,
    type_of,
)
from s2s.dialects.graph.interfaces import ReadsSizesInterface, WindowInterface, elements
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import window
from s2s.types.shapes.window import CHANNELS_FIRST, Layout, Window, same_pads, spatial_shape
from s2s.types.size import greatest


class PoolOp(GraphOp, WindowInterface, ReadsSizesInterface, ABC):
    """`y[n, c, p] = f(x[n, c, p * stride + k * dilation - lo] for all k that fall inside x)`."""

    x = operand_def(TENSOR)
    kernel = prop_def(INTS)
    strides = prop_def(INTS)
    pads = prop_def(INTS)
    dilations = prop_def(INTS)
    layout = opt_prop_def(StringAttr)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        layout: Layout = CHANNELS_FIRST,
        properties: Mapping[str, Attribute | None] | None = None,
    ) -> None:
        shape = {"kernel": kernel, "strides": strides, "pads": pads, "dilations": dilations}
        written: dict[str, Attribute | None] = {name: ints(values) for name, values in shape.items()}
        super().__init__([x], written | {"layout": layout_attribute(layout)} | dict(properties or {}))

    @property
    def data_layout(self) -> Layout:
        """Where the channels of `x` and `y` stand."""
        return layout_of(self.layout)

    def window(self) -> Window:
        """The sliding window."""
        return Window(
            self.kernel.get_values(), self.strides.get_values(), self.pads.get_values(), self.dilations.get_values()
        )

    @property
    def work(self) -> int:
        """The elements of all windows."""
        return elements(self.y) * prod(self.kernel.get_values())


@op_definition
class MaxPoolOp(PoolOp):
    """`y` = the largest element of the window, NaN if it holds one."""

    name = "graph.max_pool"

    def __init__(
        self,
        x: Value,
        *,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        layout: Layout = CHANNELS_FIRST,
    ) -> None:
        super().__init__(x, kernel, strides, pads, dilations, layout)

    def inferred_type(self) -> AnyTensor:
        return window.pool(type_of(self.x), self.window(), self.data_layout)


@op_definition
class AvgPoolOp(PoolOp):
    """`y` = the sum of the window over the number of its positions in `[-counted_lo, size + counted_hi)`.

    `counted_pads` are zeros to leave padding out of the mean, or the part of `pads` that the model asked for: what was
    added to round the output up never counts. Integers are summed without overflow; halves round away from zero.
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
        layout: Layout = CHANNELS_FIRST,
    ) -> None:
        super().__init__(x, kernel, strides, pads, dilations, layout, {"counted_pads": ints(counted_pads)})

    def inferred_type(self) -> AnyTensor:
        return window.avg_pool(type_of(self.x), self.window(), self.counted_pads.get_values(), self.data_layout)


def centred(op: PoolOp, window: Window, side: str) -> Window:
    """`window` with the padding that it has at the greatest sizes of `op.x` as a centred one. Together
    it is as much at all sizes."""
    spatial = spatial_shape(type_of(op.x).get_shape(), op.data_layout)
    return window._replace(pads=same_pads(greatest(spatial), window, side))


@op_definition
class SameAvgPoolOp(PoolOp):
    """`y` = the mean of the elements of centred windows, whose padding follows from the size and does not count.

    `pads` are none; `side` says where an odd element of padding goes, as `graph.same_pad` has it.
    """

    name = "graph.same_avg_pool"
    side = prop_def(StringAttr)

    def __init__(
        self,
        x: Value,
        *,
        kernel: Sequence[int],
        strides: Sequence[int],
        dilations: Sequence[int],
        side: str,
        layout: Layout = CHANNELS_FIRST,
    ) -> None:
        super().__init__(x, kernel, strides, [0] * 2 * len(kernel), dilations, layout, {"side": string(side)})

    def window(self) -> Window:
        """The sliding window at the greatest sizes."""
        return centred(self, super().window(), self.side.data)

    def inferred_type(self) -> AnyTensor:
        return window.pool(type_of(self.x), self.window(), self.data_layout)


@op_definition
class MaxPoolIndicesOp(PoolOp):
    """`y` = the position in `x`, flattened, of the element that `max_pool` picks; the first of equal ones.

    The spatial dimensions are counted in row-major order (`storage_order = 0`) or column-major order (1). With `side`,
    `pads` are none and windows are centred, as those of `graph.same_avg_pool`.
    """

    name = "graph.max_pool_indices"
    storage_order = prop_def(INT)
    side = opt_prop_def(StringAttr)

    def __init__(
        self,
        x: Value,
        *,
        kernel: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        storage_order: int = 0,
        side: str = "",
    ) -> None:
        properties = {"storage_order": integer(storage_order), "side": string(side) if side else None}
        super().__init__(x, kernel, strides, pads, dilations, properties=properties)

    def window(self) -> Window:
        """The sliding window at the greatest sizes."""
        return super().window() if self.side is None else centred(self, super().window(), self.side.data)

    def inferred_type(self) -> AnyTensor:
        return window.max_pool_indices(type_of(self.x), self.window(), self.storage_order.value.data, self.data_layout)
