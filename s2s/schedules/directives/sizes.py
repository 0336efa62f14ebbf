"""Sizes along dimensions, as several directives write them: `1 by 2, 3 by 56 by 7`."""

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntAttr
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects import tensor
from s2s.dialects.tensor import ScheduleState
from s2s.dialects.tensor.directive import Scheduled, check_dims

Sizes = ArrayAttr[DenseArrayBase[I64]]
"""Rows of a dimension and its sizes, outermost first."""


def sizes_attribute(rows: Iterable[Sequence[int]]) -> Sizes:
    """Return `rows` as an attribute."""
    return ArrayAttr([tensor.integers(row) for row in rows])


def rows_of(sizes: Sizes) -> list[tuple[int, ...]]:
    """Return dimension and sizes of each row."""
    return [row.get_values() for row in sizes]


def print_sizes(printer: Printer, sizes: Sizes) -> None:
    """Print rows of dimensions and sizes: `<1 by 2, 3 by 56 by 7>`."""
    printer.print_string(f"<{', '.join(' by '.join(map(str, row)) for row in rows_of(sizes))}>")


def parse_sizes(parser: AttrParser) -> Sizes:
    """Parse what `print_sizes` prints."""
    with parser.in_angle_brackets():
        return sizes_attribute(parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parse_row(parser)))


def parse_row(parser: AttrParser) -> list[int]:
    """Parse a dimension and its sizes: `3 by 56 by 7`."""
    row = [parser.parse_integer()]
    while parser.parse_optional_keyword("by"):
        row.append(parser.parse_integer())
    return row


def parse_pair(parser: AttrParser) -> Sequence[Attribute]:
    """Parse a dimension and a number: `<3 by 16>`."""
    with parser.in_angle_brackets():
        dim = parser.parse_integer()
        parser.parse_keyword("by")
        return [IntAttr(dim), IntAttr(parser.parse_integer())]


MAX_COPIES = 4096
"""Copies of the scalar body that tiles and unrolling may write out."""


def check_copies(op: Scheduled, state: ScheduleState) -> None:
    """Refuse register tiles and unrolled steps that write the scalar body out too many times."""
    copies = prod(state.tile(range(len(op.sizes))))
    if copies > MAX_COPIES:
        raise VerifyException(
            f"{op.name}: the register tile {state.tile(range(len(op.sizes)))} of {list(op.sizes)} writes its body out "
            f"{copies} times; tile and unroll to {MAX_COPIES} at most"
        )


def check_sizes(what: str, sizes: Sizes, op: Scheduled, *, parallel: bool = False) -> None:
    """Refuse sizes of dimensions that `op` does not have, and sizes below one."""
    rows = rows_of(sizes)
    check_dims(what, [row[0] for row in rows], op, parallel=parallel)
    for dim, *values in rows:
        if not values or min(values) < 1:
            raise VerifyException(f"{op.name}: {what} gives dimension {dim} the sizes {values}; give positive ones")
