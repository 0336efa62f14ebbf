"""Lines of logs under AutoTVM's names: `encode`, `decode`, `load_from_file`, `pick_best`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from s2s.errors import InputError
from s2s.tuning.autotvm_log import as_log_line
from s2s.tuning.records import MeasuredRecord, best_records, record_of
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.knobs import OtherOptionEntity
from s2s.tvm.autotvm.log import measured_records
from s2s.tvm.autotvm.measure_pair import LoggedTask, MeasureInput, MeasureResult, result_of
from s2s.tvm.autotvm.template import CONFIG

PROTOCOL = "json"


def encode(inp: MeasureInput, result: MeasureResult, protocol: str = PROTOCOL) -> str:
    """Return a measurement as a line of a log, without its end."""
    _check(protocol)
    return as_log_line(result.record).rstrip("\n")


def decode(row: str, protocol: str = PROTOCOL) -> tuple[MeasureInput, MeasureResult] | None:
    """Return the measurement that a line keeps; None for comments and lines of tasks that s2s does not have."""
    _check(protocol)
    if not row.strip() or row.startswith("#"):
        return None
    fields = cast("dict[str, Any]", json.loads(row))
    return pair_of(record_of("a line of a log", 1, fields["s2s"])) if "s2s" in fields else None


def load_from_file(filename: str | Path) -> Iterator[tuple[MeasureInput, MeasureResult]]:
    """Read the measurements of a log or of a file of records."""
    yield from map(pair_of, measured_records(filename))


def pick_best(in_file: str | Path, out_file: str | Path) -> None:
    """Write the best measurement of each task of a log into another one."""
    best = best_records(measured_records(in_file))
    try:
        Path(out_file).write_text("".join(map(as_log_line, best)), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out_file}: {error.strerror}; give a file that can be written") from error


def _check(protocol: str) -> None:
    if protocol != PROTOCOL:
        raise InputError(f"autotvm.record: protocol {protocol!r} is not supported; logs are {PROTOCOL}")


def pair_of(record: MeasuredRecord) -> tuple[MeasureInput, MeasureResult]:
    """Return a record as a measurement of AutoTVM."""
    task = LoggedTask(record.kernel, record.arguments, record.task)
    return MeasureInput(record.target, task, _config(record)), result_of(record)


def _config(record: MeasuredRecord) -> ConfigEntity:
    for kind, _, chosen in record.decisions:
        if kind == CONFIG:
            return ConfigEntity.from_json_dict(json.loads(chosen))
    return ConfigEntity(0, {f"{kind} {subject}": OtherOptionEntity(text) for kind, subject, text in record.decisions})
