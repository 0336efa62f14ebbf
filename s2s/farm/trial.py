"""A trial on a worker: candidates of a task are measured in a place that the worker has.

Candidates run in forked processes (`s2s/tuning/sandbox.py`), but a Dask worker has threads: one that holds a lock while
another forks, of a module that it imports for one, leaves the child waiting for that lock until its time is up. So each
worker has a second process without threads, which measures and forks.
"""

import hashlib
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from multiprocessing import get_context

from s2s.decisions.decision import Table
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurable, Measurer
from s2s.tuning.places import make_measurer
from s2s.tuning.sandbox import end_with_parent

ATTEMPTS = 3
"""A candidate runs in a process of its own, so that the end of the one that measures says little against it."""
KEPT = 16
"""Tasks whose compilations a worker keeps."""
_tasks: dict[str, Measurable] = {}
"""In the measuring process: tasks by the hash of their bytes, the one that was used last at the end."""

Best = tuple[Table, Measurement] | None
"""The decisions of the best candidate so far, and its measurement."""


def run_trial(task: bytes, decisions: Sequence[Table], best: Best, place: str, limits: Limits) -> list[Measurement]:
    """Measure candidates of a task that was pickled, in the measuring process of this worker."""
    digest = hashlib.sha256(task).hexdigest()
    for _ in range(ATTEMPTS):
        try:
            for sent in (None, task):
                found = measuring_process().submit(measure_trial, digest, sent, decisions, best, place, limits).result()
                if found is not None:
                    return found
        except BrokenProcessPool:
            measuring_process.cache_clear()
    told = f"the process that measures ended {ATTEMPTS} times"
    return [Measurement(error=ErrorKind.UNKNOWN_ERROR, message=told) for _ in decisions]


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
    _keep(digest, measurable)
    incumbent = None if best is None else Incumbent(Candidate(measurable, best[0]), best[1])
    return _measurer(place, limits).measure([Candidate(measurable, each) for each in decisions], incumbent)


def _keep(digest: str, task: Measurable) -> None:
    """Keep a task as the one that was used last; forget the one that was not used for longest where there are many."""
    _tasks[digest] = task
    if len(_tasks) > KEPT:
        del _tasks[next(iter(_tasks))]


def compiler_of(place: str) -> str:
    """Return the C compiler of a place."""
    return make_measurer(place).compiler


@lru_cache(maxsize=4)
def _measurer(place: str, limits: Limits) -> Measurer:
    return make_measurer(place, limits=limits)
