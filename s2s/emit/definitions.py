"""Format the macros of a header in columns."""

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A line of a table: a size in the header, a fact in the README."""

    name: str
    value: str
    comment: str = ""


def definitions(macro: str, rows: Sequence[Row]) -> list[str]:
    """Format `#define NET_ARENA_SIZE 64u /* bytes */` for each row, with names, values and comments aligned."""
    name = max((len(row.name) for row in rows), default=0)
    value = max((len(row.value) for row in rows), default=0)
    lines = [f"#define {macro}_{row.name:<{name}} {row.value:<{value}}" for row in rows]
    return [
        f"{line} /* {row.comment} */" if row.comment else line.rstrip() for line, row in zip(lines, rows, strict=True)
    ]
