"""Statements that direct others: loops, conditions, returns, comments."""

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_region_def,
    prop_def,
    region_def,
    traits_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoTerminator
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.c.conversions import is_integer
from s2s.dialects.c.types import LValueType
from s2s.dialects.effects import NestedEffects
from s2s.dialects.operation import Op, op_definition


@op_definition
class ForOp(Op):
    """`for (int32_t i = lower; i < upper; i += step)`; a negative step counts down and compares with `>`.

        c.for %i = %lower to %upper step 4 unroll 8 : index { … }

    With `by`, a variable of the counter's type, the step is what the variable holds at the end of the body; the sign of
    `step` tells the direction.

    `unroll` asks the C compiler to unroll that many iterations.
    """

    name = "c.for"

    identifier = opt_prop_def(StringAttr)
    step = prop_def(IntegerAttr)
    unroll = opt_prop_def(IntegerAttr)
    lower = operand_def()
    upper = operand_def()
    by = opt_operand_def(LValueType)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), NestedEffects())

    def __init__(
        self,
        lower: SSAValue | Operation,
        upper: SSAValue | Operation,
        body: Region | Block,
        *,
        by: SSAValue | None = None,
        step: int = 1,
        unroll: int | None = None,
        identifier: str | None = None,
    ) -> None:
        super().__init__(
            operands=[lower, upper, by],
            properties={
                "step": IntegerAttr(step, 64),
                "unroll": None if unroll is None else IntegerAttr(unroll, 64),
                "identifier": None if identifier is None else StringAttr(identifier),
            },
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @property
    def iterator(self) -> SSAValue:
        """The counter, as the body sees it."""
        return self.body.block.args[0]

    def verify_(self) -> None:
        if self.step.value.data == 0:
            raise VerifyException(f"{self.name}: step 0 never ends")
        types = [self.lower.type, self.upper.type, *self.body.block.arg_types]
        if len(types) != 3 or len(set(types)) != 1 or not is_integer(types[0]):
            names = ", ".join(map(str, types))
            raise VerifyException(f"{self.name}: bounds and counter are ({names}), not one integer type")
        by = None if self.by is None else self.by.type
        if isinstance(by, LValueType) and by.element != self.iterator.type:
            raise VerifyException(f"{self.name}: the step is a {by.element}, the counter a {self.iterator.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.iterator)
        printer.print_string(" = ")
        printer.print_ssa_value(self.lower)
        printer.print_string(" to ")
        printer.print_ssa_value(self.upper)
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        if self.by is not None:
            printer.print_string(" by ")
            printer.print_ssa_value(self.by)
        if self.unroll is not None:
            printer.print_string(f" unroll {self.unroll.value.data}")
        if self.identifier is not None:
            printer.print_string(" named ")
            printer.print_string_literal(self.identifier.data)
        printer.print_string(" : ")
        printer.print_attribute(self.lower.type)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        iterator = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        lower = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        upper = parser.parse_unresolved_operand()
        step = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("step") else 1
        by = parser.parse_unresolved_operand() if parser.parse_optional_keyword("by") else None
        unroll = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("unroll") else None
        identifier = parser.parse_str_literal() if parser.parse_optional_keyword("named") else None
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(
            parser.resolve_operand(lower, type),
            parser.resolve_operand(upper, type),
            parser.parse_region([iterator.resolve(type)]),
            step=step,
            by=None if by is None else parser.resolve_operand(by, LValueType(type)),
            unroll=unroll,
            identifier=identifier,
        )
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    @staticmethod
    def block(type: Attribute | None = None) -> Block:
        """An empty body for a counter of `type`, `index` unless given."""
        return Block(arg_types=[IndexType() if type is None else type])


@op_definition
class LoopOp(Op):
    """`for (;;) { … }`: until a `c.break`."""

    name = "c.loop"

    body = region_def("single_block")
    traits = traits_def(NoTerminator(), NestedEffects())
    assembly_format = "$body attr-dict"

    def __init__(self, body: Region | Block) -> None:
        super().__init__(regions=[Region(body) if isinstance(body, Block) else body])


@op_definition
class BreakOp(Op):
    """`break;`"""

    name = "c.break"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


@op_definition
class IfOp(Op):
    """`if (condition) { then } else { otherwise }`."""

    name = "c.if"

    condition = operand_def()
    then = region_def("single_block")
    otherwise = opt_region_def("single_block")

    traits = traits_def(NoTerminator(), NestedEffects())
    assembly_format = "$condition $then (`else` $otherwise^)? attr-dict `:` type($condition)"

    def __init__(
        self, condition: SSAValue | Operation, then: Region | Block, otherwise: Region | Block | None = None
    ) -> None:
        regions = [Region(part) if isinstance(part, Block) else part for part in (then, otherwise) if part is not None]
        super().__init__(operands=[condition], regions=[regions[0], regions[1:]])


@op_definition
class SwitchOp(Op):
    """`switch (value) { case 0: … break; case 1: … break; default: … break; }`: the last region is the default."""

    name = "c.switch"

    value = operand_def()
    bodies = var_region_def("single_block")

    traits = traits_def(NoTerminator(), NestedEffects())
    assembly_format = "$value $bodies attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation, bodies: Sequence[Block]) -> None:
        super().__init__(operands=[value], regions=[[Region(body) for body in bodies]])

    @property
    def cases(self) -> Sequence[Block]:
        """What is done for 0, 1 and so on."""
        return [region.block for region in self.bodies[:-1]]

    @property
    def otherwise(self) -> Block:
        """What is done for other values."""
        return self.bodies[-1].block

    def verify_(self) -> None:
        if not is_integer(self.value.type):
            raise VerifyException(f"{self.name}: {self.value.type} is no integer")
        if len(self.bodies) < 2:
            raise VerifyException(f"{self.name}: {len(self.bodies)} regions, expected a case and the default")


@op_definition
class ReturnOp(Op):
    """`return value;`"""

    name = "c.return"

    value = opt_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "($value^ `:` type($value))? attr-dict"

    def __init__(self, value: SSAValue | Operation | None = None) -> None:
        super().__init__(operands=[value])


@op_definition
class CommentOp(Op):
    """A comment on lines of its own; any text is safe in it."""

    name = "c.comment"

    text = prop_def(StringAttr)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$text attr-dict"

    def __init__(self, text: str) -> None:
        super().__init__(properties={"text": StringAttr(text)})
