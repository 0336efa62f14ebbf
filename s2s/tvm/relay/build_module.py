"""What builds networks and evaluates expressions, where TVM has it."""

from s2s.tvm.relay.executor import create_executor
from s2s.tvm.relay.factory import build
from s2s.tvm.relay.module import bind_params_by_name

__all__ = ["bind_params_by_name", "build", "create_executor"]
