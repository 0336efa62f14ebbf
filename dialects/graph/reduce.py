"""Reductions over named axes, and the running sum.

`axes` are counted from the front, each once. With `keepdims` a reduced dimension stays, of size one.
"""

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, flag, integer, ints, type_of
from s2s.dialects.graph.interfaces import ReadsSizesInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes import common, reduce


class ReduceOp(GraphOp, ABC):
    """`y` = all elements of `x` along `axes` combined to one."""

    ELEMENTS: ClassVar[Callable[[str, AnyTensor], None]] = common.require_number
    x = operand_def(TENSOR)
    axes = prop_def(INTS)
    keepdims = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.REDUCTION))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, axes: Sequence[int], keepdims: bool = False) -> None:
        super().__init__([x], {"axes": ints(axes), "keepdims": flag(keepdims)})

    def inferred_type(self) -> AnyTensor:
        type(self).ELEMENTS("x", type_of(self.x))
        return reduce.reduce(type_of(self.x), self.axes.get_values(), self.keepdims is not None)


@op_definition
class ReduceSumOp(ReduceOp):
    """`y = sum(x)`."""

    name = "graph.reduce_sum"


@op_definition
class ReduceProdOp(ReduceOp):
    """`y` = the product of `x`."""

    name = "graph.reduce_prod"


@op_definition
class ReduceMeanOp(ReduceOp, ReadsSizesInterface):
    """`y = sum(x) / count`; integers truncate towards zero."""

    name = "graph.reduce_mean"


@op_definition
class ReduceMaxOp(ReduceOp):
    """`y = max(x)`, NaN if there is one."""

    name = "graph.reduce_max"
    ELEMENTS = common.accept_any


@op_definition
class ReduceMinOp(ReduceOp):
    """`y = min(x)`, NaN if there is one."""

    name = "graph.reduce_min"
    ELEMENTS = common.accept_any


class ArgReduceOp(GraphOp, ABC):
    """`y` = a position along `axis`, as `i64` or `i32`; of equal elements the first, with `select_last` the last."""

    x = operand_def(TENSOR)
    axis = prop_def(INT)
    keepdims = opt_prop_def(UnitAttr)
    select_last = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.REDUCTION))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        *,
        axis: int,
        keepdims: bool = False,
        select_last: bool = False,
        element_type: Attribute = i64,
    ) -> None:
        super().__init__(
            [x],
            {"axis": integer(axis), "keepdims": flag(keepdims), "select_last": flag(select_last)},
            result_type=tensor_type(element_type, ()),
        )

    def inferred_type(self) -> AnyTensor:
        element = self.y.type.element_type
        return reduce.arg_reduce(type_of(self.x), self.axis.value.data, self.keepdims is not None, element)


@op_definition
class ArgmaxOp(ArgReduceOp):
    """`y` = the position of the largest element; NaN counts as largest."""

    name = "graph.argmax"


@op_definition
class ArgminOp(ArgReduceOp):
    """`y` = the position of the smallest element; NaN counts as smallest."""

    name = "graph.argmin"


@op_definition
class TopKOp(GraphOp, ReadsSizesInterface):
    """`y` = the positions of the first `count` elements along the last dimension in order, as `i32`.

    The largest comes first, or with `smallest` the smallest. NaN counts as larger than every number; among equal
    elements the one with the lower position comes first.
    """

    name = "graph.top_k"
    x = operand_def(TENSOR)
    count = prop_def(INT)
    smallest = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, count: int, smallest: bool = False) -> None:
        super().__init__([x], {"count": integer(count), "smallest": flag(smallest)})

    def inferred_type(self) -> AnyTensor:
        return reduce.top_k(type_of(self.x), self.count.value.data)


@op_definition
class RowOrderOp(GraphOp, ReadsSizesInterface):
    """`y` = the positions of the rows of the matrix `x` in ascending lexicographic order, as `i32`.

    NaN counts as larger than every number; among equal rows the one with the lower position comes first.
    """

    name = "graph.row_order"
    x = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value) -> None:
        super().__init__([x])

    def inferred_type(self) -> AnyTensor:
        return reduce.row_order(type_of(self.x))


@op_definition
class CumsumOp(GraphOp):
    """`y[i] = x[0] + … + x[i]` along `axis`.

    `exclusive` leaves out `x[i]` itself; `reverse` sums from the far end.
    """

    name = "graph.cumsum"
    x = operand_def(TENSOR)
    axis = prop_def(INT)
    exclusive = opt_prop_def(UnitAttr)
    reverse = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, axis: int, exclusive: bool = False, reverse: bool = False) -> None:
        super().__init__([x], {"axis": integer(axis), "exclusive": flag(exclusive), "reverse": flag(reverse)})

    def inferred_type(self) -> AnyTensor:
        return reduce.cumsum(type_of(self.x), self.axis.value.data)
