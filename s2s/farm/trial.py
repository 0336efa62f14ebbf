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
_known: dict[str, bytes] = {}


def run_trial(
    task: bytes,
    decisions: Sequence[Table],
    incumbent: tuple[Table, Measurement] | None,
    place: str,
    limits: Limits,
) -> list[Measurement]:
    """Measure candidates of a task that was pickled, in the measuring process of this worker."""
    for _ in range(ATTEMPTS):
        try:
            return _process().submit(measure_trial, task, decisions, incumbent, place, limits).result()
        except BrokenProcessPool:
            _process.cache_clear()
    told = f"the process that measures ended {ATTEMPTS} times"
    return [Measurement(error=ErrorKind.UNKNOWN_ERROR, message=told) for _ in decisions]


@cache
def _process() -> ProcessPoolExecutor:
    """The measuring process of this worker: without threads, and ended together with the worker."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent)


def measure_trial(
    task: bytes,
    decisions: Sequence[Table],
    incumbent: tuple[Table, Measurement] | None,
    place: str,
    limits: Limits,
) -> list[Measurement]:
    """Measure candidates of a task in this process, in turn with the best one so far where time is measured."""
    try:
        measurable = _unpickled(hashlib.sha256(task).hexdigest(), task)
    except Exception as error:  # whatever is wrong with it is the tuner's to know
        told = f"{type(error).__name__}: {error}"
        return [Measurement(error=ErrorKind.INSTANTIATION_ERROR, message=told[:300]) for _ in decisions]
    best = None if incumbent is None else Incumbent(Candidate(measurable, incumbent[0]), incumbent[1])
    return _measurer(place, limits).measure([Candidate(measurable, each) for each in decisions], best)


def compiler_of(place: str) -> str:
    """Return the C compiler of a place."""
    return make_measurer(place).compiler


def _unpickled(digest: str, task: bytes) -> Measurable:
    _known[digest] = task
    try:
        return _task(digest)
    finally:
        del _known[digest]


@lru_cache(maxsize=KEPT)
def _task(digest: str) -> Measurable:
    return pickle.loads(_known[digest])


@lru_cache(maxsize=4)
def _measurer(place: str, limits: Limits) -> Measurer:
    return make_measurer(place, limits=limits)
