"""The syntax that the computations of the dialect share: domains, operands with accesses, and the `apply` region."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from s2s.dialects.tensor.attributes import AccessAttr


class ParsedEnd(NamedTuple):
    """What `parse_apply` has parsed."""

    apply: Region
    attributes: dict[str, Attribute]
    operands: Sequence[SSAValue]
    results: Sequence[Attribute]


def print_apply(printer: Printer, op: Operation, apply: Region) -> None:
    """Print the end of a computation: its `apply` region, attributes, and the types of operands and results."""
    printer.print_string(" apply ")
    printer.print_region(apply)
    if op.attributes:
        printer.print_string(" attributes")
        printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_operation_type(op)


def parse_apply(parser: Parser, names: Sequence[UnresolvedOperand]) -> ParsedEnd:
    """Parse what `print_apply` prints; resolve the operands `names`."""
    parser.parse_keyword("apply")
    apply = parser.parse_region()
    attributes = parser.parse_optional_attr_dict() if parser.parse_optional_keyword("attributes") else {}
    parser.parse_punctuation(":")
    position = parser.pos
    signature = parser.parse_function_type()
    operands = parser.resolve_operands(names, signature.inputs.data, position)
    return ParsedEnd(apply, attributes, operands, signature.outputs.data)


def print_operands(printer: Printer, word: str, values: Sequence[SSAValue], accesses: Sequence[AccessAttr]) -> None:
    """Print `word(%x at #access, …)`; nothing without operands."""
    if not values:
        return

    def one(pair: tuple[SSAValue, AccessAttr]) -> None:
        printer.print_ssa_value(pair[0])
        printer.print_string(" at ")
        printer.print_attribute(pair[1])

    printer.print_string(f" {word}(")
    printer.print_list(list(zip(values, accesses, strict=True)), one)
    printer.print_string(")")


def parse_operands(parser: Parser, word: str) -> list[tuple[UnresolvedOperand, AccessAttr]]:
    """Parse what `print_operands` prints."""
    if not parser.parse_optional_keyword(word):
        return []

    def one() -> tuple[UnresolvedOperand, AccessAttr]:
        name = parser.parse_unresolved_operand()
        parser.parse_keyword("at")
        access = parser.parse_attribute()
        if not isinstance(access, AccessAttr):
            parser.raise_error("expected a #tensor.access")
        return name, access

    return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, one)


def parse_domain(parser: Parser) -> tuple[list[int], list[int]]:
    """Parse `[4, 8 | 3]`: parallel and reduction sizes."""
    parser.parse_punctuation("[")
    parallel, reduction = list[int](), list[int]()
    current = parallel
    while not parser.parse_optional_punctuation("]"):
        if parser.parse_optional_punctuation("|"):
            current = reduction
            continue
        current.append(parser.parse_integer())
        parser.parse_optional_punctuation(",")
    return parallel, reduction
