"""Records of measurements: JSON lines, appended by one writer at a time.

    {"format": 1, "task": "9f3ac1d20b7e4451", "target": "cortex-m4", "unit": "instructions", "cost": 536701,
     "decisions": [{"kind": "schedule", "subject": "9f3ac1d20b7e4451", "chosen": "#tensor.schedule<…>"}],
     "error": 0, "costs": {"instructions": 536701, "bytes of flash": 4928, …}, "place": "qemu:m4",
     "compiler": "gcc 12.2.1", "flags": ["-O3", …], "version": "0.1.0", "lowering": 1, "kernel": "conv_10x4", …}

A compilation reads the first six fields (`s2s/decisions/records.py`); the rest tells how the numbers came about. A
measurement that failed has the cost null and a number of AutoTVM's list of errors. A line that was not finished,
because its writer was killed, is dropped by readers, and cut off by the next writer.
"""

import fcntl
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from s2s.decisions.keys import LOWERING
from s2s.decisions.records import FORMAT, entries_of
from s2s.errors import InputError
from s2s.support.files import write_file
from s2s.support.frozen import frozen
from s2s.tuning.measurement import ErrorKind
from s2s.version import current_version

NETWORK = "network"
"""What records call the task of a whole network, instead of the name of a kernel."""
Decided = tuple[tuple[str, str, str], ...]
"""Kind, subject and choice of decisions."""


@frozen
class MeasuredRecord:
    """One measurement of one task."""

    task: str
    target: str
    decisions: Decided
    cost: float | None
    unit: str
    error: ErrorKind = ErrorKind.NO_ERROR
    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    """All that was measured, by unit."""
    place: str = ""
    """Where it was measured: `host`, `qemu:m4`."""
    compiler: str = ""
    flags: tuple[str, ...] = ()
    kernel: str = ""
    nodes: str = ""
    calls: int = 1
    """How often one run of the network that was tuned calls the kernel."""
    arguments: tuple[object, ...] = ()
    """Arguments that a template of `s2s.tvm.autotvm` was called with."""
    message: str = ""
    noise: float = 0.0
    seconds: float = 0.0
    """How long building and measuring took."""
    timestamp: float = 0.0
    version: str = field(default_factory=current_version)
    lowering: int = LOWERING
    code: str = ""
    """A hash of the C that was measured."""
    confirms: bool = False
    """Whether decisions that seemed good were measured again, for longer."""

    @property
    def subject(self) -> tuple[str, str, str]:
        """What records are compared within: task, target and unit."""
        return self.task, self.target, self.unit

    def as_dict(self) -> dict[str, Any]:
        """The fields of a line."""
        listed = [{"kind": kind, "subject": subject, "chosen": chosen} for kind, subject, chosen in self.decisions]
        head = {"format": FORMAT, "task": self.task, "target": self.target, "unit": self.unit, "cost": self.cost}
        rest = {name: value for name, value in asdict(self).items() if name not in (*head, "decisions")}
        return {**head, "decisions": listed, **rest, "error": int(self.error)}

    def line(self) -> str:
        """The record as a line of a file."""
        return json.dumps(self.as_dict(), ensure_ascii=False) + "\n"


class RecordFile:
    """A file of records that this process appends to; no other process can at the same time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"{path}: is no regular file; give another file")
        try:
            self._file: IO[bytes] = self.path.open("a+b")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; give a file that can be written") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError(f"{path}: another tuner writes to this file; wait for it, or give another file") from None
        self._cut_torn_line()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, record: MeasuredRecord) -> None:
        """Write one record, whole, and hand it to the operating system."""
        try:
            self._file.write(record.line().encode())
            self._file.flush()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror}); give another file") from error

    def close(self) -> None:
        """Let others write."""
        with suppress(OSError):  # what a full disk does not take has been reported by `append`
            self._file.close()

    def _cut_torn_line(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        if content and not content.endswith(b"\n"):
            self._file.truncate(content.rfind(b"\n") + 1)


def read_measured(path: str | Path) -> tuple[MeasuredRecord, ...]:
    """Read a file of records; an incomplete last line is left out."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give a file of records, as s2s tune writes them") from error
    return tuple(record_of(str(path), number, fields) for number, fields in entries_of(str(path), text))


def best_records(records: Iterable[MeasuredRecord]) -> tuple[MeasuredRecord, ...]:
    """Return the cheapest record of each task, target and unit, in the order of their tasks; of several of the same
    decisions, the last one counts."""
    best: dict[tuple[str, str, str], MeasuredRecord] = {}
    for each in {(*each.subject, each.decisions): each for each in records}.values():
        if each.cost is None:
            continue
        before = best.get(each.subject)
        if before is None or before.cost is None or each.cost < before.cost:
            best[each.subject] = each
    return tuple(best.values())


def merged(files: Iterable[Sequence[MeasuredRecord]]) -> tuple[MeasuredRecord, ...]:
    """Return the records of several files in their order, equal ones once."""
    return tuple({each.line(): each for records in files for each in records}.values())


def write_records(path: str | Path, records: Iterable[MeasuredRecord]) -> None:
    """Write a whole file of records at once: readers see the old file or the new one."""
    write_file(path, "".join(each.line() for each in records))


def record_of(where: str, number: int, fields: Mapping[str, Any]) -> MeasuredRecord:
    """The record that the fields of a line state."""
    try:
        return MeasuredRecord(
            task=str(fields["task"]),
            target=str(fields["target"]),
            decisions=tuple((str(e["kind"]), str(e["subject"]), str(e["chosen"])) for e in fields["decisions"]),
            cost=None if fields["cost"] is None else float(fields["cost"]),
            unit=str(fields["unit"]),
            error=ErrorKind(fields.get("error", 0)),
            costs={str(unit): float(cost) for unit, cost in fields.get("costs", {}).items()},
            place=str(fields.get("place", "")),
            compiler=str(fields.get("compiler", "")),
            flags=tuple(map(str, fields.get("flags", ()))),
            kernel=str(fields.get("kernel", "")),
            nodes=str(fields.get("nodes", "")),
            calls=int(fields.get("calls", 1)),
            arguments=tuple(map(_frozen, fields.get("arguments", ()))),
            message=str(fields.get("message", "")),
            noise=float(fields.get("noise", 0.0)),
            seconds=float(fields.get("seconds", 0.0)),
            timestamp=float(fields.get("timestamp", 0.0)),
            version=str(fields.get("version", "")),
            lowering=int(fields.get("lowering", 0)),
            code=str(fields.get("code", "")),
            confirms=bool(fields.get("confirms", False)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: line {number}: {error}; give the fields that s2s tune writes") from error


def _frozen(argument: Any) -> Any:
    """An argument as templates are called with it: tuples where JSON has lists."""
    return tuple(map(_frozen, cast("list[Any]", argument))) if isinstance(argument, list) else argument
