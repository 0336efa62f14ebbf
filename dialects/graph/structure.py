"""Constants, weights, calls into kernels, and checks of computed values."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    StringAttr,
    SymbolRefAttr,
    i32,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AnyAttr,
    ParamAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    EffectInstance,
    MemoryEffect,
    MemoryWriteEffect,
    Pure,
    SymbolUserOpInterface,
    get_effects,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import TENSOR, GraphOp, Value, string
from s2s.dialects.graph.interfaces import ConstantInterface, StepInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, Array, from_dense, is_float, tensor_type, to_dense
from s2s.types.symbols import function_named


@op_definition
class WeightOp(ConstantInterface):
    """The array called `name` in the weight store; `hash` is its content, so that equal weights can be told."""

    name = "graph.weight"
    weight_name = prop_def(StringAttr, prop_name="name")
    hash = prop_def(StringAttr)
    y = result_def(TENSOR)
    traits = traits_def(Pure(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$name attr-dict `:` type($y)"

    def __init__(self, name: str, type: AnyTensor, hash: str) -> None:
        super().__init__(result_types=[type], properties={"name": string(name), "hash": string(hash)})


@op_definition
class ConstantOp(GraphOp, ConstantInterface):
    """A small tensor written out in the IR."""

    name = "graph.constant"
    T: ClassVar = VarConstraint("T", TENSOR)
    value = prop_def(ParamAttrConstraint[DenseIntOrFPElementsAttr[Any]](DenseIntOrFPElementsAttr, (T, AnyAttr())))
    y = result_def(T)
    traits = traits_def(ConstantLike(), HasFusionKind(FusionKind.ELEMENTWISE))

    def __init__(self, value: Array | DenseIntOrFPElementsAttr[Any]) -> None:
        super().__init__([], {"value": value if isinstance(value, DenseIntOrFPElementsAttr) else to_dense(value)})

    def inferred_type(self) -> AnyTensor:
        return tensor_type(self.value.get_element_type(), self.value.get_shape())

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error(f"expected a dense attribute, got {value}")
        op = cls(cast(DenseIntOrFPElementsAttr[Any], value))
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        if _reads_back(self.value):
            printer.print_attribute(self.value)
        else:
            printer.print_string(f'dense<"0x{self.value.data.data.hex().upper()}"> : {self.value.get_type()}')


def _reads_back(value: DenseIntOrFPElementsAttr[Any]) -> bool:
    """Return whether the decimal form of `value` is parsed to the same bits.

    xDSL prints NaN, infinities and floats of seven and more digits before the point as hexadecimal numbers, which it
    parses as integers; it prints zeros of both signs as one splat.
    """
    array = from_dense(value)
    both_zeros = is_float(value.get_element_type()) and len(set(np.signbit(array[array == 0]).tolist())) > 1
    return not both_zeros and "0x" not in str(value)


class CallNamesKernel(SymbolUserOpInterface):
    """The callee is a function of exactly the operand and result types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        callee = function_named(op, op.callee.string_value())
        if callee is None:
            raise VerifyException(f"{op.callee} is not a function of this module")
        kind = callee.function_type
        if (kind.inputs.data, kind.outputs.data) != (op.operand_types, op.result_types):
            called = FunctionType.from_lists(op.operand_types, op.result_types)
            raise VerifyException(f"called as {called}, but {op.callee} is {callee.function_type}")


class CallEffects(MemoryEffect):
    """A call has the effects of its kernel. Only that a size becomes known is one, and it only matters where nothing
    reads the results."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, CallOp)
        if any(result.first_use is not None for result in op.results):
            return frozenset()
        callee = function_named(op, op.callee.string_value())
        blocks = () if callee is None else callee.body.blocks
        return {effect for block in blocks for inner in block.ops for effect in get_effects(inner) or ()}


@op_definition
class CallOp(StepInterface):
    """Run kernel `callee`."""

    name = "graph.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(CallEffects(), CallNamesKernel(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self,
        callee: str | SymbolRefAttr,
        operands: Sequence[Value],
        result_types: Sequence[Attribute],
    ) -> None:
        super().__init__(
            operands=[operands],
            result_types=[result_types],
            properties={"callee": SymbolRefAttr(callee) if isinstance(callee, str) else callee},
        )


@op_definition
class RequireOp(StepInterface):
    """The run ends with an error if `outside` is above 0: if an index that the network computed was out of range.

    The maximum of no elements is below 0, where a run has no index.

    graph.require %outside : tensor<1xi32>
    """

    name = "graph.require"
    outside = operand_def(TENSOR)
    traits = traits_def(MemoryWriteEffect(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$outside attr-dict `:` type($outside)"

    def __init__(self, outside: Value) -> None:
        super().__init__(operands=[outside])

    def verify_(self) -> None:
        if self.outside.type != tensor_type(i32, (1,)):
            raise VerifyException(f"{self.name}: reads {self.outside.type}, expected tensor<1xi32>")
