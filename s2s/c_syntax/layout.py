"""Break long lines of C.

An expression is a tree of groups. A group that fits stays on one line; one that does not is filled item by item,
further lines aligned behind its opening, as a careful person breaks a long call:

    const float sum = x0 * kernel[0] + x1 * kernel[1] + x2 * kernel[2]
                      + x3 * kernel[3];
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH = 110
"""Columns of a line of emitted C."""

_DEEPEST_ALIGNMENT = 60
_HANGING_INDENT = 8
_VALUE_INDENT = 4


@dataclass(slots=True)
class Breakable:
    """`head item item … tail`, with a space between items: breaks are allowed there and nowhere else."""

    head: str
    items: tuple["Breakable | str", ...]
    tail: str = ""
    flat: str = field(init=False)
    """The group on one line."""

    def __post_init__(self) -> None:
        items = [item if isinstance(item, str) else item.flat for item in self.items]
        self.flat = f"{self.head}{' '.join(items)}{self.tail}"


Text = Breakable | str


def flat(text: Text) -> str:
    """`text` on one line."""
    return text if isinstance(text, str) else text.flat


def call(head: str, arguments: Sequence[Text], tail: str = ")") -> Text:
    """`head(argument, argument)`, with `head` holding the opening and `tail` the closing bracket."""
    if not arguments:
        return head + tail
    commas = [Breakable("", (argument,), ",") for argument in arguments[:-1]]
    return Breakable(head, (*commas, arguments[-1]), tail)


def lay_out(text: Text, indent: int, width: int = WIDTH) -> list[str]:
    """The lines of a statement that begins in column `indent`."""
    lines = _fill(text, indent, indent + _HANGING_INDENT, width, 0)
    return [" " * indent + lines[0], *lines[1:]]


def lay_out_assignment(target: str, value: Text, indent: int, width: int = WIDTH) -> list[str]:
    """`target = value;`, where `target` ends in the operator; a value that needs a line of its own gets it whole."""
    room = width - indent - len(";")
    if len(target) + 1 + len(flat(value)) > room and _VALUE_INDENT + len(flat(value)) <= room:
        return [" " * indent + target, " " * (indent + _VALUE_INDENT) + flat(value) + ";"]
    return lay_out(Breakable(f"{target} ", (value,), ";"), indent, width)


def _fill(text: Text, column: int, hanging: int, width: int, reserved: int) -> list[str]:
    """The lines of `text` begun in `column`; `reserved` columns follow its end on the last line.

    The first line comes without its indentation, the others with theirs.
    """
    if isinstance(text, str) or column + len(text.flat) + reserved <= width:
        return [flat(text)]
    aligned = column + len(text.head)
    if aligned > _DEEPEST_ALIGNMENT or aligned + max(len(flat(item)) for item in text.items) > width:
        aligned = hanging
    lines, at = [text.head], column + len(text.head)
    for number, item in enumerate(text.items):
        last = number == len(text.items) - 1
        after = reserved + len(text.tail) if last else 0
        space = 1 if number else 0
        if number and at + space + len(flat(item)) + after > width:
            lines.append(" " * aligned)
            at, space = aligned, 0
        pieces = _fill(item, at + space, hanging, width, after)
        lines[-1] += " " * space + pieces[0]
        lines += pieces[1:]
        at = at + space + len(pieces[0]) if len(pieces) == 1 else len(pieces[-1])
    lines[-1] += text.tail
    return [line.rstrip() for line in lines[:-1]] + lines[-1:]
