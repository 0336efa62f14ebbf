"""Operations that write at positions that a tensor holds. A negative index counts from the end, unless an operation
says otherwise."""

from abc import ABC

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import operand_def, prop_def, traits_def

from s2s.dialects.graph.base import TENSOR, Value, integer, string, type_of
from s2s.dialects.graph.index import AlongAxisOp, IndexingOp, signs
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import index


class ScatterFamilyOp(IndexingOp, ABC):
    """`y = x`, then `y[f(indices, i)] = updates[i]` in order.

    `reduction` is `none`, or `add`, `mul`, `min`, `max` to combine with what is there.
    """

    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    reduction = prop_def(StringAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)"


@op_definition
class ScatterElementsOp(ScatterFamilyOp, AlongAxisOp):
    """`y[…, indices[…, i, …], …] = updates[…, i, …]`, the index standing at `axis`; elsewhere `y = x`."""

    name = "graph.scatter_elements"

    def __init__(
        self,
        x: Value,
        indices: Value,
        updates: Value,
        *,
        axis: int,
        reduction: str = "none",
        nonnegative_indices: bool = False,
    ) -> None:
        super().__init__(
            [x, indices, updates],
            {"axis": integer(axis), "reduction": string(reduction), **signs(nonnegative_indices)},
        )

    def inferred_type(self) -> AnyTensor:
        return index.scatter_elements(
            type_of(self.x),
            type_of(self.indices),
            type_of(self.updates),
            self.axis.value.data,
            self.reduction.data,
        )


@op_definition
class ScatterNdOp(ScatterFamilyOp):
    """`y[indices[i…, 0], …, indices[i…, k - 1], s…] = updates[i…, s…]`; elsewhere `y = x`."""

    name = "graph.scatter_nd"

    def __init__(
        self, x: Value, indices: Value, updates: Value, *, reduction: str = "none", nonnegative_indices: bool = False
    ) -> None:
        super().__init__([x, indices, updates], {"reduction": string(reduction), **signs(nonnegative_indices)})

    @property
    def indexed_axes(self) -> tuple[int, ...]:
        """The axes that the numbers of a coordinate count along."""
        return tuple(range(type_of(self.indices).get_shape()[-1]))

    def inferred_type(self) -> AnyTensor:
        return index.scatter_nd(type_of(self.x), type_of(self.indices), type_of(self.updates), self.reduction.data)
