"""`Executor` and `Runtime` where TVM has them."""

from s2s.tvm.relay.options import Executor, Runtime

__all__ = ["Executor", "Runtime"]
