"""Element-wise operations on several tensors, after numpy broadcasting.

Unless a docstring says otherwise the element types are equal, integers wrap around, and NaN propagates.
"""

from abc import ABC
from collections.abc import Callable
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, traits_def
from xdsl.traits import Commutative

from s2s.dialects.graph.base import TENSOR, GraphOp, Value, flag, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import common, elementwise


class BinaryElementwiseOp(GraphOp, ABC):
    """`y[i] = f(a[i], b[i])` on the elements that `ELEMENTS` admits."""

    ELEMENTS: ClassVar[Callable[[str, AnyTensor], None]] = common.require_number
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.BROADCAST))
    assembly_format = "$a `,` $b attr-dict `:` functional-type(operands, results)"

    def __init__(self, a: Value, b: Value) -> None:
        super().__init__([a, b])

    def inferred_type(self) -> AnyTensor:
        type(self).ELEMENTS("a", type_of(self.a))
        return elementwise.binary(type_of(self.a), type_of(self.b))


class CompareOp(BinaryElementwiseOp, ABC):
    """`y[i] = a[i] ~ b[i]`, a bool; comparisons with NaN are false."""

    def inferred_type(self) -> AnyTensor:
        type(self).ELEMENTS("a", type_of(self.a))
        return elementwise.compare(type_of(self.a), type_of(self.b))


@op_definition
class AddOp(BinaryElementwiseOp):
    """`y = a + b`."""

    name = "graph.add"
    traits = traits_def(Commutative())


@op_definition
class SubOp(BinaryElementwiseOp):
    """`y = a - b`."""

    name = "graph.sub"


@op_definition
class MulOp(BinaryElementwiseOp):
    """`y = a * b`."""

    name = "graph.mul"
    traits = traits_def(Commutative())


@op_definition
class DivOp(BinaryElementwiseOp):
    """`y = a / b`; integers truncate towards zero, a zero divisor gives 0."""

    name = "graph.div"


@op_definition
class ModOp(BinaryElementwiseOp):
    """`y` = the remainder of `a / b` with the sign of `b`, by `fmod` the sign of `a`; an integer divisor of 0 gives
    0."""

    name = "graph.mod"
    fmod = opt_prop_def(UnitAttr)

    def __init__(self, a: Value, b: Value, *, fmod: bool = False) -> None:
        GraphOp.__init__(self, [a, b], {"fmod": flag(fmod)})


@op_definition
class PowOp(BinaryElementwiseOp):
    """`y = a ** b`; for integers and negative `b` truncated towards zero, and 0 for a base of 0."""

    name = "graph.pow"


@op_definition
class MinimumOp(BinaryElementwiseOp):
    """`y` = the smaller one, NaN if either is."""

    name = "graph.minimum"
    traits = traits_def(Commutative())


@op_definition
class MaximumOp(BinaryElementwiseOp):
    """`y` = the larger one, NaN if either is."""

    name = "graph.maximum"
    traits = traits_def(Commutative())


@op_definition
class LogicalAndOp(BinaryElementwiseOp):
    """`y = a and b`."""

    name = "graph.logical_and"
    ELEMENTS = common.require_bool
    traits = traits_def(Commutative())


@op_definition
class LogicalOrOp(BinaryElementwiseOp):
    """`y = a or b`."""

    name = "graph.logical_or"
    ELEMENTS = common.require_bool
    traits = traits_def(Commutative())


@op_definition
class LogicalXorOp(BinaryElementwiseOp):
    """`y = a != b`."""

    name = "graph.logical_xor"
    ELEMENTS = common.require_bool
    traits = traits_def(Commutative())


@op_definition
class BitwiseAndOp(BinaryElementwiseOp):
    """`y = a & b`."""

    name = "graph.bitwise_and"
    ELEMENTS = common.require_integer
    traits = traits_def(Commutative())


@op_definition
class BitwiseOrOp(BinaryElementwiseOp):
    """`y = a | b`."""

    name = "graph.bitwise_or"
    ELEMENTS = common.require_integer
    traits = traits_def(Commutative())


@op_definition
class BitwiseXorOp(BinaryElementwiseOp):
    """`y = a ^ b`."""

    name = "graph.bitwise_xor"
    ELEMENTS = common.require_integer
    traits = traits_def(Commutative())


@op_definition
class ShiftLeftOp(BinaryElementwiseOp):
    """`y = a << b`; zero when `b` is the width or more."""

    name = "graph.shift_left"
    ELEMENTS = common.require_integer


@op_definition
class ShiftRightOp(BinaryElementwiseOp):
    """`y = a >> b`, arithmetic for signed `a`; `b` beyond the width shifts everything out."""

    name = "graph.shift_right"
    ELEMENTS = common.require_integer


@op_definition
class EqualOp(CompareOp):
    """`y = a == b`."""

    name = "graph.equal"
    ELEMENTS = common.accept_any
    traits = traits_def(Commutative())


@op_definition
class LessOp(CompareOp):
    """`y = a < b`."""

    name = "graph.less"


@op_definition
class LessEqualOp(CompareOp):
    """`y = a <= b`."""

    name = "graph.less_equal"


@op_definition
class GreaterOp(CompareOp):
    """`y = a > b`."""

    name = "graph.greater"


@op_definition
class GreaterEqualOp(CompareOp):
    """`y = a >= b`."""

    name = "graph.greater_equal"


@op_definition
class PreluOp(GraphOp):
    """`y = x if x >= 0 else slope * x`; `slope` broadcasts to `x`."""

    name = "graph.prelu"
    x = operand_def(TENSOR)
    slope = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.BROADCAST))
    assembly_format = "$x `,` $slope attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, slope: Value) -> None:
        super().__init__([x, slope])

    def inferred_type(self) -> AnyTensor:
        return elementwise.prelu(type_of(self.x), type_of(self.slope))


@op_definition
class SelectOp(GraphOp):
    """`y = a if cond else b`."""

    name = "graph.select"
    cond = operand_def(TENSOR)
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.BROADCAST))
    assembly_format = "$cond `,` $a `,` $b attr-dict `:` functional-type(operands, results)"

    def __init__(self, cond: Value, a: Value, b: Value) -> None:
        super().__init__([cond, a, b])

    def inferred_type(self) -> AnyTensor:
        return elementwise.select(type_of(self.cond), type_of(self.a), type_of(self.b))
