"""Tuning: measure other decisions about a network and its kernels, and keep the best of them as records.

from s2s.tuning import TuneOptions, tune_model

summary = tune_model("kws.tflite", "records.jsonl", on="qemu:m4", options=TuneOptions(trials=100))
artifact = s2s.compile("kws.tflite", target="cortex-m4", records="records.jsonl")
"""

from s2s.tuning.campaign import TuneOptions
from s2s.tuning.records import MeasuredRecord, RecordFile, best_records, read_measured
from s2s.tuning.summary import Progress, TaskSummary, TuneSummary
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.tune import tune_model, tune_network, tune_tasks

__all__ = [
    "MeasuredRecord",
    "Progress",
    "RecordFile",
    "Task",
    "TaskSummary",
    "TuneOptions",
    "TuneSummary",
    "best_records",
    "read_measured",
    "tasks_of",
    "tune_model",
    "tune_network",
    "tune_tasks",
]
