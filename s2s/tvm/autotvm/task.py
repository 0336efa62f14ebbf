"""Tasks: templates of tensor expressions, and kernels of networks."""

from s2s.decisions.dispatch import DispatchContext
from s2s.tvm.autotvm.apply_config import ApplyConfig
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.create import create, extract_from_program
from s2s.tvm.autotvm.dispatcher import (
    ApplyFixedConfig,
    ApplyGraphBest,
    ApplyHistoryBest,
    FallbackContext,
)
from s2s.tvm.autotvm.kernel_task import KernelTask
from s2s.tvm.autotvm.template import get_config, template
from s2s.tvm.autotvm.template_task import TemplateTask

__all__ = [
    "ApplyConfig",
    "ApplyFixedConfig",
    "ApplyGraphBest",
    "ApplyHistoryBest",
    "DispatchContext",
    "FallbackContext",
    "KernelTask",
    "Task",
    "TemplateTask",
    "create",
    "extract_from_program",
    "get_config",
    "template",
]
