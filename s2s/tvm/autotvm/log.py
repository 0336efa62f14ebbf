"""Reading logs: records of tasks, and lines of TVM itself whose templates this program has.

Lines of tasks that are no more are counted and told by the logger `autotvm`, and reading goes on.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.decisions.keys import LOWERING
from s2s.errors import InputError
from s2s.tuning.autotvm_log import is_log, read_log
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.records import MeasuredRecord, read_measured
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.template import CONFIG, TEMPLATES, template_key
from s2s.tvm.target import resolve

logger = logging.getLogger("autotvm")


def measured_records(source: str | Path | Iterable[tuple[MeasureInput, MeasureResult]]) -> list[MeasuredRecord]:
    """Return the records of a log, a file of records, or measurements."""
    if not isinstance(source, str | Path):
        return [result.record for _, result in source]
    if not is_log(source):
        return _living(source, read_measured(source))
    found, foreign = read_log(source)
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
    if count:
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
