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

from typing import TYPE_CHECKING

from s2s.tvm.autotvm import env, graph_tuner, measure, record, task, tophub, tuner, utils
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.env import GLOBAL_SCOPE as GLOBAL_SCOPE
from s2s.tvm.autotvm.measure import LocalBuilder, LocalRunner, MeasureErrorNo, create_measure_batch, measure_option
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.space import ConfigSpace, FallbackConfigEntity
from s2s.tvm.autotvm.task import (
    TASK_TABLE,
    ApplyConfig,
    ApplyFixedConfig,
    ApplyGraphBest,
    ApplyHistoryBest,
    DispatchContext,
    FallbackContext,
    create,
    get_config,
    register_topi_compute,
    register_topi_schedule,
    template,
)
from s2s.tvm.autotvm.tuner import callback
from s2s.tvm.refusals import refusing

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
    "create",
    "create_measure_batch",
    "env",
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

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm")
