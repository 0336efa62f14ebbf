"""Tuning: measure other decisions for the kernels of a network, and keep the best of them as records.

from s2s.tuning import TuneOptions, tune_model

summary = tune_model("kws.tflite", "records.jsonl", on="qemu:m4", options=TuneOptions(trials=100))
artifact = s2s.compile("kws.tflite", target="cortex-m4", records="records.jsonl")
"""

from s2s.tuning.records import MeasuredRecord, RecordFile, best_records, read_measured
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.tune import Progress, TaskSummary, TuneOptions, TuneSummary, tune_model, tune_tasks

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
    "tune_tasks",
]
