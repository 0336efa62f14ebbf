"""Operations that depend on sizes that are known at run time: slices, reshapes, and the sizes as numbers."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, prop_def, traits_def

from s2s.dialects.graph.base import FLOAT, INT, INTS, TENSOR, GraphOp, Value, ints, number_attribute, string, type_of
from s2s.dialects.graph.interfaces import ReadsSizesInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes import shape, window
from s2s.types.sizes import Extents, extents_attribute


class SizedOp(GraphOp, ABC):
    """An operation whose result follows from the sizes of a run, too: it is no constant where its operands are."""

    traits = traits_def(HasFusionKind(FusionKind.INJECTIVE))


@op_definition
class DynamicSliceOp(SizedOp, ReadsSizesInterface):
    """`y[i] = x[begin + i * strides]` for `0 <= i < extents`; a stride of 0 repeats an axis of one position.

    `starts` and the shape of the result are those at the greatest sizes. Along an axis for which `begins` or `extents`
    names a size, that is where the slice begins, and how many elements it has, in a run.
    """

    name = "graph.dynamic_slice"
    x = operand_def(TENSOR)
    starts = prop_def(INTS)
    sizes = prop_def(INTS)
    strides = prop_def(INTS)
    begins = prop_def(ArrayAttr[StringAttr])
    extents = prop_def(ArrayAttr[StringAttr])
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        x: Value,
        *,
        starts: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        begins: Extents,
        extents: Extents,
    ) -> None:
        numbers = {"starts": ints(starts), "sizes": ints(sizes), "strides": ints(strides)}
        names = {"begins": extents_attribute(begins), "extents": extents_attribute(extents)}
        super().__init__([x], {**numbers, **names})

    def inferred_type(self) -> AnyTensor:
        return shape.dynamic_slice(
            type_of(self.x),
            self.starts.get_values(),
            self.sizes.get_values(),
            self.strides.get_values(),
            len(self.begins),
            len(self.extents),
        )


@op_definition
class DynamicReshapeOp(SizedOp, ReadsSizesInterface):
    """The elements of `x` in row-major order as a tensor of another shape, in a run of any size.

    `shape` is that of the greatest sizes, and `extents` names the sizes that its axes have in a run. Tensors keep the
    strides of the greatest sizes, so that elements move where axes of varying size are merged or split.
    """

    name = "graph.dynamic_reshape"
    x = operand_def(TENSOR)
    shape = prop_def(INTS)
    extents = prop_def(ArrayAttr[StringAttr])
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, shape: Sequence[int], extents: Extents) -> None:
        super().__init__([x], {"shape": ints(shape), "extents": extents_attribute(extents)})

    def inferred_type(self) -> AnyTensor:
        return shape.dynamic_reshape(type_of(self.x), self.shape.get_values(), len(self.extents))


@op_definition
class SizeValuesOp(SizedOp):
    """`y[i]` = the size `names[i]` in a run, or `values[i]` where that is empty; `values` are the greatest sizes."""

    name = "graph.size_values"
    values = prop_def(INTS)
    names = prop_def(ArrayAttr[StringAttr])
    assembly_format = "attr-dict `:` type($y)"

    def __init__(self, element_type: Attribute, shape: Sequence[int], *, values: Sequence[int], names: Extents) -> None:
        super().__init__(
            [], {"values": ints(values), "names": extents_attribute(names)}, tensor_type(element_type, tuple(shape))
        )

    def inferred_type(self) -> AnyTensor:
        return shape.size_values(self.y.type, self.values.get_values(), len(self.names))


@op_definition
class SamePadOp(SizedOp, ReadsSizesInterface):
    """`y[i] = x[i - low]`, and `value` where that is outside of `x`, for windows whose padding depends on the size.

    Windows of `windows` elements that start every `strides` elements are centred, as `SAME` of TFLite and `auto_pad` of
    ONNX want it: of 9 elements with a window of 3 and a stride of 2 they need one element of padding on either side,
    of 8 elements one behind the end. `low` is half of what they need, rounded down where `side` is `upper`, up where it
    is `lower`. The result has `windows - 1` elements more than `x`, of which the last ones may be in no window.
    """

    name = "graph.same_pad"
    x = operand_def(TENSOR)
    windows = prop_def(INTS)
    strides = prop_def(INTS)
    side = prop_def(StringAttr)
    value = prop_def(FLOAT | INT)
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self, x: Value, *, windows: Sequence[int], strides: Sequence[int], side: str, value: int | float
    ) -> None:
        properties = {"windows": ints(windows), "strides": ints(strides), "side": string(side)}
        super().__init__([x], {**properties, "value": number_attribute(value)})

    def inferred_type(self) -> AnyTensor:
        return window.same_pad(type_of(self.x), self.windows.get_values(), self.strides.get_values(), self.side.data)
