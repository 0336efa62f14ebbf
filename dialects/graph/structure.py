"""Constants, weights and calls into kernels."""

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FlatSymbolRefAttrConstr, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import ConstantLike, Pure, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.dtypes import AnyTensor, Array, tensor_type, to_dense
from s2s.dialects.graph.base import TENSOR, GraphOp, Value, string
from s2s.dialects.graph.traits import FusionKind, HasFusionKind


@irdl_op_definition
class WeightOp(IRDLOperation):
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


@irdl_op_definition
class ConstantOp(GraphOp):
    """A small tensor written out in the IR."""

    name = "graph.constant"
    T: ClassVar = VarConstraint("T", TENSOR)
    value = prop_def(ParamAttrConstraint[DenseIntOrFPElementsAttr[Any]](DenseIntOrFPElementsAttr, (T, AnyAttr())))
    y = result_def(T)
    traits = traits_def(ConstantLike(), HasFusionKind(FusionKind.ELEMENTWISE))
    assembly_format = "attr-dict $value"

    def __init__(self, value: Array | DenseIntOrFPElementsAttr[Any]) -> None:
        super().__init__([], {"value": value if isinstance(value, DenseIntOrFPElementsAttr) else to_dense(value)})

    def inferred_type(self) -> AnyTensor:
        return tensor_type(self.value.get_element_type(), self.value.get_shape())


class CallNamesKernel(SymbolUserOpInterface):
    """The callee is a function of exactly the operand and result types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, FuncOp):
            raise VerifyException(f"{op.callee} is not a function of this module")
        expected = callee.function_type
        if expected.inputs.data != tuple(op.operand_types) or expected.outputs.data != tuple(op.result_types):
            found = f"({', '.join(map(str, op.operand_types))}) -> ({', '.join(map(str, op.result_types))})"
            raise VerifyException(f"called as {found}, but {op.callee} is {expected}")


@irdl_op_definition
class CallOp(IRDLOperation):
    """Run kernel `callee`; `target` names the device that runs it, absent for the only one."""

    name = "graph.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    target = opt_prop_def(StringAttr)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), CallNamesKernel(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $inputs `)` (`on` $target^)? attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self,
        callee: str | SymbolRefAttr,
        operands: Sequence[Value],
        result_types: Sequence[Attribute],
        target: str | None = None,
    ) -> None:
        super().__init__(
            operands=[operands],
            result_types=[result_types],
            properties={
                "callee": SymbolRefAttr(callee) if isinstance(callee, str) else callee,
                "target": None if target is None else string(target),
            },
        )
