"""The tensor interpreter in numpy, with sums in the order of serial C loops."""

from s2s.interpret.tensor.compute import evaluate_compute
from s2s.interpret.tensor.run import run_tensor

__all__ = ["evaluate_compute", "run_tensor"]
