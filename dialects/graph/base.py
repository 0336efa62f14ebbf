"""What all graph operations share: one result, a type rule, custom assembly, purity."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import index

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue, SSAValues
from xdsl.ir.core import OpResult
from xdsl.irdl import BaseAttr, ParsePropInAttrDict, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.graph.interfaces import OperatorInterface
from s2s.dialects.operation import value_of
from s2s.types.dtypes import AnyTensor, as_tensor_type, tensor_type
from s2s.types.shapes import ShapeError
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST, Layout

Value = SSAValue | Operation
TENSOR = BaseAttr[AnyTensor](TensorType)
INTS = DenseArrayBase.constr(i64)
INT = IntegerAttr.constr(i64)
FLOAT = FloatAttr.constr(f64)

_UNKNOWN = tensor_type(f64, ())


def type_of(value: Value) -> AnyTensor:
    """Return the tensor type of an operand."""
    return as_tensor_type(value_of(value).type)


def optional_type_of(value: Value | None) -> AnyTensor | None:
    """The tensor type of an optional operand."""
    return None if value is None else type_of(value)


def ints(values: Sequence[int]) -> DenseArrayBase[I64]:
    """`values` as an attribute; a size that varies has to be a plain number."""
    return _array(tuple(map(index, values)))


@lru_cache(maxsize=4096)
def _array(values: tuple[int, ...]) -> DenseArrayBase[I64]:
    for value in values:
        _require_64_bits(value)
    return DenseArrayBase.from_list(i64, values)


def integer(value: int) -> IntegerAttr[I64]:
    """`value` as a 64-bit attribute."""
    plain = index(value)
    _require_64_bits(plain)
    return IntegerAttr(plain, i64)


MAX_INTEGER_ATTRIBUTE = 2**63 - 1
"""The largest integer that a property of an operation holds; constants of type `ui64` may be larger."""


def _require_64_bits(value: int) -> None:
    """Raise an error for integers beyond 64 bits in hostile models; xDSL would wrap them."""
    if not -(2**63) <= value <= MAX_INTEGER_ATTRIBUTE:
        raise ShapeError(f"{value} is outside the range of i64")


def real(value: float) -> FloatAttr[Float64Type]:
    """`value` as a 64-bit attribute, so that every Python float survives."""
    return FloatAttr(value, f64)


def flag(value: bool) -> UnitAttr | None:
    """Return a unit attribute if `value` is true, else None."""
    return UnitAttr() if value else None


def string(value: str) -> StringAttr:
    """`value` as an attribute."""
    return StringAttr(value)


def number(attribute: Attribute | None) -> int | float | None:
    """The value of an optional float or integer attribute."""
    return attribute.value.data if isinstance(attribute, FloatAttr | IntegerAttr) else None


def number_attribute(value: int | float | None) -> Attribute | None:
    """`value` as a 64-bit float or integer attribute, by its Python type."""
    if value is None:
        return None
    return real(value) if isinstance(value, float) else integer(value)


def layout_attribute(layout: Layout) -> StringAttr | None:
    """Return the attribute of a channels-last layout; None for channels first."""
    return None if layout == CHANNELS_FIRST else StringAttr(layout)


def layout_of(attribute: StringAttr | None) -> Layout:
    """Return the layout of an attribute made by `layout_attribute`."""
    if attribute is None:
        return CHANNELS_FIRST
    if attribute.data != CHANNELS_LAST:
        raise ShapeError(f'layout is "{attribute.data}", expected "{CHANNELS_LAST}" or none')
    return CHANNELS_LAST


def zero_point_attribute(value: int) -> IntegerAttr[I64] | None:
    """Return the attribute of a nonzero zero point; None for 0."""
    return integer(value) if value else None


def zero_point(attribute: IntegerAttr | None) -> int:
    """Return the zero point of an attribute made by `zero_point_attribute`."""
    return 0 if attribute is None else attribute.value.data


class GraphOp(OperatorInterface, ABC):
    """An operation with one tensor result whose type follows from operands and properties."""

    y = result_def(TENSOR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)

    def __init__(
        self,
        operands: Sequence[Value | Sequence[Value] | None],
        properties: Mapping[str, Attribute | None] | None = None,
        result_type: AnyTensor | None = None,
    ) -> None:
        """Build with the inferred type; `result_type` is for operations whose type is partly a choice."""
        super().__init__(operands=operands, result_types=[result_type or _UNKNOWN], properties=properties)
        try:
            self.results = SSAValues((OpResult(self.inferred_type(), self, 0),))
            self._proven: tuple[object, ...] = self._typed_by()
        except ShapeError:
            self.drop_all_references()
            raise

    @abstractmethod
    def inferred_type(self) -> AnyTensor:
        """Infer the result type; raise ShapeError when operands and properties do not fit together."""

    def _typed_by(self) -> tuple[object, ...]:
        """All that the type rule looks at, and what it gives. The rule is not applied again to an operation for which
        it was found to hold, in `_proven`; a clone has no such record."""
        return (*self.operand_types, *self.result_types, *self.properties.items())

    def verify_(self) -> None:
        typed_by = self._typed_by()
        if typed_by == getattr(self, "_proven", None):
            return
        try:
            expected = self.inferred_type()
        except ShapeError as error:
            raise VerifyException(str(error)) from error
        if self.y.type != expected:
            raise VerifyException(f"result type is {self.y.type}, expected {expected}")
        self._proven = typed_by
