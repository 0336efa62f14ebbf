"""Tasks: templates of tensor expressions, and kernels of networks."""

from s2s.autotvm.apply_config import ApplyConfig
from s2s.autotvm.base_task import Task
from s2s.autotvm.create import create, extract_from_program
from s2s.autotvm.dispatcher import (
    ApplyFixedConfig,
    ApplyGraphBest,
    ApplyHistoryBest,
    FallbackContext,
)
from s2s.autotvm.kernel_task import KernelTask
from s2s.autotvm.template import get_config, template
from s2s.autotvm.template_task import TemplateTask
from s2s.decisions.dispatch import DispatchContext

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
