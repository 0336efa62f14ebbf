"""`tvmc.tune`: the kernels of a model, searched by AutoTVM's tuners."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.errors import UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.autotvm.kernel_task import KernelTask
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.driver.tvmc.compiler import target_with
from s2s.tvm.driver.tvmc.errors import TVMCException
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
    the search. `tasks_filter` is `all`, or numbers and names of tasks with commas between them.
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
    for task in filter_tasks(tasks, tasks_filter):
        search = TUNERS[tuner](task)
        if prior_records:
            search.load_history(autotvm.record.load_from_file(str(prior_records)))
        search.tune(min(trials, len(task.config_space)), option, early_stopping, [autotvm.callback.log_to_file(log)])
    return log


def filter_tasks(tasks: Sequence[KernelTask], expr: str) -> list[KernelTask]:
    """Return the tasks of an expression: `all`, or numbers, ranges `2-5` and parts of names with commas."""
    if expr == "all":
        return list(tasks)
    chosen: list[KernelTask] = []
    for word in expr.split(","):
        first, _, last = word.partition("-")
        if first.isdigit() and (last.isdigit() or not last):
            chosen += tasks[int(first) : int(last or first) + 1]
        else:
            chosen += [task for task in tasks if word in task.name]
    if not chosen:
        raise TVMCException(f"tvmc.tune: tasks {expr!r}: there are none of these; there are {len(tasks)}")
    return list(dict.fromkeys(chosen))


__all__ = ["filter_tasks", "tune_model"]
