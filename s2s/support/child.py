"""Run a function in a child process: a crash, a hang or a runaway allocation there is a result, not the end."""

import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, TypeVar

from s2s.support.frozen import frozen

T = TypeVar("T")


@frozen
class Finished(Generic[T]):
    """The end of a child: its result, or why there is none."""

    result: T | None
    crash: str = ""
    """The signal or error that ended the child."""
    hung: bool = False
    """Whether the time ran out."""

    @property
    def reason(self) -> str:
        """The last line of what ended the child."""
        return (self.crash.strip().splitlines() or ["it ended"])[-1]


def run_in_child(
    function: Callable[[], T], seconds: float, memory: int | None = None, cpu_seconds: float | None = None
) -> Finished[T]:
    """What `function` returns in a forked process, which may run for some seconds and allocate some bytes.

    `cpu_seconds` bounds the time of the processor alone, by default as `seconds` does.
    """
    limits = (seconds if cpu_seconds is None else cpu_seconds, memory)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(function, theirs, *limits))
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return Finished(None, f"no result after {seconds:g} s", hung=True)
        try:
            kind, value = ours.recv()
        except EOFError:
            process.join()
            return Finished(None, _ending(process.exitcode))
        return Finished(value) if kind == "result" else Finished(None, value)
    finally:
        ours.close()
        if process.is_alive():
            process.join(1.0)
        if process.is_alive():
            process.kill()
        process.join()


def _serve(function: Callable[[], Any], connection: Connection, seconds: float, memory: int | None) -> None:
    os.setpgrp()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # others are not there after a fork, but would be waited for
    if memory is not None:
        most = _address_space() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds)))
    try:
        connection.send(("result", function()))
    except MemoryError:
        connection.send(("error", "memory ran out"))
    except BaseException:
        connection.send(("error", traceback.format_exc()))
    connection.close()
    os._exit(0)  # what was loaded is not worth taking apart


def _address_space() -> int:
    """The bytes of address space that this process has taken so far."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
