"""Measuring on a farm: one Dask task for each trial, submitted again when the farm has lost it.

A scheduler that goes away takes the trials that it has with it. The tuner connects to the next one at the same address
and submits those that have no result yet; results that came before are with the caller already.
"""

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from functools import cached_property
from itertools import count
from math import inf
from typing import Any

from s2s.errors import EndsEarly, InputError
from s2s.farm.library import LOST_TIMEOUT, TRIAL, distributed
from s2s.farm.security import Certificates
from s2s.farm.trial import compiler_of, run_trial
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer, More

POLL_SECONDS = 0.5
PAUSE_SECONDS = 1.0
"""Before connecting again."""
RESULT_SECONDS = 30.0
"""A result that a worker has may take this long to come."""
ASK_SECONDS = 5.0
"""The number of workers is asked for this often."""
TRIALS_PER_WORKER = 2
TASKS_PACKED = 4
"""Tasks whose bytes are kept for workers that ask for them."""
START_SECONDS = 30.0
"""A farm without any worker is given this long to have one."""
CONNECT_TIMEOUT = "5s"
Trial = Callable[..., list[Measurement] | None]


class FarmMeasurer(Measurer):
    """Measures candidates on the workers of a farm that have a place."""

    def __init__(
        self,
        address: str,
        place: str,
        limits: Limits | None = None,
        *,
        priority: int = 0,
        certificates: Certificates | None = None,
        trial: Trial = run_trial,
        key: str = "",
    ) -> None:
        super().__init__(limits)
        self.address, self.place, self.priority = address, place, priority
        self._key = key or place
        """What workers that measure there call themselves."""
        self._certificates = certificates if certificates is not None else Certificates()
        self._certificates.check(address)
        self._trial = trial
        self._distributed = distributed()
        self._client: Any = None
        self._was_connected = False
        self._workers, self._asked = 0, -inf
        self._packed: dict[int, tuple[object, str, bytes]] = {}
        """Tasks by their identity, with the hash and the bytes of each."""
        self._check_place()

    def require(self) -> None:
        self._check_place()

    @property
    def compiler(self) -> str:
        return self._compiler

    @cached_property
    def _compiler(self) -> str:
        return str(self._connected().submit(compiler_of, self.place, resources={self._key: 1}).result())

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        found = dict(self.stream(candidates, incumbent))
        return [found[number] for number in range(len(candidates))]

    def measure_each(self, candidates: Sequence[Candidate]) -> list[Measurement]:
        return self.measure(candidates)

    def stream(
        self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None
    ) -> Iterator[tuple[int, Measurement]]:
        batches = iter([candidates])
        yield from self.flow(lambda: next(batches, ()), lambda: incumbent)

    def flow(self, more: More, incumbent: Callable[[], Incumbent | None]) -> Iterator[tuple[int, Measurement]]:
        """Measure as `Measurer.flow` does, with enough trials submitted that no worker waits for the tuner."""
        left: dict[int, Candidate] = {}
        numbers = count()
        ended = False

        def refill() -> dict[int, Candidate]:
            """Return the candidates to submit next."""
            nonlocal ended
            new: dict[int, Candidate] = {}
            while not ended and len(left) < self._wanted():
                batch = more()
                ended = not batch
                new |= {next(numbers): each for each in batch}
                left.update(new)
            return new

        refill()
        while left:
            try:
                yield from self._round(left, refill, incumbent)
            except _LostError:
                self.close()
                time.sleep(PAUSE_SECONDS)

    def close(self) -> None:
        """Leave the farm; it forgets trials that have no result."""
        if self._client is not None:
            self._client.close(timeout=2)
            self._client = None

    def _wanted(self) -> int:
        """The number of trials that keep the workers busy: one that runs and one that waits, for each."""
        if time.monotonic() > self._asked + ASK_SECONDS:
            self._asked, self._workers = time.monotonic(), len(self._workers_here())
        return max(1, TRIALS_PER_WORKER * self._workers)

    def _round(
        self,
        left: dict[int, Candidate],
        refill: Callable[[], Mapping[int, Candidate]],
        incumbent: Callable[[], Incumbent | None],
    ) -> Iterator[tuple[int, Measurement]]:
        """Submit trials, yield their results as they come, and submit more."""
        client = self._connected()
        futures = {self._submitted(client, each, incumbent()): number for number, each in left.items()}
        while futures:
            if client.status != "running":
                raise _LostError
            finished = [each for each in futures if each.status != "pending"]
            if not finished:
                self._wait(client, list(futures))
            for future in finished:
                number, found = futures.pop(future), self._result(future)
                if found is None:
                    futures[self._submitted(client, left[number], incumbent(), sends=True)] = number
                    continue
                del left[number]
                yield number, found
            futures |= {self._submitted(client, each, incumbent()): number for number, each in refill().items()}

    def _submitted(self, client: Any, candidate: Candidate, incumbent: Incumbent | None, *, sends: bool = False) -> Any:
        """Submit a trial, with the bytes of its task where `sends`."""
        digest, packed = self._bytes_of(candidate.task)
        best = None if incumbent is None else (incumbent.candidate.decisions, incumbent.measured)
        try:
            return client.submit(
                self._trial,
                digest,
                packed if sends else None,
                [candidate.decisions],
                best,
                self.place,
                self.limits,
                key=f"trial-{uuid.uuid4().hex}",
                resources={self._key: 1, TRIAL: 1},
                priority=self.priority,
                pure=False,
            )
        except (OSError, RuntimeError) as error:
            raise _LostError from error

    def _bytes_of(self, task: object) -> tuple[str, bytes]:
        """The hash of a task, and its bytes."""
        if id(task) not in self._packed:
            packed: bytes = self._distributed.protocol.pickle.dumps(task)
            self._packed[id(task)] = task, hashlib.sha256(packed).hexdigest(), packed
            if len(self._packed) > TASKS_PACKED:
                del self._packed[next(iter(self._packed))]
        _, digest, packed = self._packed[id(task)]
        return digest, packed

    def _wait(self, client: Any, futures: Sequence[Any]) -> None:
        """Wait until a trial is done, or for a moment."""
        try:
            with client.as_current():
                self._distributed.wait(futures, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        except (TimeoutError, self._distributed.TimeoutError):
            return
        except (OSError, CancelledError, self._distributed.CancelledError) as error:
            raise _LostError from error

    def _result(self, future: Any) -> Measurement | None:
        """The measurement of a trial that has ended; None where its worker does not know the task."""
        if future.status in ("cancelled", "lost"):
            raise _LostError
        if future.status == "error":
            error = future.exception()
            return Measurement(error=ErrorKind.UNKNOWN_ERROR, message=f"{type(error).__name__}: {error}"[:300])
        try:
            found = future.result(timeout=RESULT_SECONDS)
        except (OSError, TimeoutError, CancelledError, self._distributed.CancelledError) as error:
            raise _LostError from error
        return None if found is None else found[0]

    def _connected(self) -> Any:
        """The client, connected anew where it was lost."""
        deadline = time.monotonic() + LOST_TIMEOUT
        while self._client is None:
            try:
                security = self._certificates.security()
                made = self._distributed.Client(
                    self.address, timeout=CONNECT_TIMEOUT, security=security, set_as_default=False, name="s2s-tuner"
                )
            except (OSError, TimeoutError) as error:
                if not self._was_connected or time.monotonic() > deadline:
                    raise InputError(f"--farm {self.address}: no scheduler answers ({error}); start one") from error
                time.sleep(1)
            else:
                self._client, self._was_connected = made, True
        return self._client

    def _workers_here(self) -> Sequence[Any]:
        """The workers that have the place."""
        workers = self._connected().scheduler_info(n_workers=-1)["workers"].values()
        return [each for each in workers if self._key in each.get("resources", {})]

    def _check_place(self) -> None:
        """Refuse a place that no worker has; workers that are just being replaced are waited for."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            if self._workers_here():
                return
            if self._connected().scheduler_info(n_workers=-1)["workers"] or time.monotonic() > deadline:
                start = f"s2s farm worker {self.address} --board {self.place}"
                raise InputError(f"--farm {self.address}: no worker measures on {self.place}; start one: {start}")
            time.sleep(PAUSE_SECONDS)


class _LostError(EndsEarly):
    """The scheduler, or a trial that it had, is gone."""
