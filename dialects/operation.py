"""The base class and the decorator of our operations: xDSL's, made fast for thousands of operations.

What costs most of a lowering to thousands of operations in xDSL is replaced for our operations: `isinstance` (an
abstract base class asks its registry), the constructor (it asks of each argument whether it is one value or several),
accessors of operands and results (each counts all segments), walking over operations without regions (a generator for
each), and the checks of declared constraints (`verification.py`).
"""

from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.ir.core import ErasedSSAValue
from xdsl.irdl import IRDLOperation, OperandDef, OptionalDef, irdl_op_definition
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.irdl.operations import (
    BeforeVariadicSingleAccessor,
    OpDef,
    SameOptionalAccessor,
    UniqueVariadicAccessor,
    VarIRConstruct,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.verification import Declaration, names_at_fixed_positions

_at = cast("Callable[[tuple[SSAValue, ...], int], SSAValue]", getattr(tuple, "__getitem__"))  # noqa: B009
"""One value of several; xDSL's tuples of values ask first whether the index is a slice."""

Operands = Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None]
Regions = Sequence[
    Region | Sequence[Operation] | Sequence[Block] | Sequence[Region | Sequence[Operation] | Sequence[Block]] | None
]


class OpMeta(ABCMeta):
    """The class of classes of operations: `isinstance` looks at base classes only, as no operation is registered as a
    virtual subclass of another."""

    __instancecheck__ = type.__instancecheck__


class Op(IRDLOperation, metaclass=OpMeta):
    """An operation of one of our dialects."""

    HAS_DEFAULTS: ClassVar[bool] = True
    """Whether some property or attribute has a default value, to be filled in where it is not given."""
    IS_FLAT: ClassVar[bool] = False
    """Whether it has no regions and successors, and nothing says how many operands or results belong together."""
    DECLARED: ClassVar[Declaration | None] = None
    """What is declared, unless xDSL has to check it."""

    def __init__(
        self,
        *,
        operands: Operands | None = None,
        result_types: Sequence[Attribute | Sequence[Attribute] | None] | None = None,
        properties: Mapping[str, Attribute | None] | None = None,
        attributes: Mapping[str, Attribute | None] | None = None,
        successors: Sequence[Block | Sequence[Block] | None] | None = None,
        regions: Regions | None = None,
    ) -> None:
        if not self.IS_FLAT:
            super().__init__(
                operands=operands,
                result_types=result_types,
                properties=properties,
                attributes=attributes,
                successors=successors,
                regions=regions,
            )
        else:
            values, types = _flat_values(operands or ()), _flat_types(result_types or ())
            self._initialise(values, properties or {}, types, attributes or {})

    def __post_init__(self) -> None:
        if self.HAS_DEFAULTS:
            super().__post_init__()

    def _initialise(
        self,
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute | None],
        result_types: Iterable[Attribute],
        attributes: Mapping[str, Attribute | None] = {},
    ) -> None:
        """Initialise an operation without regions and successors, as the constructor of `Operation` does."""
        self._operands = SSAValues(operands)
        self._operand_uses = uses = tuple([Use(self, index) for index in range(len(operands))])
        for operand, use in zip(operands, uses, strict=True):
            operand.add_use(use)
        self.results = SSAValues([OpResult(type, self, index) for index, type in enumerate(result_types)])
        self.properties = {name: value for name, value in properties.items() if value is not None}
        self.attributes = {name: value for name, value in attributes.items() if value is not None}
        self.location = UNKNOWN_LOC
        self.__post_init__()

    def walk(self, *, reverse: bool = False, region_first: bool = False) -> Iterator[Operation]:
        if self.regions:
            return super().walk(reverse=reverse, region_first=region_first)
        return iter((self,))

    def verify(self, verify_nested_ops: bool = True) -> None:
        """Check as `Operation.verify` does; what that checks of regions, and of the last operation of a block, is left
        to it."""
        if self.regions or self._successors or self._next_op is None:
            super().verify(verify_nested_ops)
            return
        for operand in self._operands:
            if type(operand) is ErasedSSAValue:
                super().verify(verify_nested_ops)
        try:
            self.verify_()
        except VerifyException as error:
            self.emit_error(f"Operation does not verify: {error}", error)

    def optional_operand(self, index: int) -> SSAValue | None:
        """The operand at a position among all operands, None where there are fewer."""
        return _at(self._operands, index) if len(self._operands) > index else None

    def operands_from(self, index: int) -> SSAValues:
        """The operands behind a position."""
        return self._operands[index:] if index else self._operands

    def result_at(self, index: int) -> SSAValue:
        """The result at a position among all results."""
        return _at(self.results, index)

    def optional_result(self, index: int) -> SSAValue | None:
        """The result at a position among all results, None where there are fewer."""
        return _at(self.results, index) if len(self.results) > index else None

    def is_as_declared(self) -> bool:
        """Whether the fast check finds nothing wrong."""
        return self.DECLARED is not None and self.DECLARED.holds(self._operands, self)


def _flat_values(operands: Operands) -> list[SSAValue]:
    """All operands in one list."""
    values: list[SSAValue] = []
    for each in operands:
        if type(each) is OpResult or type(each) is BlockArgument:
            values.append(each)
        elif isinstance(each, SSAValue | Operation):
            values.append(value_of(each))
        elif each is not None:
            values.extend(map(value_of, each))
    return values


def value_of(operand: SSAValue | Operation) -> SSAValue:
    """`operand`, or the only result of the operation, as `SSAValue.get` gives it after looking at it more closely."""
    return operand if type(operand) is OpResult or type(operand) is BlockArgument else SSAValue.get(operand)


def _flat_types(result_types: Sequence[Attribute | Sequence[Attribute] | None]) -> list[Attribute]:
    """The types of all results in one list."""
    types: list[Attribute] = []
    for each in result_types:
        if isinstance(each, Attribute):
            types.append(each)
        elif each is not None:
            types.extend(each)
    return types


class _FixedOperand(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue:
        return _at(obj._operands, self.idx)


class _OptionalOperand(SameOptionalAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue | None:
        return obj.optional_operand(self.idx)


class _RemainingOperands(UniqueVariadicAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValues:
        return obj.operands_from(self.idx)


class _FixedResult(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue:
        return _at(obj.results, self.idx)


class _OptionalResult(SameOptionalAccessor):
    def __get__(self, obj: Any, objtype: object = None) -> SSAValue | None:
        return obj.optional_result(self.idx)


OpT = TypeVar("OpT", bound=Op)


def op_definition(cls: type[OpT]) -> type[OpT]:
    """Define an operation as `irdl_op_definition` does. Operands and results whose position is known are read directly;
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
    _read_directly(cls, definition)
    cls.DECLARED = Declaration.of(definition)
    if cls.DECLARED is not None:
        cls.IS_FLAT = True
        cls.verify_ = _verifier(definition, own)  # pyright: ignore[reportAttributeAccessIssue]
    return cls


def _read_directly(cls: type[Op], definition: OpDef) -> None:
    """Give `cls` accessors of operands and results that know the position of what they read."""
    for defs, construct, fixed, optional in (
        (definition.operands, VarIRConstruct.OPERAND, _FixedOperand, _OptionalOperand),
        (definition.results, VarIRConstruct.RESULT, _FixedResult, _OptionalResult),
    ):
        names = names_at_fixed_positions(defs)
        for index, name in enumerate(names):
            setattr(cls, name, fixed(construct, index))
        if len(defs) == len(names) + 1:
            name, last = defs[-1]
            if isinstance(last, OptionalDef):
                setattr(cls, name, optional(construct, len(names), len(defs)))
            elif isinstance(last, OperandDef):
                setattr(cls, name, _RemainingOperands(construct, len(names), len(defs)))


def _verifier(definition: OpDef, own: Callable[[Any], None]) -> Callable[[Op], None]:
    """Check the declarations of `definition`, then `own` checks. A violation is left to xDSL's own check, whose message
    tells its place."""

    @cache
    def traits() -> Sequence[OpTrait]:
        return [trait for trait in definition.traits if type(trait).verify is not OpTrait.verify]

    def verify(op: Op) -> None:
        if op.is_as_declared():
            for trait in traits():
                trait.verify(op)
        else:
            definition.verify(op)
        own(op)

    return verify


def _print_and_parse(cls: type[Op], definition: OpDef, text: str) -> None:
    """Let the assembly format of `cls` be read when something is printed or parsed: most processes do neither, and
    reading all operations' formats takes longer than defining them."""

    @cache
    def program() -> FormatProgram:
        return FormatProgram.from_str(text, definition)

    def parse(cls: type[Op], parser: Parser) -> Op:
        return program().parse(parser, cls)

    def print(self: Op, printer: Printer) -> None:
        program().print(printer, self)

    setattr(cls, "parse", classmethod(parse))  # noqa: B010
    setattr(cls, "print", print)  # noqa: B010
