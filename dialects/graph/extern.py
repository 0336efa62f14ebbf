"""Calls of functions outside of the network: of C, or packed functions that are found by name."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i64
from xdsl.irdl import ParsePropInAttrDict, opt_prop_def, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.base import TENSOR, Value, flag, string
from s2s.dialects.graph.interfaces import OperatorInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor


def _number(value: int | float) -> IntegerAttr | FloatAttr:
    return FloatAttr(value, f64) if isinstance(value, float) else IntegerAttr(int(value), i64)


@op_definition
class ExternOp(OperatorInterface):
    """`outputs… = function(inputs…)`: a function that is not part of the network and depends on its inputs only.

    It is a function of C with pointers to the elements, outputs first; or, with `packed`, a packed function that is
    called by its name with tensors, inputs first, and then `numbers`. `source` is the C that defines it, if the tree
    shall contain it.
    """

    name = "graph.extern"
    function = prop_def(StringAttr)
    packed = opt_prop_def(UnitAttr)
    source = opt_prop_def(StringAttr)
    numbers = opt_prop_def(ArrayAttr[IntegerAttr | FloatAttr])
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), HasFusionKind(FusionKind.OPAQUE))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self,
        operands: Sequence[Value],
        *,
        function: str,
        result_types: Sequence[AnyTensor],
        packed: bool = False,
        source: str | None = None,
        numbers: Sequence[int | float] = (),
    ) -> None:
        super().__init__(
            operands=[operands],
            result_types=[result_types],
            properties={
                "function": string(function),
                "packed": flag(packed),
                "source": None if source is None else string(source),
                "numbers": ArrayAttr(list(map(_number, numbers))) if numbers else None,
            },
        )

    @property
    def values(self) -> tuple[int | float, ...]:
        """The constants that follow the tensors."""
        return tuple(each.value.data for each in self.numbers or ())

    def verify_(self) -> None:
        if self.numbers is not None and self.packed is None:
            raise VerifyException(f"{self.function.data} takes numbers, which packed functions alone do")
        if not self.outputs:
            raise VerifyException(f"{self.function.data} has no results, expected at least one")
