"""`Executor`, `Runtime` and `te_compiler` where TVM has them."""

from s2s.tvm.relay import te_compiler
from s2s.tvm.relay.options import Executor, Runtime

__all__ = ["Executor", "Runtime", "te_compiler"]
