"""Files of decisions: write the choices of a compilation as JSON, read them, and check them against the subjects of a
compilation.

    {
      "format": 1,
      "generator": {"name": "s2s", "version": "0.1.0"},
      "target": "x86-64-v4",
      "decisions": [
        {"kind": "schedule", "subject": "9f3ac1d20b7e4451", "chosen": "#tensor.schedule<…>", "by": "model",
         "why": "the cheapest dimension", "about": "conv_3x3_relu", "nodes": "conv1, relu1"},
        …
      ]
    }

Reading takes `kind`, `subject` and `chosen`, and `by`; the rest is for people. A file may hold any part of the
decisions. Where one of them is changed, others that follow from it may have no subject any more: those that say
`"by": "model"` or `"by": "record"` are then left to the compiler again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from s2s.decisions.decision import Decision, Table
from s2s.decisions.given import Measured, Modelled
from s2s.decisions.names import KINDS
from s2s.errors import InputError
from s2s.support.files import write_file
from s2s.support.frozen import frozen
from s2s.version import current_version

FORMAT = 1
"""Raised when a field changes its meaning."""
SHOWN = 5
"""Subjects that an error lists."""


@frozen
class Decisions:
    """The decisions of one compilation, in the order of their kinds."""

    target: str
    entries: tuple[Decision, ...]

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def about(self, layer: str) -> tuple[Decision, ...]:
        """Return the decisions about `layer`: a node of the model, a kernel, or a subject."""
        return tuple(each for each in self.entries if each.concerns(layer))

    def as_dict(self) -> dict[str, Any]:
        """Return the content of a file of decisions."""
        return {
            "format": FORMAT,
            "generator": {"name": "s2s", "version": current_version()},
            "target": self.target,
            "decisions": [each.entry() for each in self.entries],
        }

    def write(self, path: str | Path) -> Path:
        """Write a file of decisions."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        return write_file(path, text, f"--write-decisions {path}")


DecisionSource = str | Path | Mapping[str, Any] | Decisions
"""A file of decisions by its path, what such a file holds, or the decisions of another compilation."""


def read_decisions(source: DecisionSource) -> Table:
    """Return the choices in `source` by kind and subject."""
    where = str(source) if isinstance(source, str | Path) else "decisions"
    held = source.as_dict() if isinstance(source, Decisions) else source
    content = _parsed(held) if isinstance(held, str | Path) else held
    if not isinstance(content, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"decisions: {type(content).__name__} given; give a file of decisions, or what such a file holds"
        )
    if content.get("format") != FORMAT or not isinstance(content.get("decisions"), list):
        raise InputError(
            f"{where}: is no file of decisions of format {FORMAT}; s2s compile --write-decisions makes one"
        )
    table: dict[str, dict[str, str]] = {}
    for number, entry in enumerate(cast(Sequence[Any], content["decisions"])):
        kind, subject, chosen = _entry(where, number, entry)
        if table.setdefault(kind, {}).setdefault(subject, chosen) != chosen:
            raise InputError(f"{where}: {kind} of {subject} is decided twice, differently; leave one out")
    return table


def check_known(given: Table, made: Sequence[Decision]) -> None:
    """Refuse choices about subjects that the compilation does not have, unless no user made them and an earlier
    decision differs this time."""
    changed = any(each.by != "model" for each in made)
    known: dict[str, set[str]] = {}
    for each in made:
        known.setdefault(each.kind, set()).add(_plain(each.subject))
    for kind, entries in given.items():
        mine = known.get(kind, set())
        for subject, chosen in entries.items():
            if _plain(subject) not in mine and not (changed and isinstance(chosen, Modelled | Measured)):
                raise InputError(f"--decisions: {kind} of {subject}: {_where_else(subject, sorted(mine))}")


def _plain(subject: str) -> str:
    return subject.partition("#")[0]


def _where_else(subject: str, known: Sequence[str]) -> str:
    if not known:
        return "this compilation decides nothing of this kind; leave the entry out"
    import difflib

    close = difflib.get_close_matches(subject, known, SHOWN, 0.0)
    return (
        "there is no such subject in this compilation; task keys change with the model, the target and the decisions"
        f" before. Leave the entry out, or name one of {', '.join(close)}; s2s inspect --why lists all {len(known)}"
    )


def _parsed(path: str | Path) -> Mapping[str, Any]:
    try:
        content: object = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--decisions {path}: {error.strerror}; give a file of decisions") from error
    except ValueError as error:
        raise InputError(f"--decisions {path}: is no JSON ({error}); give a file of decisions") from error
    return cast(Mapping[str, Any], content) if isinstance(content, dict) else {}


def _entry(where: str, number: int, entry: object) -> tuple[str, str, str]:
    fields = cast(Mapping[str, object], entry if isinstance(entry, Mapping) else {})
    kind, subject, chosen = (fields.get(name) for name in ("kind", "subject", "chosen"))
    if not (isinstance(kind, str) and isinstance(subject, str) and isinstance(chosen, str)):
        raise InputError(f"{where}: decision {number}: is incomplete; give kind, subject and chosen, each a text")
    if kind not in KINDS:
        raise InputError(f"{where}: decision {number}: there is no kind {kind}; the kinds are {', '.join(KINDS)}")
    makers: Mapping[object, type[str]] = {"model": Modelled, "record": Measured}
    return kind, subject, makers.get(fields.get("by"), str)(chosen)
