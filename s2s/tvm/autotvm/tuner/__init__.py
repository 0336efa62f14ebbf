"""Tuners under AutoTVM's names: searches of s2s/tuning that measure one task."""

from s2s.tvm.autotvm.measure import create_measure_batch
from s2s.tvm.autotvm.tuner import callback
from s2s.tvm.autotvm.tuner.index_based_tuner import GridSearchTuner, IndexBaseTuner, RandomTuner
from s2s.tvm.autotvm.tuner.tuner import GATuner, Tuner, XGBTuner

__all__ = [
    "GATuner",
    "GridSearchTuner",
    "IndexBaseTuner",
    "RandomTuner",
    "Tuner",
    "XGBTuner",
    "callback",
    "create_measure_batch",
]
