"""Networks to try things out with, under TVM's names: `get_workload` gives a module and made-up parameters."""

from s2s.tvm.relay.testing import lstm, mlp, mobilenet, resnet
from s2s.tvm.relay.testing.inference import run_infer_type
from s2s.tvm.relay.testing.workload import create_workload

__all__ = ["create_workload", "lstm", "mlp", "mobilenet", "resnet", "run_infer_type"]
