"""Dispatch contexts: which configurations `s2s.build` and templates use inside of a `with` block.

    with apply_history_best("kws.log"):
        library = s2s.build(mod, target="cortex-m4", params=params)

They nest, and the innermost one that knows a task counts.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2s.decisions.kind import Candidate
from s2s.decisions.records import Record, choices_of
from s2s.decisions.registry import heuristics_of
from s2s.errors import InputError
from s2s.tuning.records import MeasuredRecord
from s2s.tvm.autotvm.config import Config, ConfigEntity
from s2s.tvm.autotvm.dispatch_context import DispatchContext
from s2s.tvm.autotvm.kernel_task import KernelTask
from s2s.tvm.autotvm.knobs import OtherOptionEntity
from s2s.tvm.autotvm.log import Log, measured_records
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, pair_of
from s2s.tvm.autotvm.template import CONFIG, TEMPLATES, template_key
from s2s.tvm.target import Target, resolve, target_of

Best = dict[tuple[str, tuple[Any, ...]], tuple[MeasureInput, MeasureResult]]
"""Measurements by a name of the target and the workload of the task."""


class RecordContext(DispatchContext):
    """A context that tells the configurations of tasks from records."""

    def records_for_networks(self) -> tuple[Record, ...]:
        """Return the records, which tell all of it unless a class of the program answers otherwise."""
        if type(self)._query_inside is not RecordContext._query_inside:
            return super().records_for_networks()
        return self.records

    def _query_inside(self, target: object, workload: Sequence[Any]) -> Config | None:
        data, (name, *args) = resolve(target), workload
        key = template_key(name, args, data) if name in TEMPLATES else str(args[-1] if args else name)
        made = choices_of((each for each in self.records if each.task == key), data.name)
        if key in made.get(CONFIG, {}):
            return ConfigEntity.from_json_dict(json.loads(made[CONFIG][key]))
        values = {
            f"{kind} {subject}": OtherOptionEntity(chosen)
            for kind, choices in made.items()
            for subject, chosen in choices.items()
        }
        return ConfigEntity(0, values) if values else None

    def update(self, target: object, workload: Sequence[Any], cfg: ConfigEntity) -> None:
        """Let the task whose `workload` this is have a configuration from now on."""
        data, (name, *args) = resolve(target), workload
        if name in TEMPLATES:
            key = template_key(name, args, data)
            decided = ((CONFIG, key, cfg.text),)
        else:
            key = str(args[-1] if args else name)
            parts = [(knob.partition(" "), str(each.value)) for knob, each in cfg.entities.items()]
            decided = tuple((kind, subject, chosen) for (kind, _, subject), chosen in parts)
        kept = [each for each in self.records if (each.task, each.target) != (key, data.name)]
        self.records = (*kept, Record(key, data.name, decided, 0.0))


class FallbackContext(RecordContext):
    """A context that knows nothing and hides the contexts around it: every task takes what the compiler chooses."""

    hides_outer = True


class ApplyHistoryBest(RecordContext):
    """A context that gives each task the cheapest configuration of a log, a file of records, or measurements."""

    def __init__(self, records: Log | None) -> None:
        super().__init__(())
        self._measured: list[MeasuredRecord] = []
        self.load(records or ())

    def load(self, records: Log) -> None:
        """Take over the measurements of another log as well."""
        self.take(measured_records(records))

    def take(self, found: Iterable[MeasuredRecord]) -> None:
        """Take over measurements."""
        found = list(found)
        self._measured += found
        self.records = (*self.records, *map(_plain, found))

    @property
    def best_by_targetkey(self) -> Best:
        """The cheapest measurement of each task, by a key of its target and the workload: `("cpu", workload)`."""
        return self._best(lambda target: target.keys)

    @property
    def best_by_model(self) -> Best:
        """The cheapest measurement of each task, by the model of its target and the workload; of targets that have
        one."""
        return self._best(lambda target: [target.model] if target.model != "unknown" else [])

    def _best(self, keys: Callable[[Target], Iterable[str]]) -> Best:
        found: Best = {}
        for record in self._measured:
            inp, result = pair_of(record)
            for key in keys(target_of(record.target)) if record.cost is not None else ():
                workload = (key, inp.task.workload)
                if workload not in found or found[workload][1].costs > result.costs:
                    found[workload] = inp, result
        return found


class ApplyGraphBest(RecordContext):
    """A context that gives each task the last configuration of a log, whether or not it is the cheapest alone.

    A tuner of whole networks writes such logs. Equal kernels share one function, and so one configuration.
    """

    def __init__(self, records: Log) -> None:
        chosen = {(each.task, each.target): _plain(each) for each in measured_records(records) if each.cost is not None}
        super().__init__(chosen.values())


class ApplyFixedConfig(RecordContext):
    """A context that gives kernels the first schedule of a named heuristic that is legal for them."""

    def __init__(self, tasks: Sequence[KernelTask], schedule_names: str | Sequence[str]) -> None:
        names = [schedule_names] if isinstance(schedule_names, str) else list(schedule_names)
        super().__init__(each for task in tasks for each in _fixed(task, names))


def _fixed(task: KernelTask, names: Sequence[str]) -> list[Record]:
    kernel, subject = task.kernel, task.space.subject
    known = dict(heuristics_of(kernel.kind))
    for name in names:
        if name not in known:
            raise InputError(f"ApplyFixedConfig: no heuristic is called {name!r}; they are {', '.join(known)}")
        for each in known[name](subject, kernel.target):
            if isinstance(each, Candidate) and kernel.kind.legal(subject, each.make()) is None:
                decisions = task.decisions_of(str(each.make()))
                return [Record(kernel.key, kernel.target.name, decisions, 0.0)]
    return []


def _plain(measured: MeasuredRecord) -> Record:
    return Record(measured.task, measured.target, measured.decisions, measured.cost, measured.unit)
