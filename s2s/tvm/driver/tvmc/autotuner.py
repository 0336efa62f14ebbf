"""`tvmc.tune`: the kernels of a model, searched by AutoTVM's tuners."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from s2s.errors import UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.measure.measure import MeasureOption
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.driver.tvmc.compiler import target_with
from s2s.tvm.driver.tvmc.errors import TVMCException, WrongTaskError
from s2s.tvm.driver.tvmc.model import TVMCModel
from s2s.tvm.target import Target

TUNERS = {
    "ga": autotvm.tuner.GATuner,
    "gridsearch": autotvm.tuner.GridSearchTuner,
    "random": autotvm.tuner.RandomTuner,
    "xgb": autotvm.tuner.XGBTuner,
    "xgb-rank": autotvm.tuner.XGBTuner,
    "xgb_knob": autotvm.tuner.XGBTuner,
}
"""The tuners by TVM's names; the learned one is LightGBM's, whatever its features are called."""


def tune_model(
    tvmc_model: TVMCModel,
    target: str | Target,
    tuning_records: str | Path | None = None,
    prior_records: str | Path | None = None,
    enable_autoscheduler: bool = False,
    rpc_key: str | None = None,
    hostname: str | None = None,
    port: int | str | None = 9090,
    trials: int = 10000,
    target_host: str | None = None,
    tuner: str = "xgb",
    min_repeat_ms: int | None = None,
    early_stopping: int | None = None,
    timeout: int = 10,
    repeat: int = 1,
    number: int = 10,
    parallel: int = 4,
    hardware_params: object = None,
    include_simple_tasks: bool = False,
    log_estimated_latency: bool = False,
    additional_target_options: Mapping[str, Mapping[str, Any]] | None = None,
    tasks_filter: str = "all",
) -> str:
    """Tune each kernel of a model with up to `trials` measurements, and return the path of the log.

    Candidates run here, or with `rpc_key` in that place of the farm at `hostname` and `port`. `prior_records` teach
    the search. `tasks_filter` is `all`, or numbers, ranges and names of tasks; `list` prints them and tunes nothing.
    """
    for name, value in (
        ("enable_autoscheduler", enable_autoscheduler),
        ("hardware_params", hardware_params),
        ("include_simple_tasks", include_simple_tasks),
        ("log_estimated_latency", log_estimated_latency),
    ):
        if value:
            raise UnsupportedError(f"tvmc.tune: {name}: is of TVM's auto-scheduler; leave it out")
    if tuner not in TUNERS:
        raise TVMCException(f"tvmc.tune: tuner {tuner!r} is not known; give one of {', '.join(TUNERS)}")
    named, _ = target_with(target, additional_target_options or {})
    log = str(tuning_records or tvmc_model.default_tuning_records_path())
    repeated: dict[str, Any] = {} if min_repeat_ms is None else {"min_repeat_ms": min_repeat_ms}
    runner: Any = autotvm.LocalRunner(timeout=timeout, number=number, repeat=repeat, **repeated)
    if rpc_key:
        runner = RPCRunner(rpc_key, hostname or "127.0.0.1", int(port or 9090), timeout=timeout)
    option = autotvm.measure_option(autotvm.LocalBuilder(n_parallel=parallel), runner)
    tasks = autotvm.task.extract_from_program(tvmc_model.mod, tvmc_model.params, named, target_host)  # pyright: ignore[reportArgumentType]
    chosen, is_list = filter_tasks(tasks, tasks_filter)
    if is_list:
        sys.stdout.write(f"{gen_task_list(tasks, enable_autoscheduler)}\n")
        return log
    tune_tasks(chosen, log, option, tuner, trials, early_stopping, prior_records)
    return log


def tune_tasks(
    tasks: Sequence[Task],
    log_file: str | Path,
    measure_option: MeasureOption,
    tuner: str,
    trials: int,
    early_stopping: int | None = None,
    tuning_records: str | Path | None = None,
) -> None:
    """Tune each of some tasks with up to `trials` measurements, which go into a log; `tuning_records` teach the
    search."""
    if tuner not in TUNERS:
        raise TVMCException(f"tvmc.tune: tuner {tuner!r} is not known; give one of {', '.join(TUNERS)}")
    log = autotvm.callback.log_to_file(str(log_file))
    for task in tasks:
        search = TUNERS[tuner](task)
        if tuning_records:
            search.load_history(autotvm.record.load_from_file(str(tuning_records)))
        search.tune(min(trials, len(task.config_space)), measure_option, early_stopping, [log])


Chosen = TypeVar("Chosen")
LISTED = ("list", "help")
"""The words of an expression that ask for the list of tasks."""
WIDTH = 100
"""The letters of a task in a list."""


def filter_tasks(tasks: Sequence[Chosen], expr: str) -> tuple[list[Chosen], bool]:
    """Return the tasks of an expression, in their order, and whether it asks for their list.

    The expression is `all`, `list`, and numbers, ranges and parts of names with commas, such as `0,2-5,9-,conv`.
    """
    words = expr.split(",")
    chosen: set[int] = set()
    for word in words:
        if word == "all":
            chosen |= set(range(len(tasks)))
        elif word not in LISTED:
            named = {number for number, task in enumerate(tasks) if word and word in getattr(task, "name", "")}
            chosen |= named or set(_range_of(word, len(tasks)))
    if all(word in LISTED for word in words):
        chosen = set(range(len(tasks)))
    return [task for number, task in enumerate(tasks) if number in chosen], any(word in LISTED for word in words)


def _range_of(word: str, count: int) -> range:
    """The numbers of tasks that a word says."""
    first, dash, last = word.partition("-")
    if "-" in last:
        raise _wrong(word, "Malformed range expression", count)
    if dash and not first and not last:
        raise _wrong(word, "Missing lhs or rhs for range expression", count)
    if not all(end.isdigit() for end in (first, last) if end) or not word:
        raise _wrong(word, "no number and no range", count)
    low, high = int(first or 0), int(last or count - 1) if dash else int(first)
    if low >= count:
        raise _wrong(word, f"{'Left-hand side expression' if dash else 'Task index'} out of range", count)
    if high >= count:
        raise _wrong(word, "Right-hand side expression out of range", count)
    return range(low, high + 1)


def _wrong(word: str, fact: str, count: int) -> WrongTaskError:
    return WrongTaskError(f"tvmc.tune: tasks {word!r}: {fact}; give numbers below {count}, or all")


def gen_task_list(tasks: Sequence[Task], enable_autoscheduler: bool) -> str:
    """Return the list of tasks as text: the number of each, what it is, and how many configurations it has."""
    if enable_autoscheduler:
        raise UnsupportedError("tvmc.tune: enable_autoscheduler: is of TVM's auto-scheduler; leave it out")
    texts = [text if len(text) < WIDTH else f"{text[: WIDTH - 3]}..." for text in map(str, tasks)]
    lines = [
        f"  {number}. {text} (len={len(task.config_space)})"
        for number, (task, text) in enumerate(zip(tasks, texts, strict=True))
    ]
    return "\n".join(["Available Tasks for tuning:", *lines])


__all__ = ["filter_tasks", "gen_task_list", "tune_model", "tune_tasks"]
