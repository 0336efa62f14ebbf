"""Records of measurements: files of JSON lines that a tuner writes and a compilation takes its choices from.

A line is one measurement of one task with the decisions that were measured:

    {"format": 1, "task": "9f3ac1d20b7e4451", "target": "host", "unit": "seconds", "cost": 1.25e-05,
     "decisions": [{"kind": "schedule", "subject": "9f3ac1d20b7e4451", "chosen": "#tensor.schedule<…>"}], …}

`task` is a task key (`s2s/decisions/keys.py`), whose hash covers the data of the target and the version of the
lowering: a record for another core concerns no task, and is ignored. One of another `lowering` is left out with a
warning, as nobody knows whether its decisions are still legal and what they cost; `s2s records verify` finds out.
`decisions` are entries as a file of decisions has them; a task that a decision splits into several kernels, by
Winograd's algorithm for one, has an entry for each. `cost` is smaller for better; it is null where the measurement
failed. Other fields (compiler, flags, error, time, …) belong to the tuner and are not read here.

    records = read_records("records.jsonl")
    choices_of(records, "host")                  {"schedule": {"9f3ac1d20b7e4451": "#tensor.schedule<…>"}}

Of several records of a task, the cheapest one counts, compared in the unit of the last one; of several of the same
decisions, the last one. The chooser takes what the
user has given before what a record says, and a record before its own estimate (`by: record`); a choice that is not
legal is ignored.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from s2s.decisions.decision import Table
from s2s.decisions.keys import LOWERING
from s2s.errors import InputError

FORMAT = 1
"""Raised when a field changes its meaning."""
SHIPPED = Path(__file__).parent.parent / "records"
"""The folder of the records that the compiler ships with, `<target>.jsonl` each."""


class Record(NamedTuple):
    """One measurement of one task."""

    task: str
    target: str
    """The name of the target that it was measured on."""
    decisions: tuple[tuple[str, str, str], ...]
    """Kind, subject and choice of each decision that was measured."""
    cost: float | None
    """None where the measurement failed."""
    unit: str = "seconds"
    lowering: int = LOWERING
    """The version of the lowering that it was measured with."""


RecordSource = str | Path | Sequence[Mapping[str, Any]] | Sequence[Record]
"""A file of records by its path, the lines of one as JSON has them, or records."""


def read_records(source: RecordSource) -> tuple[Record, ...]:
    """Read the records of a file; ignore an incomplete last line, which a killed tuner leaves.

    Records of another version of the lowering are left out, with a warning of the logger `s2s`.
    """
    if isinstance(source, str | Path):
        return _of_this_lowering(str(source), tuple(_lines(Path(source))))
    if not isinstance(source, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"records: {type(source).__name__} given; give a file of records, or the lines of one")
    entries = enumerate(source, 1)
    read = tuple(each if isinstance(each, Record) else _record("records", number, each) for number, each in entries)
    return _of_this_lowering("records", read)


def _of_this_lowering(where: str, records: tuple[Record, ...]) -> tuple[Record, ...]:
    """Return the records without the ones of other versions of the lowering; warn of these."""
    kept = tuple(each for each in records if each.lowering == LOWERING)
    if len(kept) < len(records):
        versions = ", ".join(sorted({str(each.lowering) for each in records if each.lowering != LOWERING}))
        import logging

        logging.getLogger("s2s").warning(
            "%s: %d of %d records are of version %s of the lowering, this is version %d; they are left out; check them"
            " with s2s records verify",
            where,
            len(records) - len(kept),
            len(records),
            versions,
            LOWERING,
        )
    return kept


def choices_of(records: Iterable[Record], target: str) -> Table:
    """Return the choices of the best record of each task for the target named `target`, by kind and subject."""
    latest: dict[tuple[object, ...], Record] = {}
    for each in records:
        key = (each.task, each.target, each.unit, each.decisions)
        latest.pop(key, None)
        latest[key] = each
    best: dict[str, Record] = {}
    for each in latest.values():
        if each.cost is None or each.target != target:
            continue
        before = best.get(each.task)
        if before is None or before.unit != each.unit or before.cost is None or each.cost < before.cost:
            best[each.task] = each
    table: dict[str, dict[str, str]] = {}
    for each in best.values():
        for kind, subject, chosen in each.decisions:
            table.setdefault(kind, {}).setdefault(subject, chosen)
    return table


@lru_cache(maxsize=8)
def shipped_records(target: str) -> tuple[Record, ...]:
    """The records that the compiler ships with for the target named `target`."""
    path = SHIPPED / f"{target}.jsonl"
    return read_records(path) if path.is_file() else ()


def entries_of(where: str, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line numbers and objects of a file of records, without a last line that is the beginning of one."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines) and not text.endswith("\n") and line.startswith("{"):
                return
            raise InputError(f"{where}: line {number} is no JSON ({error}); leave the line out") from error
        yield number, _fields(where, number, entry)


def _lines(path: Path) -> Iterator[Record]:
    where = f"--records {path}"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(f"{where}: {reason}; give a file of records, as s2s tune writes them") from error
    for number, fields in entries_of(where, text):
        yield _record(where, number, fields)


def _fields(where: str, number: int, entry: object) -> Mapping[str, Any]:
    fields = cast(Mapping[str, Any], entry if isinstance(entry, Mapping) else {})
    if fields.get("format") != FORMAT:
        raise InputError(f"{where}: line {number} is no record of format {FORMAT}; leave the line out")
    return fields


def _record(where: str, number: int, entry: object) -> Record:
    fields = _fields(where, number, entry)
    task, target, unit, cost = (fields.get(name) for name in ("task", "target", "unit", "cost"))
    made = fields.get("decisions")
    if not (isinstance(task, str) and isinstance(target, str) and isinstance(unit, str) and isinstance(made, list)):
        raise InputError(
            f"{where}: line {number}: is no record; give task, target and unit, each a text, and a list of decisions"
        )
    if isinstance(cost, bool) or not (cost is None or (isinstance(cost, int | float) and math.isfinite(cost))):
        raise InputError(f"{where}: line {number}: cost is no number; give one, or null where the measurement failed")
    lowering = fields.get("lowering", LOWERING)
    if not isinstance(lowering, int):
        raise InputError(f"{where}: line {number}: lowering is no whole number; give one, or leave it out")
    decisions = tuple(_decision(where, number, each) for each in cast(Sequence[object], made))
    return Record(task, target, decisions, cost, unit, lowering)


def _decision(where: str, number: int, entry: object) -> tuple[str, str, str]:
    fields = cast(Mapping[str, object], entry if isinstance(entry, Mapping) else {})
    kind, subject, chosen = (fields.get(name) for name in ("kind", "subject", "chosen"))
    if not (isinstance(kind, str) and isinstance(subject, str) and isinstance(chosen, str)):
        raise InputError(
            f"{where}: line {number}: a decision is incomplete; give kind, subject and chosen of each, each a text"
        )
    return kind, subject, chosen
