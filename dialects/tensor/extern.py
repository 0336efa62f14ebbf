"""`tensor.extern`, a routine of the runtime: an algorithm that is no loop nest over a domain."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import ParsePropInAttrDict, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import Op, op_definition
from s2s.dialects.tensor.attributes import integers, values_of
from s2s.types.dtypes import as_tensor_type


@op_definition
class ExternOp(Op):
    """`results… = routine(inputs…, numbers…)`: a routine of `runtime_c`, which reads and writes whole tensors.

    In C it is a function `s2s_<routine>` that takes results, scratch, inputs and numbers in this order. `scratch` lists
    the types of its scratch arrays.

        %p = tensor.extern "largest_f32"(%x) {numbers = array<i64: 4, 100, 5>, scratch = [tensor<656xui32>]}
               : (tensor<4x100xf32>) -> tensor<4x5xi32>
    """

    name = "tensor.extern"

    routine = prop_def(StringAttr)
    numbers = prop_def(DenseArrayBase.constr(i64))
    scratch = prop_def(ArrayAttr[TypeAttribute])
    inputs = var_operand_def(TensorType)
    res = var_result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$routine `(` $inputs `)` attr-dict `:` functional-type($inputs, $res)"

    def __init__(
        self,
        routine: str,
        inputs: Sequence[SSAValue],
        numbers: Sequence[int],
        result_types: Sequence[Attribute],
        scratch: Sequence[TypeAttribute] = (),
    ) -> None:
        super().__init__(
            operands=[inputs],
            properties={
                "routine": StringAttr(routine),
                "numbers": integers(numbers),
                "scratch": ArrayAttr(list(scratch)),
            },
            result_types=[result_types],
        )

    @property
    def values(self) -> tuple[int, ...]:
        """The numbers that the routine takes."""
        return values_of(self.numbers)

    def verify_(self) -> None:
        if not self.res:
            raise VerifyException(f"{self.name}: {self.routine.data} has no results, expected at least one")
        for each in self.scratch:
            if len(as_tensor_type(each).get_shape()) != 1:
                raise VerifyException(f"{self.name}: scratch {each} is not a row of elements")
