"""A farm on this machine for tests: a scheduler, and workers under a supervisor, as processes."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from s2s.errors import InputError
from s2s.farm.status import farm_status
from support.project import ROOT


def command(*words: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start `s2s` with some words, and PYTHONPATH at the checkout."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "s2s", *words], env=environment, stdout=stdout, start_new_session=True
    )


def free_port() -> int:
    """Return a port of this machine that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.2)


class Farm:
    """A context manager around a farm."""

    def __init__(self, count: int, boards: Sequence[str] = ("host",), certificates: Sequence[Path] = ()) -> None:
        self.port = free_port()
        self.address = f"{'tls' if certificates else 'tcp'}://127.0.0.1:{self.port}"
        options = zip(("--tls-ca", "--tls-cert", "--tls-key"), map(str, certificates), strict=False)
        self._options = [word for pair in options for word in pair]
        self.count, self.boards = count, boards

    def __enter__(self) -> Self:
        self.scheduler = self._scheduler()
        places = [f"--board={board}" for board in self.boards]
        self.supervisor = command("farm", "worker", self.address, *places, "--count", str(self.count), *self._options)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (*self.workers, self.supervisor, self.scheduler):
            each.kill()
        self.supervisor.wait()
        self.scheduler.wait()

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes of workers."""
        try:
            return psutil.Process(self.supervisor.pid).children()
        except psutil.NoSuchProcess:
            return []

    def wait_for_workers(self, count: int | None = None) -> None:
        """Wait until workers have connected."""

        def connected() -> bool:
            try:
                return len(farm_status(self.address).workers) >= (count or self.count)
            except InputError:
                return False

        wait_until(connected)

    def kill_a_worker(self, chance: random.Random) -> None:
        """Kill a worker by SIGKILL."""
        if found := self.workers:
            chance.choice(found).kill()

    def stop_a_worker(self) -> None:
        """Let a worker hang."""
        self.workers[0].send_signal(signal.SIGSTOP)

    def replace_scheduler(self) -> None:
        """Kill the scheduler by SIGKILL and start another one."""
        self.scheduler.kill()
        self.scheduler.wait()
        time.sleep(1)
        self.scheduler = self._scheduler()

    def _scheduler(self) -> subprocess.Popen[bytes]:
        words = ["--host", "127.0.0.1", "--port", str(self.port), *self._options]
        return command("farm", "scheduler", *words)
