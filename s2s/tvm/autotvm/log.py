"""Reading logs: records of tasks, and lines of TVM itself whose templates this program has.

Lines of tasks that are no more are counted and told by the logger `autotvm`, and reading goes on.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOBase
from os import PathLike
from pathlib import Path
from typing import Any, TextIO, cast

from s2s.decisions.keys import LOWERING
from s2s.errors import InputError
from s2s.tuning.autotvm_log import is_log, read_log, records_of_lines
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.records import MeasuredRecord, read_measured
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.env import GLOBAL_SCOPE
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, record_of_pair
from s2s.tvm.autotvm.template import CONFIG, TEMPLATES, template_key
from s2s.tvm.target import resolve

logger = logging.getLogger("autotvm")


Log = str | PathLike[str] | TextIO | Iterable[Any]
"""A log or a file of records by its path or open, measurements, or several of these."""


def measured_records(source: Log) -> list[MeasuredRecord]:
    """Return the records of a log, a file of records, or measurements."""
    if isinstance(source, TextIOBase):
        return _of_lines("a log", *records_of_lines("a log", source.read().splitlines()))
    if not isinstance(source, str | PathLike):
        return [record for item in cast("Iterable[Any]", source) for record in _of_item(item)]
    path = Path(source)
    return _of_lines(path, *read_log(path)) if is_log(path) else _living(path, read_measured(path))


def _of_item(item: Any) -> list[MeasuredRecord]:
    """The records of a measurement, or of another source."""
    if isinstance(item, tuple) and item and isinstance(item[0], MeasureInput):
        record = record_of_pair(*cast("tuple[MeasureInput, MeasureResult]", item))
        return [] if record is None else [record]
    return measured_records(cast("Log", item))


def _of_lines(
    source: str | Path, found: Sequence[MeasuredRecord], foreign: Sequence[Mapping[str, Any]]
) -> list[MeasuredRecord]:
    """The records of a log whose tasks this program has."""
    ours = [record for line in foreign if (record := _of_template(line)) is not None]
    _tell(source, len(foreign) - len(ours), "are of tasks that this program does not have")
    return [*_living(source, found), *ours]


def _living(source: str | Path, records: Sequence[MeasuredRecord]) -> list[MeasuredRecord]:
    """The records without the ones of lowerings and templates that are no more."""
    living = [each for each in records if each.lowering == LOWERING]
    _tell(source, len(records) - len(living), "were measured with another version of the compiler")
    known = [each for each in living if each.kernel in TEMPLATES or not _is_of_template(each)]
    _tell(source, len(living) - len(known), "are of templates that this program does not have")
    return known


def _is_of_template(record: MeasuredRecord) -> bool:
    return any(kind == CONFIG for kind, _, _ in record.decisions)


def _tell(source: str | Path, count: int, fact: str) -> None:
    if count and not GLOBAL_SCOPE.silent:
        logger.warning("%s: %d lines %s; they are left out", source, count, fact)


def _of_template(line: Mapping[str, Any]) -> MeasuredRecord | None:
    """The record of a line of TVM itself, where its template is known here."""
    try:
        target, name, args, _ = line["input"]
        costs, error, seconds, timestamp = line["result"]
        if name not in TEMPLATES:
            return None
        data = resolve(target)
        key = template_key(name, args, data)
        text = ConfigEntity.from_json_dict(line["config"]).text
    except (KeyError, TypeError, ValueError, InputError):
        return None
    return MeasuredRecord(
        task=key,
        target=data.name,
        decisions=((CONFIG, key, text),),
        cost=None if error else sum(costs) / len(costs),
        unit="seconds",
        error=ErrorKind(error),
        kernel=name,
        arguments=tuple(args),
        seconds=seconds,
        timestamp=timestamp,
    )
