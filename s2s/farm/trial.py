"""A trial on a worker: candidates of a task are measured in a place that the worker has."""

import hashlib
import pickle
from collections.abc import Sequence
from functools import lru_cache

from s2s.decisions.decision import Table
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurable, Measurer
from s2s.tuning.places import make_measurer

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
    """Measure candidates of a task that was pickled, in turn with the best one so far where time is measured."""
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
