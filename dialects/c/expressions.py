"""Expressions: values computed without effect, printed where they are used unless `c-name-temporaries` names them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import ConstantLike, EffectInstance, MemoryEffect, MemoryEffectKind, Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.c.conversions import BINARY_OPERATORS, UNARY_OPERATORS, binary_type, unary_type
from s2s.dialects.c.types import NamedType, spelled
from s2s.dialects.operation import op_definition, value_of
from s2s.dialects.plain import PlainOp

_RUNTIME = ("s2s_", "S2S_")
"""How functions and macros of the runtime begin, as nothing of a network does."""


@lru_cache(maxsize=256)
def _header(header: str) -> StringAttr:
    return StringAttr(header)


@op_definition
class LiteralOp(PlainOp):
    """A number written in the source; it reads back as the same value."""

    name = "c.literal"

    T: ClassVar = VarConstraint("T", AnyAttr())
    value = prop_def(ParamAttrConstraint(IntegerAttr, (AnyAttr(), T)) | ParamAttrConstraint(FloatAttr, (AnyAttr(), T)))
    result = result_def(T)
    traits = traits_def(Pure(), ConstantLike())
    assembly_format = "$value attr-dict"

    def __init__(self, value: IntegerAttr | FloatAttr) -> None:
        super().__init__(properties={"value": value}, result_types=[value.get_type()])


@op_definition
class SymbolOp(PlainOp):
    """Something known by its name: a global table, an enumerator, a macro of a header. `result = name`.

    `header` declares it, unless `s2s.h` or a table of the network does.
    """

    name = "c.symbol"

    symbol = prop_def(StringAttr)
    header = opt_prop_def(StringAttr)
    result = result_def()
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$symbol attr-dict `:` type($result)"

    def __init__(self, symbol: str, result_type: Attribute, *, header: str | None = None) -> None:
        super().__init__(
            properties={"symbol": StringAttr(symbol), "header": None if header is None else _header(header)},
            result_types=[result_type],
        )


@op_definition
class BinaryOp(PlainOp):
    """`result = lhs operator rhs`, with the type that C gives to it."""

    name = "c.binary"

    operator = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$lhs $operator $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(self, operator: str, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs, rhs = value_of(lhs), value_of(rhs)
        super().__init__(
            operands=[lhs, rhs],
            properties={"operator": spelled(operator)},
            result_types=[_result_of(self.name, operator, binary_type(operator, lhs.type, rhs.type), lhs, rhs)],
        )

    def verify_(self) -> None:
        if self.operator.data not in BINARY_OPERATORS:
            raise VerifyException(f"{self.name}: {self.operator.data!r} is no operator of C for two operands")
        expected = binary_type(self.operator.data, self.lhs.type, self.rhs.type)
        _check_result(self, self.operator.data, expected, self.result)


@op_definition
class UnaryOp(PlainOp):
    """`result = operator operand`: negation, complement or logical not."""

    name = "c.unary"

    operator = prop_def(StringAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$operator $operand attr-dict `:` functional-type(operands, results)"

    def __init__(self, operator: str, operand: SSAValue | Operation) -> None:
        operand = value_of(operand)
        super().__init__(
            operands=[operand],
            properties={"operator": spelled(operator)},
            result_types=[_result_of(self.name, operator, unary_type(operator, operand.type), operand)],
        )

    def verify_(self) -> None:
        if self.operator.data not in UNARY_OPERATORS:
            raise VerifyException(f"{self.name}: {self.operator.data!r} is no operator of C for one operand")
        _check_result(self, self.operator.data, unary_type(self.operator.data, self.operand.type), self.result)


@op_definition
class CastOp(PlainOp):
    """`result = (type)operand`."""

    name = "c.cast"

    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def __init__(self, operand: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[operand], result_types=[result_type])


@op_definition
class ConditionalOp(PlainOp):
    """`result = condition ? chosen : otherwise`. Both sides are safe to compute, whatever the condition says."""

    name = "c.conditional"

    T: ClassVar = VarConstraint("T", AnyAttr())
    condition = operand_def()
    chosen = operand_def(T)
    otherwise = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$condition `,` $chosen `,` $otherwise attr-dict `:` type($condition) `,` type($result)"

    def __init__(self, condition: SSAValue | Operation, chosen: SSAValue | Operation, otherwise: SSAValue | Operation):
        super().__init__(operands=[condition, chosen, otherwise], result_types=[value_of(chosen).type])


@op_definition
class AggregateOp(PlainOp):
    """`{y, x}`: the members of a structure that a variable begins with."""

    name = "c.aggregate"

    members = var_operand_def()
    result = result_def(NamedType)
    traits = traits_def(Pure())
    assembly_format = "$members attr-dict `:` functional-type(operands, results)"

    def __init__(self, members: Sequence[SSAValue | Operation], type: NamedType) -> None:
        super().__init__(operands=members, result_types=[type])


_SET = UnitAttr()
_READ, _WRITE = EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)


class _CallEffects(MemoryEffect):
    """A call reaches memory through the pointers it is handed and no other way; its flags say what it does there."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        assert isinstance(op, CallOp)
        if op.pure is not None:
            return set()
        return {_READ, _WRITE} if op.may_write else {_READ}


@op_definition
class CallOp(PlainOp):
    """`result = callee(arguments)`: a statement where nothing comes back or nobody uses it.

    A `pure` call only computes; one that `reads` also looks at what its pointers lead to. Any other may write there
    too, and happens exactly once, where it stands. `comment` follows a call that is a statement. `header` declares a
    function of the runtime or of the C library: `"s2s_math.h"`, `<string.h>`. An `intrinsic` is added to an
    accumulator. `discards` writes `(void)` in front: the function returns what nobody needs.
    """

    name = "c.call"

    callee = prop_def(StringAttr)
    arguments = var_operand_def()
    pure = opt_prop_def(UnitAttr)
    reads = opt_prop_def(UnitAttr)
    comment = opt_prop_def(StringAttr)
    header = opt_prop_def(StringAttr)
    intrinsic = opt_prop_def(UnitAttr)
    discards = opt_prop_def(UnitAttr)
    result = opt_result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(_CallEffects())
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)"

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue | Operation],
        result_type: Attribute | None = None,
        *,
        pure: bool = False,
        reads: bool = False,
        comment: str | None = None,
        header: str | None = None,
    ) -> None:
        super().__init__(
            operands=arguments,
            properties={
                "callee": spelled(callee),
                "pure": _SET if pure else None,
                "reads": _SET if reads else None,
                "comment": None if comment is None else StringAttr(comment),
                "header": None if header is None else _header(header),
            },
            result_types=[] if result_type is None else [result_type],
        )

    @property
    def may_write(self) -> bool:
        """Whether the call may write to where its pointers lead."""
        return self.pure is None and self.reads is None

    def verify_(self) -> None:
        if self.result is None and not self.may_write:
            raise VerifyException(f"{self.name}: {self.callee.data} neither gives nor writes anything")
        if self.header is None and self.callee.data.startswith(_RUNTIME):
            raise VerifyException(
                f"{self.name}: {self.callee.data} is of the runtime, expected the header that declares it"
            )


def _result_of(name: str, operator: str, result: Attribute | None, *operands: SSAValue) -> Attribute:
    if result is None:
        types = ", ".join(str(operand.type) for operand in operands)
        raise VerifyException(f"{name}: C has no {operator!r} on {types}")
    return result


def _check_result(op: IRDLOperation, operator: str, expected: Attribute | None, result: SSAValue) -> None:
    """Refuse a result type other than C's."""
    computed = _result_of(op.name, operator, expected, *op.operands)
    if computed != result.type:
        raise VerifyException(f"{op.name}: C gives {operator!r} the type {computed}, result is {result.type}")
