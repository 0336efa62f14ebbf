"""`tensor.tree`, a decision tree over scalars."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloatConstr, DenseArrayBase, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.operation import Op, op_definition
from s2s.dialects.trees import column_properties, trees_of
from s2s.types.trees import Trees

INTS = DenseArrayBase.constr(i64)


@op_definition
class TreeOp(Op, PathInterface):
    """`result` = the value of the leaf that a decision tree over the operands ends in.

    A scalar operation, at loop level too. Row 0 of the tables, which `s2s.types.trees` describes, is the root;
    `features` are numbers of operands, and `values` has a value for each row, used for leaves only.

        %w = tensor.tree %a, %b {features = array<i64: 1, 0, 0>, …} : f32
    """

    name = "tensor.tree"

    operands_ = var_operand_def()
    features = prop_def(INTS)
    comparisons = prop_def(INTS)
    splits = prop_def(DenseArrayBase.constr(f64))
    yes = prop_def(INTS)
    no = prop_def(INTS)
    missing = prop_def(INTS)
    values = prop_def(DenseArrayBase.constr(f64))
    result = result_def(AnyFloatConstr)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$operands_ attr-dict `:` functional-type($operands_, $result)"

    def __init__(self, operands: Sequence[SSAValue], trees: Trees, values: Sequence[float], type: Attribute) -> None:
        super().__init__(
            operands=[operands],
            properties=column_properties(trees) | {"values": DenseArrayBase.from_list(f64, values)},
            result_types=[type],
        )

    @property
    def trees(self) -> Trees:
        """The tables, with row 0 as the only root."""
        return trees_of(self, (0,))

    def turns(self) -> Sequence[Turn]:
        return [Turn("walks decision trees", self.operands_)]

    def verify_(self) -> None:
        trees = self.trees
        fault = trees.fault()
        if fault is not None:
            raise VerifyException(f"{self.name}: {fault}")
        if len(self.values) != trees.rows:
            raise VerifyException(f"{self.name}: {len(self.values)} values for {trees.rows} rows")
        if any(feature >= len(self.operands_) for feature in trees.features):
            raise VerifyException(f"{self.name}: a feature is beyond its {len(self.operands_)} operands")
        if any(operand.type != self.result.type for operand in self.operands_):
            raise VerifyException(f"{self.name}: operands are not of the result's type {self.result.type}")
