"""Networks to try things out with, under TVM's names: `get_workload` gives a module and made-up parameters; `decoders`
are ONNX models."""

from s2s.testing import decoders, lstm, mlp, mobilenet, resnet
from s2s.testing.workload import create_workload

__all__ = ["create_workload", "decoders", "lstm", "mlp", "mobilenet", "resnet"]
