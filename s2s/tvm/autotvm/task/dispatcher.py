"""Dispatch contexts where TVM has them."""

from s2s.tvm.autotvm.dispatch_context import ApplyConfig, DispatchContext
from s2s.tvm.autotvm.dispatcher import ApplyFixedConfig, ApplyGraphBest, ApplyHistoryBest, FallbackContext

__all__ = [
    "ApplyConfig",
    "ApplyFixedConfig",
    "ApplyGraphBest",
    "ApplyHistoryBest",
    "DispatchContext",
    "FallbackContext",
]
