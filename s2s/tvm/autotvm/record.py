"""Lines of logs under AutoTVM's names: `encode`, `decode`, `load_from_file`, `pick_best`."""

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, cast

from s2s.errors import InputError, UnsupportedError
from s2s.tuning.autotvm_log import LOG_VERSION, as_log_line, is_log
from s2s.tuning.records import best_records, record_of
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.dispatcher import ApplyHistoryBest
from s2s.tvm.autotvm.log import measured_records
from s2s.tvm.autotvm.measure_pair import LoggedTask, MeasureInput, MeasureResult, pair_of
from s2s.tvm.target import Target
from s2s.version import current_version

PROTOCOL = "json"


def measure_str_key(inp: MeasureInput, include_config: bool = True) -> str:
    """Return a text that names what was measured: target, task, arguments, and the configuration."""
    return f"{inp.target}{inp.task.name}{inp.task.args}{inp.config if include_config else ''}"


def encode(inp: MeasureInput, result: MeasureResult, protocol: str = PROTOCOL) -> str:
    """Return a measurement as a line of a log, without its end."""
    _check(protocol)
    if result.record is not None:
        return as_log_line(result.record).rstrip("\n")
    fields: dict[str, Any] = {
        "input": [str(inp.target), inp.task.name, list(inp.task.args), {}],
        "config": inp.config.to_json_dict(),
        "result": [list(result.costs), int(result.error_no), result.all_cost, result.timestamp],
        "version": LOG_VERSION,
        "tvm_version": f"s2s {current_version()}",
    }
    return json.dumps(fields, ensure_ascii=False)


def decode(row: str, protocol: str = PROTOCOL) -> tuple[MeasureInput, MeasureResult] | None:
    """Return the measurement that a line keeps; None for comments and lines without a task."""
    _check(protocol)
    if not row.strip() or row.startswith("#"):
        return None
    fields = cast("dict[str, Any]", json.loads(row))
    if "s2s" in fields:
        return pair_of(record_of("a line of a log", 1, fields["s2s"]))
    try:
        target, name, args, _ = fields["input"]
        costs, error, seconds, timestamp = fields["result"]
        config = ConfigEntity.from_json_dict(fields["config"])
        described = Target(str(target))
    except (KeyError, TypeError, ValueError, InputError):
        return None
    task = LoggedTask(str(name), tuple(args), "")
    result = MeasureResult(tuple(costs), int(error), float(seconds), float(timestamp))
    return MeasureInput(described, task, config), result


def load_from_file(filepath: str | PathLike[str]) -> Iterator[tuple[MeasureInput, MeasureResult]]:
    """Read the measurements of a log or of a file of records; lines of a program's own have no record."""
    path = Path(filepath)
    if not is_log(path):
        yield from map(pair_of, measured_records(path))
        return
    yield from load_from_buffer(path.read_text(encoding="utf-8").splitlines())


def load_from_buffer(file: Iterable[str]) -> Iterator[tuple[MeasureInput, MeasureResult]]:
    """Read measurements from the lines of a log, such as an open file."""
    for line in file:
        pair = decode(line.rstrip("\n"))
        if pair is not None:
            yield pair


def split_workload(in_file: str | Path, clean: bool = True) -> None:
    """Write the measurements of each task of a log into a file of its own: `kws.log.000.wkl`, `kws.log.001.wkl`, ….

    With `clean` of several measurements of one configuration the first one alone.
    """
    tasks: dict[str, dict[str, str]] = {}
    for number, (inp, result) in enumerate(load_from_file(in_file)):
        lines = tasks.setdefault(measure_str_key(inp, False), {})
        lines.setdefault(measure_str_key(inp) if clean else str(number), encode(inp, result) + "\n")
    for number, lines in enumerate(tasks.values()):
        _write(Path(f"{in_file}.{number:03d}.wkl"), "".join(lines.values()))


def pick_best(in_file: str | Path, out_file: str | Path) -> None:
    """Write the best measurement of each task of a log into another one."""
    best = best_records(measured_records(in_file))
    _write(Path(out_file), "".join(map(as_log_line, best)))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a file that can be written") from error


def _check(protocol: str) -> None:
    if protocol != PROTOCOL:
        raise UnsupportedError(
            f"autotvm.record: protocol {protocol!r} is not supported, as reading a pickle runs what it holds; logs are "
            f"{PROTOCOL}"
        )


__all__ = [
    "ApplyHistoryBest",
    "MeasureInput",
    "MeasureResult",
    "decode",
    "encode",
    "load_from_buffer",
    "load_from_file",
    "measure_str_key",
    "pick_best",
    "split_workload",
]
