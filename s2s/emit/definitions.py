"""Format the macros of a header in columns."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_COLUMNS = 116


class Row(NamedTuple):
    """A line of a table: a size in the header, a fact in the README."""

    name: str
    value: str
    comment: str = ""


class SizeField(NamedTuple):
    """A field of the structure with the sizes of a run: its name, and the values that it may have."""

    name: str
    least: int
    most: int
    step: int

    def rows(self) -> list[Row]:
        """Return the macros of these values."""
        ends = [Row("MIN", str(self.least)), Row("MAX", str(self.most))]
        if self.step == 1:
            return ends
        values = "a multiple" if self.least % self.step == 0 else f"{self.least}, {self.least + self.step}, ..."
        return [*ends, Row("STEP", str(self.step), f"{self.name} is {values}")]


def definitions(macro: str, rows: Sequence[Row]) -> list[str]:
    """Format `#define NET_ARENA_SIZE 64u /* bytes */` for each row, with names, values and comments aligned."""
    name = max((len(row.name) for row in rows), default=0)
    value = max((len(row.value) for row in rows), default=0)
    lines = [f"#define {macro}_{row.name:<{name}} {row.value:<{value}}" for row in rows]
    return [
        f"{line} /* {row.comment} */" if row.comment else line.rstrip() for line, row in zip(lines, rows, strict=True)
    ]


def initializer(macro: str, items: Iterable[str]) -> list[str]:
    """Format a macro that initialises an array: `#define NET_TEXTS {"a", "b"}`, over lines of at most 120 columns."""
    lines = [f"#define {macro} {{"]
    for number, item in enumerate(items):
        added = f", {item}" if number else item
        if len(lines[-1]) + len(added) > _COLUMNS:
            lines[-1] += ", \\" if number else " \\"
            lines.append(f"    {item}")
        else:
            lines[-1] += added
    return [*lines[:-1], lines[-1] + "}"]
