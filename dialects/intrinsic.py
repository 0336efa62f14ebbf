"""The facts about an intrinsic: what schedules, loop operations and the lowering to C know of an instruction."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, StringAttr, i8, i16
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

FORMS = (
    "dot", "dot_pairs", "dot_points", "dot_taps", "dot_next", "dot_two", "dot_lanes", "dot_rows", "dot_half_rows",
    "dot_window", "dot_group", "dot_strips",
)  # fmt: skip
ELEMENTS = {"i8": i8, "u8": i8, "i16": i16, "i4": i8}
"""The types of factors; `u8` are the bits of an `i8`, read as a number from 0 to 255; `i4` are two numbers in a byte,
the first in its low bits."""


@irdl_attr_definition
class IntrinsicAttr(ParametrizedAttribute):
    """What an instruction computes, and its C function.

        #loop.intrinsic<"smlad", dot(i16, i16) by 4, "s2s_i16x4_dot" in "s2s_dsp.h">

    The form says where the products of a sum come from; there are `group` of them, in 32 bits, and sums wrap around.

        dot        acc + sum over k < group of x[k] * w[k]                  x and w are vectors
        dot_pairs  acc + sum over k < group of x[k] * w[k]                  the same, where `x` and `w` are pairs
        dot_points acc + sum over k < group / 2 of x[k] * w[k]              one half of such pairs
        dot_taps   acc + x[0] * w[0] + x[1] * w[1] + x[2] * w[3]            three taps, where w[1] is w[2]
        dot_next   acc + x[1] * w[0] + x[2] * w[2] + x[3] * w[3]            the same for the next position of x
        dot_two    acc + x[0] * w[0] + x[1] * w[1]                          two of more than three taps
        dot_lanes  acc[c] + sum over k < group of x[c][k] * w[c][k]         lanes of 32 bits hold the bytes of a group
        dot_rows   sum over k < steps of x[k] * w[k / group][c][k % group]  x and w lie in memory
        dot_half_rows
                   sum over k < steps of x[k] * half(w[n / group][c][n % group])   the same with n = k % (steps / 2): a
                                                                    byte holds two constants from 0 to 15, the lower
                                                                    one for the first half of the steps

        dot_window acc + sum over k < group of x[k] * w[k]                  a row of bytes in one register of its own
        dot_group  acc[c] + sum over k < group of x[k] * w[c][k]            the same for each lane
        dot_strips acc + sum over k < group of x[k] * w[k]                  the same of bytes; a strip has several w

    `{lanes}` in the name of the function stands for the number of sums.
    """

    name = "loop.intrinsic"

    entry: StringAttr
    form: StringAttr
    x: StringAttr
    w: StringAttr
    group: IntAttr
    function: StringAttr
    header: StringAttr

    @staticmethod
    def of(entry: str, form: str, x: str, w: str, group: int, function: str, header: str) -> "IntrinsicAttr":
        """The attribute of these facts."""
        return IntrinsicAttr(
            StringAttr(entry),
            StringAttr(form),
            StringAttr(x),
            StringAttr(w),
            IntAttr(group),
            StringAttr(function),
            StringAttr(header),
        )

    @property
    def steps(self) -> int:
        """Steps of a sum in a group."""
        return self.group.data

    @property
    def products(self) -> int:
        """Products that are added to a sum."""
        return {"dot_points": self.steps // 2, "dot_taps": 3, "dot_next": 3}.get(self.form.data, self.steps)

    def function_for(self, lanes: int) -> str:
        """The C function for this many sums."""
        return self.function.data.replace("{lanes}", str(lanes))

    def verify(self) -> None:
        if self.form.data not in FORMS:
            raise VerifyException(f"loop.intrinsic: form {self.form.data} is none of {', '.join(FORMS)}")
        for each in (self.x, self.w):
            if each.data not in ELEMENTS:
                raise VerifyException(f"loop.intrinsic: element {each.data} is none of {', '.join(ELEMENTS)}")
        if self.group.data < 1:
            raise VerifyException(f"loop.intrinsic: a group of {self.group.data} steps")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.entry)
            printer.print_string(f", {self.form.data}({self.x.data}, {self.w.data}) by {self.group.data}, ")
            printer.print_attribute(self.function)
            printer.print_string(" in ")
            printer.print_attribute(self.header)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            entry = parser.parse_str_literal()
            parser.parse_punctuation(",")
            return cls.parse_facts(entry, parser).parameters

    @staticmethod
    def parse_facts(entry: str, parser: AttrParser) -> "IntrinsicAttr":
        """What follows the name."""
        form = parser.parse_identifier()
        parser.parse_punctuation("(")
        x = parser.parse_identifier()
        parser.parse_punctuation(",")
        w = parser.parse_identifier()
        parser.parse_punctuation(")")
        parser.parse_keyword("by")
        group = parser.parse_integer()
        parser.parse_punctuation(",")
        function = parser.parse_str_literal()
        parser.parse_keyword("in")
        header = parser.parse_str_literal()
        return IntrinsicAttr.of(entry, form, x, w, group, function, header)
