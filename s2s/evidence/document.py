"""A document of an evidence pack: a title, facts, tables, and files that go with it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field

from s2s.support.frozen import frozen

Cell = str | int
LEFT_OUT = "it was left out of this pack; s2s compile --evidence has it"


@frozen
class Table:
    """A table of a document; each row has one cell for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """A sentence above the table."""


@frozen
class Document:
    """One subject of an evidence pack, as a page and as JSON."""

    name: str
    """The stem of its files."""
    title: str
    summary: str
    """The result in one line, for the index."""
    about: tuple[str, ...] = ()
    """Paragraphs on the method and its limits."""
    tables: tuple[Table, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further files by their names, with their texts."""
    holds: bool = True
    """Whether what the document is about was measured, and nothing wrong was found."""

    def to_json(self) -> str:
        """The document without its further files; equal documents have equal bytes."""
        content = {name: value for name, value in asdict(self).items() if name != "files"}
        return json.dumps({**content, "files": sorted(self.files)}, indent=1) + "\n"


def not_measured(name: str, title: str, reason: str, about: Sequence[str] = ()) -> Document:
    """A document whose subject was not measured; `reason` says why, and how it would be."""
    return Document(name, title, f"not measured, because {reason}", tuple(about), holds=False)
