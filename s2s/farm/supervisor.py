"""Supervision of the workers of a machine: one that has ended, or has fallen silent, is replaced by a new process."""

import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from s2s.farm.security import Certificates
from s2s.farm.worker import HEARTBEAT_SECONDS
from s2s.support.jobs import VARIABLE, cores, jobs

START_SECONDS = 60.0
"""A worker may take this long until it is heard for the first time."""
SILENCE_SECONDS = 20 * HEARTBEAT_SECONDS
"""A worker that is not heard for this long hangs."""
PAUSE_SECONDS = 1.0
"""Between the end of a worker and its replacement."""


@dataclass
class _Slot:
    """A place for one worker process."""

    name: str
    jobs: int
    """Compilers that it runs at a time."""
    process: subprocess.Popen[bytes] | None = None
    deadline: float = 0.0
    """When it counts as hanging."""
    starts: int = field(default=0)
    not_before: float = 0.0


def supervise(address: str, boards: Sequence[str], count: int, certificates: Certificates) -> None:
    """Keep `count` workers alive until the caller is interrupted.

    They share the cores: each runs an equal part of the compilers that one would run, unless `S2S_JOBS` says otherwise.
    """
    share = jobs() if VARIABLE in os.environ else max(cores() // count, 1)
    slots = [_Slot(f"{socket.gethostname()}-{os.getpid()}-{number}", share) for number in range(count)]
    try:
        while True:
            for slot in slots:
                _tend(slot, address, boards, certificates)
            _listen(slots)
    finally:
        for slot in slots:
            _end(slot)


def _tend(slot: _Slot, address: str, boards: Sequence[str], certificates: Certificates) -> None:
    """Start the worker of a slot if it has none, and end one that hangs."""
    now = time.monotonic()
    if slot.process is not None and (slot.process.poll() is not None or now > slot.deadline):
        _end(slot)
        slot.not_before = now + PAUSE_SECONDS
    if slot.process is None and now >= slot.not_before:
        if not _answers(address):
            slot.not_before = now + PAUSE_SECONDS
            return
        slot.starts += 1
        words = [f"--board={board}" for board in boards]
        name = f"{slot.name}.{slot.starts}"
        slot.process = subprocess.Popen(
            [sys.executable, "-m", "s2s.farm.worker", address, "--name", name, *words, *certificates.arguments],
            stdout=subprocess.PIPE,
            env={**os.environ, VARIABLE: str(slot.jobs)},
            start_new_session=True,
        )
        slot.deadline = now + START_SECONDS


def _listen(slots: Sequence[_Slot]) -> None:
    """Wait a little for signs of life."""
    pipes = {
        slot.process.stdout: slot for slot in slots if slot.process is not None and slot.process.stdout is not None
    }
    if not pipes:
        time.sleep(PAUSE_SECONDS)
        return
    ready, _, _ = select.select(list(pipes), [], [], PAUSE_SECONDS)
    for pipe in ready:
        if os.read(pipe.fileno(), 4096):
            pipes[pipe].deadline = time.monotonic() + SILENCE_SECONDS
        else:
            time.sleep(0.05)  # it has ended, and is replaced in the next round


def _end(slot: _Slot) -> None:
    if slot.process is not None:
        slot.process.kill()
        slot.process.wait()
        if slot.process.stdout is not None:
            slot.process.stdout.close()
        slot.process = None


def _answers(address: str) -> bool:
    """Whether something listens at the address of the scheduler."""
    where = urlsplit(address)
    try:
        with socket.create_connection((where.hostname or "localhost", where.port or 0), timeout=2):
            return True
    except OSError:
        return False
