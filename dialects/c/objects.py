"""Objects in memory: declarations, and the expressions that designate, read and write them."""

from functools import cache

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.c.conversions import ASSIGNMENT_OPERATORS, is_integer
from s2s.dialects.c.types import VOID, ArrayType, LValueType, NamedType, PtrType, spelled
from s2s.dialects.operation import Op, op_definition, value_of
from s2s.dialects.plain import PlainOp


@op_definition
class LetOp(PlainOp):
    """A value with a name: `const float x0 = value;`. What `c-name-temporaries` makes of values used more than once.

    A `void` pointer becomes a pointer to anything by it, as C allows.
    """

    name = "c.let"

    identifier = prop_def(StringAttr)
    value = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$identifier $value attr-dict `:` functional-type(operands, results)"

    def __init__(self, identifier: str, value: SSAValue | Operation, type: Attribute | None = None) -> None:
        value = value_of(value)
        super().__init__(
            operands=[value],
            properties={"identifier": StringAttr(identifier)},
            result_types=[value.type if type is None else type],
        )

    def verify_(self) -> None:
        void = isinstance(self.value.type, PtrType) and self.value.type.element == VOID
        if self.value.type != self.result.type and not (void and isinstance(self.result.type, PtrType)):
            raise VerifyException(f"{self.name}: value is {self.value.type}, result is {self.result.type}")


@op_definition
class VariableOp(Op):
    """A variable of the function: `float acc = initial;`, or an array: `uint32_t wide[64];`.

    Without an identifier the name hint of the result is the wish that `c-name-temporaries` grants. `align` asks for an
    alignment in bytes, `comment` stands behind the declaration.
    """

    name = "c.variable"

    identifier = opt_prop_def(StringAttr)
    align = opt_prop_def(IntegerAttr)
    comment = opt_prop_def(StringAttr)
    initial = opt_operand_def()
    result = result_def(LValueType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "(`named` $identifier^)? (`=` $initial^ `:` type($initial))? attr-dict `->` type($result)"

    def __init__(
        self,
        type: Attribute,
        initial: SSAValue | Operation | None = None,
        *,
        identifier: str | None = None,
        align: int | None = None,
        comment: str | None = None,
    ) -> None:
        super().__init__(
            operands=[initial],
            properties={
                "identifier": None if identifier is None else StringAttr(identifier),
                "align": None if align is None else IntegerAttr(align, 64),
                "comment": None if comment is None else StringAttr(comment),
            },
            result_types=[LValueType(type)],
        )

    def verify_(self) -> None:
        if self.result.type.is_const:
            raise VerifyException(f"{self.name}: a value that never changes is a c.let")
        if self.initial is not None and self.initial.type != self.result.type.element:
            raise VerifyException(
                f"{self.name}: initial value is {self.initial.type}, variable is {self.result.type.element}"
            )


@op_definition
class SubscriptOp(PlainOp):
    """`base[index]`: element of an array, or of what a pointer points at."""

    name = "c.subscript"

    base = operand_def(PtrType | LValueType)
    index = operand_def()
    result = result_def(LValueType)
    traits = traits_def(Pure())
    assembly_format = "$base `[` $index `]` attr-dict `:` functional-type(operands, results)"

    def __init__(self, base: SSAValue | Operation, index: SSAValue | Operation) -> None:
        base = value_of(base)
        super().__init__(operands=[base, index], result_types=[_element_of(self.name, base.type)])

    def verify_(self) -> None:
        expected = _element_of(self.name, self.base.type)
        if expected != self.result.type:
            raise VerifyException(f"{self.name}: element is {expected}, result is {self.result.type}")
        if not is_integer(self.index.type):
            raise VerifyException(f"{self.name}: index is {self.index.type}, not an integer")


@op_definition
class MemberOp(PlainOp):
    """`base.field`, or `base->field` where `base` is a pointer."""

    name = "c.member"

    base = operand_def(PtrType | LValueType)
    field = prop_def(StringAttr)
    result = result_def(LValueType)
    traits = traits_def(Pure())
    assembly_format = "$base $field attr-dict `:` functional-type(operands, results)"

    def __init__(self, base: SSAValue | Operation, field: str, field_type: Attribute) -> None:
        base = value_of(base)
        const = isinstance(base.type, PtrType | LValueType) and base.type.is_const
        super().__init__(
            operands=[base], properties={"field": StringAttr(field)}, result_types=[LValueType(field_type, const=const)]
        )

    def verify_(self) -> None:
        base = self.base.type
        if not isinstance(base, PtrType | LValueType) or not isinstance(base.element, NamedType):
            raise VerifyException(f"{self.name}: {self.base.type} designates no structure")


@op_definition
class AddressOfOp(PlainOp):
    """`&place`; of an array, the address of its first element, written as the array's name."""

    name = "c.address_of"

    place = operand_def(LValueType)
    result = result_def(PtrType)
    traits = traits_def(Pure())
    assembly_format = "$place attr-dict `:` functional-type(operands, results)"

    def __init__(self, place: SSAValue | Operation) -> None:
        place = value_of(place)
        super().__init__(operands=[place], result_types=[_address_of(self.name, place.type)])

    def verify_(self) -> None:
        expected = _address_of(self.name, self.place.type)
        if expected != self.result.type:
            raise VerifyException(f"{self.name}: address is {expected}, result is {self.result.type}")


@op_definition
class LoadOp(PlainOp):
    """`result = place`: the value the object holds now."""

    name = "c.load"

    place = operand_def(LValueType)
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$place attr-dict `:` functional-type(operands, results)"

    def __init__(self, place: SSAValue | Operation) -> None:
        place = value_of(place)
        super().__init__(operands=[place], result_types=[_held_by(self.name, place.type)])

    def verify_(self) -> None:
        expected = _held_by(self.name, self.place.type)
        if expected != self.result.type:
            raise VerifyException(f"{self.name}: object holds {expected}, result is {self.result.type}")


@op_definition
class AssignOp(PlainOp):
    """`place = value;`, or with an operator `place += value;`."""

    name = "c.assign"

    operator = prop_def(StringAttr)
    place = operand_def(LValueType)
    value = operand_def()
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$place $operator $value attr-dict `:` type($place) `,` type($value)"

    def __init__(self, place: SSAValue | Operation, value: SSAValue | Operation, operator: str = "=") -> None:
        super().__init__(operands=[place, value], properties={"operator": spelled(operator)})

    def verify_(self) -> None:
        if self.operator.data not in ASSIGNMENT_OPERATORS:
            raise VerifyException(f"{self.name}: {self.operator.data!r} is no assignment operator")
        if isinstance(self.place.type, LValueType) and self.place.type.is_const:
            raise VerifyException(f"{self.name}: {self.place.type} cannot be written")
        held = _held_by(self.name, self.place.type)
        if self.operator.data == "=" and held != self.value.type:
            raise VerifyException(f"{self.name}: place holds {held}, value is {self.value.type}")


@cache
def _element_of(name: str, base: Attribute) -> LValueType:
    if isinstance(base, PtrType):
        return LValueType(base.element, const=base.is_const)
    if isinstance(base, LValueType) and isinstance(base.element, ArrayType):
        return LValueType(base.element.element, const=base.is_const)
    raise VerifyException(f"{name}: {base} has no elements")


@cache
def _address_of(name: str, place: Attribute) -> PtrType:
    if not isinstance(place, LValueType):
        raise VerifyException(f"{name}: {place} has no address")
    element = place.element.element if isinstance(place.element, ArrayType) else place.element
    return PtrType(element, const=place.is_const)


def _held_by(name: str, place: Attribute) -> Attribute:
    if not isinstance(place, LValueType) or isinstance(place.element, ArrayType):
        raise VerifyException(f"{name}: {place} holds no value")
    return place.element
