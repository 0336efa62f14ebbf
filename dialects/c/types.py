"""Types of C that `builtin` does not have: pointers, arrays, named types, lvalues.

Scalars are builtin types: `f32` is `float`, `i32` is `int32_t`, `ui8` is `uint8_t`, `i1` is `bool`, `index` is the
integer type that counts elements. Vectors are builtin vectors of rank 1.
"""

from functools import lru_cache

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@lru_cache(maxsize=4096)
def spelled(text: str) -> StringAttr:
    """The attribute of an operator or a name that many operations share."""
    return StringAttr(text)


def _parse_flags(parser: AttrParser, allowed: tuple[str, ...]) -> dict[str, BoolAttr]:
    """Parse `, const, restrict` after a type; a flag that is not there is false."""
    found: set[str] = set()
    while parser.parse_optional_punctuation(",") is not None:
        found.add(
            parser.expect(lambda: parser.parse_optional_keyword_in(allowed), f"expected one of {', '.join(allowed)}")
        )
    return {flag: _flag(flag in found) for flag in allowed}


def _print_flags(printer: Printer, **flags: BoolAttr) -> None:
    for name, flag in flags.items():
        if flag.value.data:
            printer.print_string(f", {name}")


_FLAGS = IntegerAttr.from_bool(False), IntegerAttr.from_bool(True)


def _flag(value: bool) -> BoolAttr:
    return _FLAGS[value]


@irdl_attr_definition
class PtrType(ParametrizedAttribute, TypeAttribute):
    """A pointer: `!c.ptr<f32, const, restrict>` is `const float *restrict`; `const` is about the pointee."""

    name = "c.ptr"

    element: TypeAttribute
    const: BoolAttr
    restrict: BoolAttr

    def __init__(self, element: Attribute, *, const: bool = False, restrict: bool = False) -> None:
        super().__init__(element, _flag(const), _flag(restrict))

    @property
    def is_const(self) -> bool:
        """Nothing is written through the pointer."""
        return bool(self.const.value.data)

    @property
    def is_restrict(self) -> bool:
        """What is reached through the pointer is reached through no other."""
        return bool(self.restrict.value.data)

    def without_restrict(self) -> "PtrType":
        """The same pointer with no promise about others: the type of an expression made from it."""
        return PtrType(self.element, const=self.is_const) if self.is_restrict else self

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            element = parser.parse_type()
            flags = _parse_flags(parser, ("const", "restrict"))
        return [element, flags["const"], flags["restrict"]]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)
            _print_flags(printer, const=self.const, restrict=self.restrict)


@irdl_attr_definition
class ArrayType(ParametrizedAttribute, TypeAttribute):
    """An array object: `!c.array<64 x ui32>` declares `uint32_t name[64]`; an array of arrays has more brackets."""

    name = "c.array"

    length: IntegerAttr
    element: TypeAttribute

    def __init__(self, length: int, element: Attribute) -> None:
        super().__init__(IntegerAttr(length, i64), element)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.length.value.data

    def verify(self) -> None:
        if self.size < 1:
            raise VerifyException(f"{self.name}: {self.size} elements; C has no arrays without elements")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            length = parser.parse_integer(allow_boolean=False)
            parser.parse_keyword("x")
            return [IntegerAttr(length, i64), parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.size} x ")
            printer.print_attribute(self.element)


@irdl_attr_definition
class NamedType(ParametrizedAttribute, TypeAttribute):
    """A type known by its name, from a header: `!c.named<"s2s_status">`. `void` is one too."""

    name = "c.named"

    spelling: StringAttr

    def __init__(self, spelling: str) -> None:
        super().__init__(StringAttr(spelling))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.spelling.data)


@irdl_attr_definition
class LValueType(ParametrizedAttribute, TypeAttribute):
    """An expression that designates an object: what `c.load` reads and `c.assign` writes."""

    name = "c.lvalue"

    element: TypeAttribute
    const: BoolAttr

    def __init__(self, element: Attribute, *, const: bool = False) -> None:
        super().__init__(element, _flag(const))

    @property
    def is_const(self) -> bool:
        """The object is not written through this expression."""
        return bool(self.const.value.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type(), _parse_flags(parser, ("const",))["const"]]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)
            _print_flags(printer, const=self.const)


VOID = NamedType("void")
STATUS = NamedType("s2s_status")
