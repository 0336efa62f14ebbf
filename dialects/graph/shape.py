"""Operations that move elements to positions known at compile time."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def, var_operand_def

from s2s.dialects.graph.base import (
    FLOAT,
    INT,
    INTS,
    TENSOR,
    GraphOp,
    Value,
    integer,
    ints,
    number,
    number_attribute,
    string,
    type_of,
)
from s2s.dialects.graph.interfaces import MoveInterface, ReadsSizesInterface, ViewInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes import shape


class InjectiveOp(GraphOp, ABC):
    """`y[i] = x[f(i)]`."""

    x = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.INJECTIVE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"


class ViewOp(InjectiveOp, ViewInterface, ABC):
    """`y[i] = x[f(i)]` without a copy of `x`."""

    @property
    def moved(self) -> SSAValue:
        """The operand."""
        return self.x


@op_definition
class ReshapeOp(ViewOp):
    """The elements of `x` in row-major order under the shape of the result."""

    name = "graph.reshape"

    def __init__(self, x: Value, shape: Sequence[int]) -> None:
        super().__init__([x], result_type=tensor_type(type_of(x).element_type, tuple(shape)))

    @property
    def computes(self) -> bool:
        """It is the same memory."""
        return False

    def inferred_type(self) -> AnyTensor:
        return shape.reshape(type_of(self.x), self.y.type.get_shape())


@op_definition
class BroadcastToOp(ViewOp):
    """`x` repeated to the shape of the result by numpy's rule."""

    name = "graph.broadcast_to"

    def __init__(self, x: Value, shape: Sequence[int]) -> None:
        super().__init__([x], result_type=tensor_type(type_of(x).element_type, tuple(shape)))

    def inferred_type(self) -> AnyTensor:
        return shape.broadcast_to(type_of(self.x), self.y.type.get_shape())


@op_definition
class TransposeOp(ViewOp):
    """`y.shape[i] = x.shape[perm[i]]`, as numpy's `transpose`."""

    name = "graph.transpose"
    perm = prop_def(INTS)

    def __init__(self, x: Value, *, perm: Sequence[int]) -> None:
        super().__init__([x], {"perm": ints(perm)})

    def inferred_type(self) -> AnyTensor:
        return shape.transpose(type_of(self.x), self.perm.get_values())


@op_definition
class SliceOp(ViewOp):
    """`y[i] = x[starts + i * strides]` for `0 <= i < sizes`; strides may be negative."""

    name = "graph.slice"
    starts = prop_def(INTS)
    sizes = prop_def(INTS)
    strides = prop_def(INTS)

    def __init__(self, x: Value, *, starts: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> None:
        super().__init__([x], {"starts": ints(starts), "sizes": ints(sizes), "strides": ints(strides)})

    def inferred_type(self) -> AnyTensor:
        return shape.slice(
            type_of(self.x), self.starts.get_values(), self.sizes.get_values(), self.strides.get_values()
        )


@op_definition
class TileOp(InjectiveOp, MoveInterface, ReadsSizesInterface):
    """`y[i] = x[i mod x.shape]`: `x` repeated `repeats` times along each dimension."""

    name = "graph.tile"
    repeats = prop_def(INTS)

    def __init__(self, x: Value, *, repeats: Sequence[int]) -> None:
        super().__init__([x], {"repeats": ints(repeats)})

    def inferred_type(self) -> AnyTensor:
        return shape.tile(type_of(self.x), self.repeats.get_values())


@op_definition
class PadOp(InjectiveOp, ReadsSizesInterface):
    """`x` with `low` elements before and `high` after each dimension.

    What they are: `value` (mode `constant`), the border element (`edge`), `x` mirrored at the border element
    (`reflect`), or `x` from its other end (`wrap`).
    """

    name = "graph.pad"
    low = prop_def(INTS)
    high = prop_def(INTS)
    mode = prop_def(StringAttr)
    value = opt_prop_def(FLOAT | INT)

    def __init__(
        self,
        x: Value,
        *,
        low: Sequence[int],
        high: Sequence[int],
        mode: str = "constant",
        value: int | float | None = None,
    ) -> None:
        super().__init__(
            [x],
            {"low": ints(low), "high": ints(high), "mode": string(mode), "value": number_attribute(value)},
        )

    def inferred_type(self) -> AnyTensor:
        return shape.pad(
            type_of(self.x), self.low.get_values(), self.high.get_values(), self.mode.data, number(self.value)
        )


@op_definition
class ConcatOp(GraphOp, MoveInterface):
    """All inputs one after the other along `axis`."""

    name = "graph.concat"
    inputs = var_operand_def(TENSOR)
    axis = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.INJECTIVE))
    assembly_format = "$inputs attr-dict `:` functional-type(operands, results)"

    def __init__(self, inputs: Sequence[Value], *, axis: int) -> None:
        super().__init__([inputs], {"axis": integer(axis)})

    def inferred_type(self) -> AnyTensor:
        return shape.concat([type_of(x) for x in self.inputs], self.axis.value.data)


@op_definition
class IotaOp(GraphOp):
    """`y[i_0, …] = i_axis`."""

    name = "graph.iota"
    axis = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.INJECTIVE))
    assembly_format = "attr-dict `:` type($y)"

    def __init__(self, element_type: Attribute, shape: Sequence[int], *, axis: int) -> None:
        super().__init__([], {"axis": integer(axis)}, tensor_type(element_type, tuple(shape)))

    def inferred_type(self) -> AnyTensor:
        return shape.iota(self.y.type.element_type, self.y.type.get_shape(), self.axis.value.data)
