"""What runs on the worker of a farm for a session: a task that holds the place, and calls that go to its process.

The process of a session is a child of the worker, so that code which crashes ends the session alone.
"""

import ctypes
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from s2s.farm.library import distributed
from s2s.tuning.sandbox import end_with_parent
from s2s.tvm.error import RPCError

POLL_SECONDS = 0.1
"""A session whose client has gone ends within this time."""
STOP_SECONDS = 5.0
ENDED = "session: has ended, or its time is over; ask for another one"
_processes: dict[str, "SessionProcess"] = {}
"""Of the sessions of this worker, by their tokens."""
setup: dict[str, Any] = {"libraries": (), "callback": b""}
"""What a server has its sessions do first: load libraries, and call a function that cloudpickle has written."""


class SessionProcess:
    """The process of a session; requests go through a pipe."""

    def __init__(self, libraries: Sequence[str], callback: bytes) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, libraries, callback))
        self._process.start()
        theirs.close()

    def ask(self, packed: bytes) -> bytes:
        """Return the answer to a request."""
        try:
            self._pipe.send_bytes(packed)
            return self._pipe.recv_bytes()
        except (OSError, EOFError) as error:
            self._process.join(STOP_SECONDS)
            raise RPCError(f"session: its process has ended ({self._process.exitcode}); ask for another one") from error

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.join(STOP_SECONDS)
        self._pipe.close()


def hold(token: str, topic: str, seconds: float) -> None:
    """Hold a place of this worker until the client lets go of this task, its process ends, or time is over.

    The client hears on `topic` when it begins. No `seconds` mean no end.
    """
    worker: Any = distributed().get_worker()
    task = worker.state.tasks[worker.get_current_task()]
    deadline = time.monotonic() + seconds if seconds else None
    process = _processes[token] = SessionProcess(setup["libraries"], setup["callback"])
    try:
        worker.log_event(topic, worker.address)
        while process.runs and task.state == "executing" and (deadline is None or time.monotonic() < deadline):
            time.sleep(POLL_SECONDS)
    finally:
        del _processes[token]
        process.end()


def ask(token: str, packed: bytes) -> bytes:
    """Return the answer of a session of this worker."""
    if token not in _processes:
        raise RPCError(ENDED)
    return _processes[token].ask(packed)


def _serve(pipe: Connection, libraries: Sequence[str], callback: bytes) -> None:
    """Answer requests until the pipe is closed."""
    import pickle

    from s2s.tvm.rpc.objects import Objects

    end_with_parent()
    for library in libraries:
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    if callback:
        pickle.loads(callback)()
    objects = Objects()
    while True:
        try:
            packed = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(objects.answer(packed))
