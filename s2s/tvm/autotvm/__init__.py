"""Tuning under AutoTVM's names, on the tuner of s2s/tuning.

    tasks = autotvm.task.extract_from_program(mod, params, target="cortex-m4")
    for task in tasks:
        tuner = autotvm.tuner.XGBTuner(task)
        tuner.tune(100, autotvm.measure_option(), callbacks=[autotvm.callback.log_to_file("kws.log")])
    with autotvm.apply_history_best("kws.log"):
        library = s2s.build(mod, target="cortex-m4", params=params)

Templates of tensor expressions are tuned likewise (`template`, `get_config`, `task.create`). Logs have the format of
AutoTVM.
"""

from s2s.tvm.autotvm import callback, graph_tuner, measure, record, task, tophub, tuner, utils
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure import LocalBuilder, LocalRunner, MeasureErrorNo, create_measure_batch, measure_option
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.rpc_runner import RPCRunner
from s2s.tvm.autotvm.space import ConfigSpace, FallbackConfigEntity
from s2s.tvm.autotvm.task import (
    TASK_TABLE,
    ApplyConfig,
    ApplyFixedConfig,
    ApplyGraphBest,
    ApplyHistoryBest,
    DispatchContext,
    FallbackContext,
    get_config,
    register_topi_compute,
    register_topi_schedule,
    template,
)

apply_history_best = ApplyHistoryBest
apply_graph_best = ApplyGraphBest
apply_fixed_config = ApplyFixedConfig

__all__ = [
    "TASK_TABLE",
    "ApplyConfig",
    "ApplyFixedConfig",
    "ApplyGraphBest",
    "ApplyHistoryBest",
    "ConfigEntity",
    "ConfigSpace",
    "DispatchContext",
    "FallbackConfigEntity",
    "FallbackContext",
    "LocalBuilder",
    "LocalRunner",
    "MeasureErrorNo",
    "MeasureInput",
    "MeasureResult",
    "RPCRunner",
    "apply_fixed_config",
    "apply_graph_best",
    "apply_history_best",
    "callback",
    "create_measure_batch",
    "get_config",
    "graph_tuner",
    "measure",
    "measure_option",
    "record",
    "register_topi_compute",
    "register_topi_schedule",
    "task",
    "template",
    "tophub",
    "tuner",
    "utils",
]
