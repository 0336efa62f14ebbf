"""Element-wise operations on one tensor.

Unless a docstring says otherwise, the result has the type of the operand and NaN is handled as in numpy and ONNX:
arithmetic and `clamp` propagate it.
"""

from abc import ABC
from collections.abc import Callable
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, result_def, traits_def

from s2s.dialects.graph.base import FLOAT, INT, TENSOR, GraphOp, Value, flag, number, number_attribute, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.shapes import common, elementwise


class ElementwiseOp(GraphOp, ABC):
    """`y[i] = f(x[i])` on the elements that `ELEMENTS` admits."""

    ELEMENTS: ClassVar[Callable[[str, AnyTensor], None]] = common.require_float
    traits = traits_def(HasFusionKind(FusionKind.ELEMENTWISE))


class UnaryElementwiseOp(ElementwiseOp, ABC):
    """`y[i] = f(x[i])` with operand and result of one type."""

    T: ClassVar = VarConstraint("T", TENSOR)
    x = operand_def(T)
    y = result_def(T)
    assembly_format = "$x attr-dict `:` type($y)"

    def __init__(self, x: Value) -> None:
        super().__init__([x])

    def inferred_type(self) -> AnyTensor:
        found = type_of(self.x)
        type(self).ELEMENTS("x", found)
        return found


class PredicateOp(ElementwiseOp, ABC):
    """`y[i] = f(x[i])`, a bool."""

    x = operand_def(TENSOR)
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def inferred_type(self) -> AnyTensor:
        type(self).ELEMENTS("x", type_of(self.x))
        return elementwise.predicate(type_of(self.x))


@op_definition
class AbsOp(UnaryElementwiseOp):
    """`y = |x|`; the smallest integer stays itself."""

    name = "graph.abs"
    ELEMENTS = common.require_number


@op_definition
class NegOp(UnaryElementwiseOp):
    """`y = -x`; the smallest integer stays itself."""

    name = "graph.neg"
    ELEMENTS = common.require_signed


@op_definition
class SignOp(UnaryElementwiseOp):
    """`y = -1, 0 or 1`, as `x` is below, equal to or above zero; NaN stays NaN."""

    name = "graph.sign"
    ELEMENTS = common.require_number


@op_definition
class CeilOp(UnaryElementwiseOp):
    """`y` = the smallest integer not below `x`."""

    name = "graph.ceil"


@op_definition
class FloorOp(UnaryElementwiseOp):
    """`y` = the largest integer not above `x`."""

    name = "graph.floor"


@op_definition
class RoundOp(UnaryElementwiseOp):
    """`y` = the nearest integer, halves to the even one."""

    name = "graph.round"


@op_definition
class ExpOp(UnaryElementwiseOp):
    """`y = e ** x`.

    `nonpositive` promises that no `x` is above 0; then results below the least normal number may be 0.
    """

    name = "graph.exp"
    nonpositive = opt_prop_def(UnitAttr)

    def __init__(self, x: Value, *, nonpositive: bool = False) -> None:
        GraphOp.__init__(self, [x], {"nonpositive": flag(nonpositive)})


@op_definition
class LogOp(UnaryElementwiseOp):
    """`y = ln x`; NaN below zero."""

    name = "graph.log"


@op_definition
class SqrtOp(UnaryElementwiseOp):
    """`y = sqrt(x)`; NaN below zero."""

    name = "graph.sqrt"


@op_definition
class RsqrtOp(UnaryElementwiseOp):
    """`y = 1 / sqrt(x)`."""

    name = "graph.rsqrt"


@op_definition
class ReciprocalOp(UnaryElementwiseOp):
    """`y = 1 / x`."""

    name = "graph.reciprocal"


@op_definition
class SinOp(UnaryElementwiseOp):
    """`y = sin x`."""

    name = "graph.sin"


@op_definition
class CosOp(UnaryElementwiseOp):
    """`y = cos x`."""

    name = "graph.cos"


@op_definition
class TanOp(UnaryElementwiseOp):
    """`y = tan x`."""

    name = "graph.tan"


@op_definition
class AsinOp(UnaryElementwiseOp):
    """`y = arcsin x`; NaN outside [-1, 1]."""

    name = "graph.asin"


@op_definition
class AcosOp(UnaryElementwiseOp):
    """`y = arccos x`; NaN outside [-1, 1]."""

    name = "graph.acos"


@op_definition
class AtanOp(UnaryElementwiseOp):
    """`y = arctan x`."""

    name = "graph.atan"


@op_definition
class SinhOp(UnaryElementwiseOp):
    """`y = sinh x`."""

    name = "graph.sinh"


@op_definition
class CoshOp(UnaryElementwiseOp):
    """`y = cosh x`."""

    name = "graph.cosh"


@op_definition
class TanhOp(UnaryElementwiseOp):
    """`y = tanh x`."""

    name = "graph.tanh"


@op_definition
class AsinhOp(UnaryElementwiseOp):
    """`y = arsinh x`."""

    name = "graph.asinh"


@op_definition
class AcoshOp(UnaryElementwiseOp):
    """`y = arcosh x`; NaN below 1."""

    name = "graph.acosh"


@op_definition
class AtanhOp(UnaryElementwiseOp):
    """`y = artanh x`; NaN outside [-1, 1]."""

    name = "graph.atanh"


@op_definition
class ErfOp(UnaryElementwiseOp):
    """`y = 2 / sqrt(pi) * integral of e ** (-t * t) from 0 to x`."""

    name = "graph.erf"


@op_definition
class SigmoidOp(UnaryElementwiseOp):
    """`y = 1 / (1 + e ** -x)`."""

    name = "graph.sigmoid"


@op_definition
class LogicalNotOp(UnaryElementwiseOp):
    """`y = not x`."""

    name = "graph.logical_not"
    ELEMENTS = common.require_bool


@op_definition
class BitwiseNotOp(UnaryElementwiseOp):
    """`y = ~x`: all bits of `x` inverted."""

    name = "graph.bitwise_not"
    ELEMENTS = common.require_integer


@op_definition
class CountLeadingZerosOp(UnaryElementwiseOp):
    """`y` = the number of zero bits above the highest set one; the width for 0, zero for negative numbers."""

    name = "graph.count_leading_zeros"
    ELEMENTS = common.require_integer


@op_definition
class IdentityOp(UnaryElementwiseOp):
    """`y = x`; canonicalisation removes it."""

    name = "graph.identity"
    ELEMENTS = common.accept_any


@op_definition
class ClampOp(UnaryElementwiseOp):
    """`y = minimum(maximum(x, min), max)`, either bound optional; relu is `min = 0`."""

    name = "graph.clamp"
    min = opt_prop_def(FLOAT | INT)
    max = opt_prop_def(FLOAT | INT)

    def __init__(self, x: Value, min: int | float | None = None, max: int | float | None = None) -> None:
        GraphOp.__init__(self, [x], {"min": number_attribute(min), "max": number_attribute(max)})

    def inferred_type(self) -> AnyTensor:
        return elementwise.clamp(type_of(self.x), number(self.min), number(self.max))


@op_definition
class CastOp(ElementwiseOp):
    """`y = x` converted to the element type of the result, by ONNX's rules.

    To bool: whether not zero. Float to integer: towards zero; what does not fit is undefined in ONNX, here it saturates
    and NaN gives 0. Integer to narrower integer: wraps. To a narrower float: to nearest, halves to even.
    """

    name = "graph.cast"
    x = operand_def(TENSOR)
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, element_type: Attribute) -> None:
        super().__init__([x], result_type=tensor_type(element_type, type_of(x).get_shape()))

    def inferred_type(self) -> AnyTensor:
        return tensor_type(self.y.type.element_type, type_of(self.x).get_shape())


@op_definition
class BitcastOp(ElementwiseOp):
    """`y` = the bits of `x` read as the element type of the result, which is as wide."""

    name = "graph.bitcast"
    x = operand_def(TENSOR)
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, element_type: Attribute) -> None:
        super().__init__([x], result_type=tensor_type(element_type, type_of(x).get_shape()))

    def inferred_type(self) -> AnyTensor:
        return elementwise.bitcast(type_of(self.x), self.y.type.element_type)


@op_definition
class IsNanOp(PredicateOp):
    """`y` = whether `x` is NaN."""

    name = "graph.is_nan"

    def __init__(self, x: Value) -> None:
        super().__init__([x])


@op_definition
class IsInfOp(PredicateOp):
    """`y` = whether `x` is an infinity of a sign that is asked for."""

    name = "graph.is_inf"
    detect_negative = opt_prop_def(UnitAttr)
    detect_positive = opt_prop_def(UnitAttr)

    def __init__(self, x: Value, *, detect_negative: bool = True, detect_positive: bool = True) -> None:
        super().__init__([x], {"detect_negative": flag(detect_negative), "detect_positive": flag(detect_positive)})
