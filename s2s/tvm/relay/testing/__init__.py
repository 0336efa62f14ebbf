"""Networks to try things out with, under TVM's names: `get_workload` gives a module and made-up parameters."""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.relay.testing import lstm, mlp, mobilenet, resnet, temp_op_attr
from s2s.tvm.relay.testing.inference import check_grad, count_ops, run_infer_type, run_opt_pass
from s2s.tvm.relay.testing.workload import create_workload
from s2s.tvm.testing import enabled_targets

__all__ = [
    "check_grad",
    "count_ops",
    "create_workload",
    "enabled_targets",
    "lstm",
    "mlp",
    "mobilenet",
    "resnet",
    "run_infer_type",
    "run_opt_pass",
    "temp_op_attr",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.testing")
