"""The meaning of the tensor dialect in numpy, with the order of additions that serial C has."""

from s2s.interpret.tensor.compute import evaluate_compute
from s2s.interpret.tensor.run import run_tensor

__all__ = ["evaluate_compute", "run_tensor"]
