"""A trial on a worker: candidates of a task are measured in a place that the worker has.

Candidates run in forked processes (`s2s/tuning/sandbox.py`), but a Dask worker has threads: one that holds a lock while
another forks, of a module that it imports for one, leaves the child waiting for that lock until its time is up. So each
worker has a second process without threads, which measures and forks.

A tuner names a task by the hash of its bytes, and sends the bytes when a worker answers that it does not know them.
They are no dependency of the trial: Dask would give all trials of a task to the worker that has its bytes.
"""

import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from multiprocessing import get_context
from typing import TypeVar

from s2s.decisions.decision import Table
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurable, Measurer
from s2s.tuning.places import make_measurer
from s2s.tuning.sandbox import end_with_parent

ATTEMPTS = 3
"""A candidate runs in a process of its own, so that the end of the one that measures says little against it."""
KEPT = 16
"""Tasks whose compilations a worker keeps."""
_sent: dict[str, bytes] = {}
"""In the worker: the bytes of tasks by their hash, the last used ones at the end."""
_tasks: dict[str, Measurable] = {}
"""In the measuring process: tasks by the hash of their bytes, the one that was used last at the end."""

Kept = TypeVar("Kept")
Best = tuple[Table, Measurement] | None
"""The decisions of the best candidate so far, and its measurement."""


def run_trial(
    digest: str, task: bytes | None, decisions: Sequence[Table], best: Best, place: str, limits: Limits
) -> list[Measurement] | None:
    """Measure candidates of a task that was pickled, in the measuring process of this worker.

    None where this worker does not know the task of this hash, and its bytes were not sent.
    """
    packed = bytes_of(digest, task)
    if packed is None:
        return None
    for _ in range(ATTEMPTS):
        try:
            for sent in (None, packed):
                found = measuring_process().submit(measure_trial, digest, sent, decisions, best, place, limits).result()
                if found is not None:
                    return found
        except BrokenProcessPool:
            measuring_process.cache_clear()
    told = f"the process that measures ended {ATTEMPTS} times"
    return [Measurement(error=ErrorKind.UNKNOWN_ERROR, message=told) for _ in decisions]


def bytes_of(digest: str, task: bytes | None) -> bytes | None:
    """Return the bytes of a task and keep them; None where they were never sent to this worker."""
    packed = _sent.pop(digest, None) if task is None else task
    if packed is not None:
        _keep(_sent, digest, packed)
    return packed


@cache
def measuring_process() -> ProcessPoolExecutor:
    """The measuring process of this worker: without threads, and ended together with the worker."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent)


def measure_trial(
    digest: str, task: bytes | None, decisions: Sequence[Table], best: Best, place: str, limits: Limits
) -> list[Measurement] | None:
    """Measure candidates of a task in this process, in turn with the best one so far where time is measured.

    None where this process does not know the task of this hash, and its bytes were not sent.
    """
    if digest not in _tasks and task is None:
        return None
    try:
        measurable = _tasks.pop(digest) if digest in _tasks else pickle.loads(task or b"")
    except Exception as error:  # whatever is wrong with it is the tuner's to know
        told = f"{type(error).__name__}: {error}"
        return [Measurement(error=ErrorKind.INSTANTIATION_ERROR, message=told[:300]) for _ in decisions]
    _keep(_tasks, digest, measurable)
    incumbent = None if best is None else Incumbent(Candidate(measurable, best[0]), best[1])
    return _measurer(place, limits).measure([Candidate(measurable, each) for each in decisions], incumbent)


def _keep(kept: dict[str, Kept], digest: str, task: Kept) -> None:
    """Keep a task as the one that was used last; forget the one that was not used for longest where there are many."""
    kept.pop(digest, None)
    kept[digest] = task
    if len(kept) > KEPT:
        del kept[next(iter(kept))]


def compiler_of(place: str) -> str:
    """Return the C compiler of a place."""
    return make_measurer(place).compiler


@lru_cache(maxsize=4)
def _measurer(place: str, limits: Limits) -> Measurer:
    return make_measurer(place, limits=limits)
