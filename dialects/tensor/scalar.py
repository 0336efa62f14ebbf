"""Scalar operations in regions of `tensor.compute`, besides `arith` and `math`."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    VectorType,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import Op, op_definition
from s2s.dialects.tensor.compute import ComputeOp, element_type
from s2s.types.dtypes import as_tensor_type

ROUNDINGS = ("double", "single", "reduced", "high")
SHORT_ROUNDINGS = ("negative", "upward")
"""Roundings of a rescale that add an offset as well."""
LOWEST_SHORT_SHIFT, LOWEST_SHORT_SHIFT_OF_PAIRS = -22, -15
"""The longest shift to the right of short roundings: an offset of nine bits, shifted to the left, stays below 2^30.
Sums of pairs are 256 times as large, and their products 128 times."""


@op_definition
class IndexOp(Op):
    """The current index along dimension `dim` of the domain."""

    name = "tensor.index"

    dim = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$dim attr-dict"

    def __init__(self, dim: int) -> None:
        super().__init__(properties={"dim": IntegerAttr(dim, i64)}, result_types=[IndexType()])

    def verify_(self) -> None:
        compute = _compute_around(self)
        dims = compute.rank if self.parent_region() is compute.apply else len(compute.sizes)
        if not 0 <= self.dim.value.data < dims:
            raise VerifyException(f"{self.name}: dimension {self.dim.value.data} of {dims}")


@op_definition
class SizeOp(Op):
    """The size `name` of this run: `%n = tensor.size "sequence"`."""

    name = "tensor.size"

    size = prop_def(StringAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$size attr-dict"

    def __init__(self, name: str) -> None:
        super().__init__(properties={"size": StringAttr(name)}, result_types=[IndexType()])


@op_definition
class InBoundsOp(Op):
    """Whether the guarded access of a block argument is in bounds."""

    name = "tensor.in_bounds"

    value = operand_def()
    result = result_def(i1)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value], result_types=[i1])

    def verify_(self) -> None:
        access = _compute_around(self).access_of(self.value)
        if access is None or not access.is_guarded:
            raise VerifyException(f"{self.name}: %{self.value.name_hint} is not read by a guarded access")


@op_definition
class ExtractOp(Op):
    """One element of a table: `result = table[indices]`. The indices are in range, or the program is wrong."""

    name = "tensor.extract"

    table = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$table `[` $indices `]` attr-dict `:` type($table) `->` type($result)"

    def __init__(self, table: SSAValue, indices: Sequence[SSAValue], result_type: Attribute | None = None) -> None:
        super().__init__(operands=[table, indices], result_types=[result_type or element_type(table)])

    def verify_(self) -> None:
        if len(self.indices) != len(as_tensor_type(self.table.type).get_shape()):
            raise VerifyException(f"{self.name}: {len(self.indices)} indices into {self.table.type}")
        if self.result.type != element_type(self.table):
            raise VerifyException(f"{self.name}: {self.result.type} is no element of {self.table.type}")


def _compute_around(op: IRDLOperation) -> ComputeOp:
    """Return the computation whose region holds `op`."""
    parent = op.parent_op()
    if not isinstance(parent, ComputeOp):
        raise VerifyException(f"{op.name}: is outside of a tensor.compute")
    return parent


@op_definition
class RemFOp(Op):
    """`result` = the remainder of `lhs / rhs` with the sign of `lhs`, exact, as C's `fmod`.

    MLIR's `arith` has this operation and xDSL's lacks it; the name is MLIR's.
    """

    name = "arith.remf"

    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@op_definition
class ExpNonpositiveOp(Op):
    """`e ** x` for `x <= 0` or NaN; results below the least normal number may be 0.

    A scalar operation, which vectors have too, at loop level as well.
    """

    name = "tensor.exp_nonpositive"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    operand = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($result)"

    def __init__(self, operand: SSAValue) -> None:
        super().__init__(operands=[operand], result_types=[operand.type])


@op_definition
class RescaleOp(Op):
    """`result = x * multiplier * 2 ** (shift - 31)`, rounded as `rounding` says; see `graph.rescale`.

    An operation on scalars, at loop level too. `x` is `i64` for the rounding `reduced`, else `i32`. Three roundings are
    short forms of `double` for `|x| < 2^30`: `high` for a shift of 0; `negative` for a shift from -22 to -1 and a
    multiplier that is not negative; `upward` as `negative`, with halves up in the last rounding as well, where a
    negative number and 0 give the same in the end. `offset` is added to the result of these two.
    """

    name = "tensor.rescale"

    x = operand_def()
    multiplier = operand_def(i32)
    shift = operand_def(i8)
    rounding = prop_def(StringAttr)
    offset = opt_prop_def(IntegerAttr)
    result = result_def(i32)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$x `,` $multiplier `,` $shift $rounding attr-dict `:` type($x)"

    def __init__(
        self, x: SSAValue, multiplier: SSAValue, shift: SSAValue, rounding: str, offset: int | None = None
    ) -> None:
        super().__init__(
            operands=[x, multiplier, shift],
            properties={
                "rounding": StringAttr(rounding),
                "offset": None if offset is None else IntegerAttr(offset, i32),
            },
            result_types=[i32],
        )

    @property
    def added(self) -> int:
        """The number that is added to the rounded product."""
        return 0 if self.offset is None else self.offset.value.data

    def verify_(self) -> None:
        taken = i64 if self.rounding.data == "reduced" else i32
        if self.rounding.data not in (*ROUNDINGS, *SHORT_ROUNDINGS):
            raise VerifyException(
                f'{self.name}: rounding is "{self.rounding.data}", not {", ".join((*ROUNDINGS, *SHORT_ROUNDINGS))}'
            )
        if self.x.type != taken:
            raise VerifyException(f"{self.name}: rounding {self.rounding.data} takes {taken}, not {self.x.type}")
        if self.offset is not None and self.rounding.data not in SHORT_ROUNDINGS:
            raise VerifyException(f"{self.name}: rounding {self.rounding.data} adds no offset")


@op_definition
class QuantizeOp(Op):
    """`x` rounded to an integer, halves to even, plus `zero_point`, saturated to the result type. NaN gives 0 with
    `maybe_nan`, and with a zero point of 0; else `x` is none. With `away`, halves go away from zero, and NaN gives
    `zero_point`. With `factors` it is `x` over the first of the three that is rounded; multiplying by the other two and
    adding up gives the same bytes. A scalar operation, at loop level too."""

    name = "tensor.quantize"

    zero_point = prop_def(IntegerAttr)
    maybe_nan = opt_prop_def(UnitAttr)
    away = opt_prop_def(UnitAttr)
    factors = opt_prop_def(DenseArrayBase.constr(f32))
    x = operand_def(f32)
    result = result_def(IntegerType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($result)"

    def __init__(
        self,
        x: SSAValue,
        zero_point: int,
        element: IntegerType = i8,
        *,
        maybe_nan: bool = False,
        away: bool = False,
        factors: Sequence[float] | None = None,
    ) -> None:
        super().__init__(
            operands=[x],
            properties={
                "zero_point": IntegerAttr(zero_point, i32),
                "maybe_nan": UnitAttr() if maybe_nan else None,
                "away": UnitAttr() if away else None,
                "factors": None if factors is None else DenseArrayBase.from_list(f32, list(factors)),
            },
            result_types=[element],
        )

    def verify_(self) -> None:
        if self.result.type not in (i8, i16):
            raise VerifyException(f"{self.name}: the result is {self.result.type}, neither i8 nor i16")
        if not -self.half <= self.zero_point.value.data < self.half:
            raise VerifyException(
                f"{self.name}: zero point {self.zero_point.value.data} is outside of {self.result.type}"
            )
        if self.maybe_nan is not None and self.away is not None:
            raise VerifyException(f"{self.name}: maybe_nan and away exclude each other")
        if self.factors is not None and len(self.factors) != 3:
            raise VerifyException(f"{self.name}: {len(self.factors)} factors, not 3")

    @property
    def half(self) -> int:
        """The number of negative results that there can be."""
        return 1 << (self.result.type.width.data - 1)


@op_definition
class SaturateOp(Op):
    """`x` saturated to the result type. A scalar operation, at loop level too."""

    name = "tensor.saturate"

    x = operand_def(i32)
    result = result_def(i8)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict"

    def __init__(self, x: SSAValue) -> None:
        super().__init__(operands=[x], result_types=[i8])
