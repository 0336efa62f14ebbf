"""Records as lines of AutoTVM's log, and back.

    {"input": ["cortex-m4", "conv_10x4_s2", [], {}],
     "config": {"index": 0, "code_hash": null, "entity": [["schedule 9f3ac1…", "ot", "#tensor.schedule<…>"]]},
     "result": [[536701.0], 0, 1.1, 1763800000.0], "version": 0.2, "tvm_version": "s2s 0.1.0",
     "s2s": {"task": "9f3ac1d20b7e4451", "unit": "instructions", …}}

TVM's own tools read the first five fields. The last one keeps what AutoTVM has no place for, so that converting there
and back changes nothing. A line without it, of TVM itself, has no task of ours: it is counted and left out.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from s2s.errors import InputError
from s2s.tuning.records import MeasuredRecord, record_of

LOG_VERSION = 0.2
FAILED = 1e9
"""The cost that AutoTVM writes for a measurement that failed."""


def as_log_line(record: MeasuredRecord) -> str:
    """Return a record as a line of AutoTVM's log."""
    cost = FAILED if record.cost is None else record.cost
    entry: dict[str, Any] = {
        "input": [record.target, record.kernel, list(record.arguments), {}],
        "config": _config(record),
        "result": [[cost], int(record.error), record.seconds, record.timestamp],
        "version": LOG_VERSION,
        "tvm_version": f"s2s {record.version}",
        "s2s": record.as_dict(),
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


Line = Mapping[str, Any]


def _config(record: MeasuredRecord) -> Mapping[str, Any]:
    """The configuration: a template's as its decision has it, the decisions about a kernel as knobs."""
    if [kind for kind, _, _ in record.decisions] == ["config"]:
        return cast("Mapping[str, Any]", json.loads(record.decisions[0][2]))
    entity = [[f"{kind} {subject}", "ot", chosen] for kind, subject, chosen in record.decisions]
    return {"index": 0, "code_hash": None, "entity": entity}


def read_log(path: str | Path) -> tuple[tuple[MeasuredRecord, ...], tuple[Line, ...]]:
    """Read a log: its records, and the lines that have no task of ours."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a log of AutoTVM") from error
    return records_of_lines(str(path), lines)


def records_of_lines(where: str, lines: Sequence[str]) -> tuple[tuple[MeasuredRecord, ...], tuple[Line, ...]]:
    """Read lines of a log: its records, and the lines that have no task of ours; `where` names the log in errors."""
    found: list[MeasuredRecord] = []
    foreign: list[Line] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            entry = cast(dict[str, Any], json.loads(line))
        except ValueError as error:
            raise InputError(f"{where}: line {number} is no JSON ({error}); leave the line out") from error
        if "s2s" in entry:
            found.append(record_of(where, number, entry["s2s"]))
        else:
            foreign.append(entry)
    return tuple(found), tuple(foreign)


def is_log(path: str | Path) -> bool:
    """Whether a file looks like a log of AutoTVM."""
    try:
        lines: Iterable[str] = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a file of records") from error
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return first.startswith('{"input"') or '"tvm_version"' in first
