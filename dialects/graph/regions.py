"""Operations that pool regions of images, whose places the network computes."""

from math import prod

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, type_of
from s2s.dialects.graph.interfaces import ReadsSizesInterface, shape_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import regions

BIN = 2**10
"""The overhead of a bin of a region, in elements."""


@op_definition
class RoiAlignOp(GraphOp, ReadsSizesInterface):
    """`y[r, p, q, c]` = the mean of samples of image `batch[r]` in bin `(p, q)` of region `r`.

    Region `r` starts at pixel `starts[r]`, a row and a column, and its bins are `bins[r]` pixels large. Along each axis
    a bin has `ratio` samples at equal distances, or if `ratio` is 0, as many as it is large, rounded up: none if that
    is not above 0, or above 2^24. Samples are interpolated from four pixels, and are 0 more than one pixel outside of
    the image, of which the first `sizes[0]` rows and `sizes[1]` columns count. With `largest`, `y` is the largest of
    the weighted pixels of all samples instead.

        %y = graph.roi_align %x, %batch, %starts, %bins, %sizes {rows = 7, columns = 7, ratio = 0}
               : (tensor<1x64x48x32xf32>, tensor<8xi32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2xi32>)
               -> tensor<8x7x7x32xf32>
    """

    name = "graph.roi_align"
    image = operand_def(TENSOR)
    batch = operand_def(TENSOR)
    starts = operand_def(TENSOR)
    bins = operand_def(TENSOR)
    sizes = operand_def(TENSOR)
    rows = prop_def(INT)
    columns = prop_def(INT)
    ratio = prop_def(INT)
    largest = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = (
        "$image `,` $batch `,` $starts `,` $bins `,` $sizes attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        image: Value,
        batch: Value,
        starts: Value,
        bins: Value,
        sizes: Value,
        *,
        rows: int,
        columns: int,
        ratio: int,
        largest: bool = False,
    ) -> None:
        super().__init__(
            [image, batch, starts, bins, sizes],
            {"rows": integer(rows), "columns": integer(columns), "ratio": integer(ratio), "largest": flag(largest)},
        )

    def inferred_type(self) -> AnyTensor:
        return regions.roi_align(
            type_of(self.image),
            type_of(self.batch),
            [type_of(self.starts), type_of(self.bins)],
            type_of(self.sizes),
            (self.rows.value.data, self.columns.value.data),
            self.ratio.value.data,
        )

    @property
    def work(self) -> int:
        return _work(self)


@op_definition
class MaxRegionsOp(GraphOp, ReadsSizesInterface):
    """`y[r, p, q, c]` = the largest element of some rows and columns of image `batch[r]`, 0 where there are none.

    Rows are `high[r, p, 0]` up to (not with) `high[r, p, 1]`, columns are `wide[r, q, 0]` up to `wide[r, q, 1]`; what
    of them is outside of the image is left out, and so is NaN.

        %y = graph.max_regions %x, %batch, %high, %wide
               : (tensor<1x64x48x32xf32>, tensor<8xi32>, tensor<8x7x2xi32>, tensor<8x5x2xi32>) -> tensor<8x7x5x32xf32>
    """

    name = "graph.max_regions"
    image = operand_def(TENSOR)
    batch = operand_def(TENSOR)
    high = operand_def(TENSOR)
    wide = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$image `,` $batch `,` $high `,` $wide attr-dict `:` functional-type(operands, results)"

    def __init__(self, image: Value, batch: Value, high: Value, wide: Value) -> None:
        super().__init__([image, batch, high, wide])

    def inferred_type(self) -> AnyTensor:
        return regions.max_regions(type_of(self.image), type_of(self.batch), type_of(self.high), type_of(self.wide))

    @property
    def work(self) -> int:
        return _work(self)


def _work(op: RoiAlignOp | MaxRegionsOp) -> int:
    """The elements that regions have together, at most: each may be the whole image, and each bin has some overhead."""
    count, rows, columns, _ = shape_of(op.y)
    return count * (prod(shape_of(op.image)[1:]) + rows * columns * BIN)
