"""Tasks: templates of tensor expressions, and kernels of networks."""

from typing import TYPE_CHECKING

from s2s.decisions.dispatch import set_outermost
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.create import create, extract_from_multiple_program, extract_from_program
from s2s.tvm.autotvm.kernel_task import KernelTask as KernelTask
from s2s.tvm.autotvm.space import ConfigSpace
from s2s.tvm.autotvm.task import dispatcher as dispatcher
from s2s.tvm.autotvm.task import space as space
from s2s.tvm.autotvm.task.dispatcher import (
    ApplyConfig,
    ApplyFixedConfig,
    ApplyGraphBest,
    ApplyHistoryBest,
    DispatchContext,
    FallbackContext,
)
from s2s.tvm.autotvm.task.flop import FlopCalculationError, compute_flop
from s2s.tvm.autotvm.template import TEMPLATES as TASK_TABLE
from s2s.tvm.autotvm.template import get_config, template
from s2s.tvm.autotvm.template_task import TemplateTask as TemplateTask
from s2s.tvm.autotvm.topi_integration import register_topi_compute, register_topi_schedule
from s2s.tvm.refusals import refusing

set_outermost(FallbackContext)

__all__ = [
    "TASK_TABLE",
    "ApplyConfig",
    "ApplyFixedConfig",
    "ApplyGraphBest",
    "ApplyHistoryBest",
    "ConfigEntity",
    "ConfigSpace",
    "DispatchContext",
    "FallbackContext",
    "FlopCalculationError",
    "Task",
    "compute_flop",
    "create",
    "extract_from_multiple_program",
    "extract_from_program",
    "get_config",
    "register_topi_compute",
    "register_topi_schedule",
    "template",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm.task")
