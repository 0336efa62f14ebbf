"""Normalisations. All keep the type of `x`."""

from abc import ABC

from xdsl.irdl import AttrSizedOperandSegments, operand_def, opt_operand_def, prop_def, traits_def

from s2s.dialects.graph.base import FLOAT, INT, TENSOR, GraphOp, Value, integer, optional_type_of, real, type_of
from s2s.dialects.graph.interfaces import ParametersInterface, ReadsSizesInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import norm


@op_definition
class BatchNormOp(GraphOp, ParametersInterface):
    """`y[n, c, …] = (x[n, c, …] - mean[c]) / sqrt(var[c] + epsilon) * scale[c] + bias[c]`."""

    name = "graph.batch_norm"
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    bias = operand_def(TENSOR)
    mean = operand_def(TENSOR)
    var = operand_def(TENSOR)
    epsilon = prop_def(FLOAT)
    traits = traits_def(HasFusionKind(FusionKind.BROADCAST))
    assembly_format = "$x `,` $scale `,` $bias `,` $mean `,` $var attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, scale: Value, bias: Value, mean: Value, var: Value, *, epsilon: float) -> None:
        super().__init__([x, scale, bias, mean, var], {"epsilon": real(epsilon)})

    def inferred_type(self) -> AnyTensor:
        x, *parameters = (type_of(operand) for operand in self.operands)
        return norm.batch_norm(x, *parameters)


class AxisNormOp(GraphOp, ABC):
    """`y = f(x)` along `axis`."""

    x = operand_def(TENSOR)
    axis = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, axis: int) -> None:
        super().__init__([x], {"axis": integer(axis)})

    def inferred_type(self) -> AnyTensor:
        return norm.softmax(type_of(self.x), self.axis.value.data)


@op_definition
class SoftmaxOp(AxisNormOp):
    """`y = e ** (x - m) / sum(e ** (x - m))` along `axis`, `m` being the maximum."""

    name = "graph.softmax"


@op_definition
class LogSoftmaxOp(AxisNormOp):
    """`y = x - m - ln(sum(e ** (x - m)))` along `axis`, `m` being the maximum."""

    name = "graph.log_softmax"


@op_definition
class LayerNormOp(GraphOp, ReadsSizesInterface):
    """`y = (x - mean) / sqrt(variance + epsilon) * scale + bias`.

    Mean and (biased) variance are those over the dimensions from `axis` on. `scale` and `bias` broadcast to `x`.
    """

    name = "graph.layer_norm"
    x = operand_def(TENSOR)
    scale = opt_operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    axis = prop_def(INT)
    epsilon = prop_def(FLOAT)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$x (`scale` $scale^ `:` type($scale))? (`bias` $bias^ `:` type($bias))? attr-dict `:` functional-type($x, $y)"
    )

    def __init__(
        self, x: Value, scale: Value | None = None, bias: Value | None = None, *, axis: int, epsilon: float
    ) -> None:
        super().__init__([x, scale, bias], {"axis": integer(axis), "epsilon": real(epsilon)})

    def inferred_type(self) -> AnyTensor:
        scale, bias = optional_type_of(self.scale), optional_type_of(self.bias)
        return norm.layer_norm(type_of(self.x), scale, bias, self.axis.value.data)


@op_definition
class LrnOp(GraphOp):
    """`y[n, c] = x[n, c] / (bias + alpha / size * sum_{j} x[n, j] ** 2) ** beta`.

    `j` runs over the `size` channels `c - (size - 1) / 2 … c + size / 2` (both rounded down) that exist.
    """

    name = "graph.lrn"
    x = operand_def(TENSOR)
    size = prop_def(INT)
    alpha = prop_def(FLOAT)
    beta = prop_def(FLOAT)
    bias = prop_def(FLOAT)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, *, size: int, alpha: float, beta: float, bias: float) -> None:
        super().__init__([x], {"size": integer(size), "alpha": real(alpha), "beta": real(beta), "bias": real(bias)})

    def inferred_type(self) -> AnyTensor:
        return norm.lrn(type_of(self.x), self.size.value.data)
