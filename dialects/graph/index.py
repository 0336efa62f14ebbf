"""Operations that read at positions that a tensor holds. A negative index counts from the end, unless an operation says
otherwise."""

from abc import ABC, abstractmethod

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, type_of
from s2s.dialects.graph.interfaces import ReadsSizesInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import index


def signs(nonnegative_indices: bool) -> dict[str, UnitAttr | None]:
    """Return the property that says whether negative indices are out of bounds."""
    return {"nonnegative_indices": flag(nonnegative_indices)}


class IndexingOp(GraphOp, ReadsSizesInterface, ABC):
    """An operation that reads or writes `x` at indices.

    With `nonnegative_indices` no index counts from the end: a negative one is out of bounds.
    """

    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    nonnegative_indices = opt_prop_def(UnitAttr)

    @property
    def is_nonnegative(self) -> bool:
        """Whether a negative index is out of bounds."""
        return self.nonnegative_indices is not None

    @property
    @abstractmethod
    def indexed_axes(self) -> tuple[int, ...]:
        """The axes of `x` that the indices count along: one, or one for each number of a coordinate."""

    @property
    def has_coordinates(self) -> bool:
        """Whether the last axis of the indices holds the numbers of a coordinate."""
        return True


class AlongAxisOp(IndexingOp, ABC):
    """An operation whose indices are numbers of their own, which count along one axis."""

    axis = prop_def(INT)

    @property
    def indexed_axes(self) -> tuple[int, ...]:
        """The axis that the indices count along."""
        return (self.axis.value.data,)

    @property
    def has_coordinates(self) -> bool:
        """Each index is a number of its own."""
        return False


class GatherFamilyOp(IndexingOp, ABC):
    """`y[i] = x[f(indices, i)]`.

    With `in_range` every index is known to be a position of its axis, so that nothing has to be clamped.
    """

    in_range = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.INJECTIVE))
    assembly_format = "$x `,` $indices attr-dict `:` functional-type(operands, results)"


class GatherAlongAxisOp(GatherFamilyOp, AlongAxisOp, ABC):
    """A read at indices along one axis."""

    def __init__(
        self, x: Value, indices: Value, *, axis: int, nonnegative_indices: bool = False, in_range: bool = False
    ) -> None:
        indexing = signs(nonnegative_indices)
        super().__init__([x, indices], {"axis": integer(axis), "in_range": flag(in_range), **indexing})


@op_definition
class GatherOp(GatherAlongAxisOp):
    """`y[a…, i…, b…] = x[a…, indices[i…], b…]`, the index standing at `axis`."""

    name = "graph.gather"

    def inferred_type(self) -> AnyTensor:
        return index.gather(type_of(self.x), type_of(self.indices), self.axis.value.data)


@op_definition
class GatherElementsOp(GatherAlongAxisOp):
    """`y[…, i, …] = x[…, indices[…, i, …], …]`, the index standing at `axis`."""

    name = "graph.gather_elements"

    def inferred_type(self) -> AnyTensor:
        return index.gather_elements(type_of(self.x), type_of(self.indices), self.axis.value.data)


@op_definition
class GatherNdOp(GatherFamilyOp):
    """`y[b…, i…, s…] = x[b…, indices[b…, i…, 0], …, indices[b…, i…, k - 1], s…]`, `b` being `batch_dims` long."""

    name = "graph.gather_nd"
    batch_dims = prop_def(INT)

    def __init__(
        self,
        x: Value,
        indices: Value,
        *,
        batch_dims: int = 0,
        nonnegative_indices: bool = False,
        in_range: bool = False,
    ) -> None:
        indexing = signs(nonnegative_indices)
        super().__init__([x, indices], {"batch_dims": integer(batch_dims), "in_range": flag(in_range), **indexing})

    @property
    def indexed_axes(self) -> tuple[int, ...]:
        """The axes that the numbers of a coordinate count along."""
        first = self.batch_dims.value.data
        return tuple(range(first, first + type_of(self.indices).get_shape()[-1]))

    def inferred_type(self) -> AnyTensor:
        return index.gather_nd(type_of(self.x), type_of(self.indices), self.batch_dims.value.data)
