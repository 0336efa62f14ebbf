"""The base class and the decorator of operations of our dialects: xDSL's, made cheap for thousands of operations.

Three things of xDSL cost most of a lowering to thousands of operations, and are replaced for our operations:
`isinstance` (an abstract base class asks its registry), accessors of operands and results (each counts all segments),
and the checks of declared constraints (each counts the segments again, and reads operands through the accessors).
"""

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, TypeVar, cast

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    AttributeDef,
    IRDLOperation,
    OperandDef,
    OptAttributeDef,
    OptionalDef,
    OptPropertyDef,
    PropertyDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    VariadicDef,
    VerificationContext,
    irdl_op_definition,
)
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.irdl.operations import BeforeVariadicSingleAccessor, OpDef, VarIRConstruct
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

Verifier = Callable[[Any], None]
Declared = OperandDef | ResultDef

_at = cast("Callable[[tuple[SSAValue, ...], int], SSAValue]", getattr(tuple, "__getitem__"))  # noqa: B009
"""One value of several; xDSL's tuples of values ask first whether the index is a slice."""


class OpMeta(ABCMeta):
    """The class of classes of operations: `isinstance` looks at base classes only, as no operation is registered as a
    virtual subclass of another."""

    __instancecheck__ = type.__instancecheck__


class Op(IRDLOperation, metaclass=OpMeta):
    """An operation of one of our dialects."""

    HAS_DEFAULTS: ClassVar[bool] = True
    """Whether some property or attribute has a default value, to be filled in where it is not given."""

    def __post_init__(self) -> None:
        if self.HAS_DEFAULTS:
            super().__post_init__()

    def operand_at(self, index: int) -> SSAValue:
        """The operand at a position among all operands."""
        return _at(self._operands, index)

    def result_at(self, index: int) -> SSAValue:
        """The result at a position among all results."""
        return _at(self.results, index)


class _FixedOperand(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue:
        return obj.operand_at(self.idx)


class _FixedResult(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue:
        return obj.result_at(self.idx)


OpT = TypeVar("OpT", bound=Op)


def op_definition(cls: type[OpT]) -> type[OpT]:
    """Define an operation as `irdl_op_definition` does. Operands and results whose position is fixed are read directly;
    what is declared is checked without counting segments where there are none to count."""
    own, text = cls.verify_, cls.assembly_format
    cls.assembly_format = None
    irdl_op_definition(cls)
    definition = cls.get_irdl_definition()
    cls.HAS_DEFAULTS = any(
        each.default_value is not None for each in (*definition.properties.values(), *definition.attributes.values())
    )
    if text is not None:
        cls.assembly_format = definition.assembly_format = text
        _print_and_parse(cls, definition, text)
    for index, name in enumerate(_fixed(definition.operands)):
        setattr(cls, name, _FixedOperand(VarIRConstruct.OPERAND, index))
    for index, name in enumerate(_fixed(definition.results)):
        setattr(cls, name, _FixedResult(VarIRConstruct.RESULT, index))
    if not definition.regions and not definition.successors:
        operands, results = _Values.of(definition.operands), _Values.of(definition.results)
        if operands is not None and results is not None:
            cls.verify_ = _verifier(definition, operands, results, own)  # pyright: ignore[reportAttributeAccessIssue]
    return cls


def _print_and_parse(cls: type[Op], definition: OpDef, text: str) -> None:
    """Let the assembly format of `cls` be read when something is printed or parsed: most processes do neither, and
    reading those of all operations takes longer than defining them."""

    @cache
    def program() -> FormatProgram:
        return FormatProgram.from_str(text, definition)

    def parse(cls: type[Op], parser: Parser) -> Op:
        return program().parse(parser, cls)

    def print(self: Op, printer: Printer) -> None:
        program().print(printer, self)

    setattr(cls, "parse", classmethod(parse))  # noqa: B010
    setattr(cls, "print", print)  # noqa: B010


def _fixed(defs: Sequence[tuple[str, Declared]]) -> list[str]:
    """The names of those that stand before the first one that may be several values or none."""
    first = next((index for index, (_, each) in enumerate(defs) if isinstance(each, VariadicDef)), len(defs))
    return [name for name, _ in defs[:first]]


@dataclass(frozen=True)
class _Values:
    """What is declared of the operands, or of the results, of an operation."""

    fixed: Sequence[AttrConstraint]
    """Of the values that are always there."""
    rest: RangeConstraint | None
    """Of any number of values behind them."""

    @staticmethod
    def of(defs: Sequence[tuple[str, Declared]]) -> "_Values | None":
        """None where values have to be counted to tell which declaration they belong to."""
        fixed = len(_fixed(defs))
        constraints = [_of_one(each.constr) for _, each in defs[:fixed]]
        several = [each for _, each in defs[fixed:]]
        if len(several) > 1 or any(isinstance(each, OptionalDef) for each in several) or None in constraints:
            return None
        return _Values([each for each in constraints if each is not None], several[0].constr if several else None)

    def hold(self, values: Sequence[SSAValue], context: VerificationContext) -> bool:
        """Whether there are enough values; `VerifyException` where one of them has a wrong type."""
        count = len(self.fixed)
        if len(values) != count and (self.rest is None or len(values) < count):
            return False
        for constraint, value in zip(self.fixed, values, strict=False):
            constraint.verify(value.type, context)
        if self.rest is not None:
            self.rest.verify([value.type for value in values[count:]], context)
        return True


def _of_one(constraint: RangeConstraint) -> AttrConstraint | None:
    """What is declared of a single value."""
    if isinstance(constraint, RangeLengthConstraint) and isinstance(constraint.constraint, RangeOf):
        return constraint.constraint.constr
    return None


def _verifier(definition: OpDef, operands: _Values, results: _Values, own: Verifier) -> Verifier:
    """Check what `definition` declares of operations without regions, then what `own` checks. A violation is left to
    xDSL's own check, whose message tells its place."""

    @cache
    def traits() -> Sequence[OpTrait]:
        return [trait for trait in definition.traits if type(trait).verify is not OpTrait.verify]

    def holds(op: Operation) -> bool:
        context = VerificationContext()
        try:
            return (
                operands.hold(tuple(op.operands), context)
                and results.hold(op.results, context)
                and _attributes_hold(definition.properties, OptPropertyDef, op.properties, context)
                and _attributes_hold(definition.attributes, OptAttributeDef, op.attributes, context)
                and op.properties.keys() <= definition.properties.keys()
            )
        except VerifyException:
            return False

    def verify(op: Operation) -> None:
        if holds(op):
            for trait in traits():
                trait.verify(op)
        else:
            definition.verify(op)
        own(op)

    return verify


def _attributes_hold(
    declared: Mapping[str, PropertyDef | AttributeDef],
    optional: type,
    given: Mapping[str, Attribute],
    context: VerificationContext,
) -> bool:
    """Whether all that has to be there is there; `VerifyException` where one of them is wrong."""
    for name, each in declared.items():
        attribute = given.get(name)
        if attribute is not None:
            each.constr.verify(attribute, context)
        elif not isinstance(each, optional):
            return False
    return True
