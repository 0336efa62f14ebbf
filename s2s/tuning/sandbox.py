"""Calls in a process of their own, with a deadline and a limit of memory."""

import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from s2s.errors import ToolchainError

Result = TypeVar("Result")

GIGABYTE = 1 << 30
_PR_SET_PDEATHSIG = 1
"""Of Linux: end with the thread that has forked."""


class CallTimedOutError(ToolchainError):
    """The call was still running at its deadline; it was killed with all processes that it had started."""


class CallDiedError(ToolchainError):
    """The process ended without a result: it was killed, or it crashed."""


class CallFailedError(ToolchainError):
    """The call raised an exception."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        """The name of the exception's class."""


class SandboxedCall(Generic[Result]):
    """A call that runs in a forked process. The process leads a group, so that compilers and emulators die with it."""

    def __init__(self, function: Callable[[], Result], *, seconds: float, memory: int = 8 * GIGABYTE) -> None:
        fork = get_context("fork")
        self._deadline = time.monotonic() + seconds
        self._seconds = seconds
        self._receiver, sender = fork.Pipe(duplex=False)
        self._process = fork.Process(target=_run, args=(function, sender, memory), daemon=True)
        self._process.start()
        sender.close()

    def result(self) -> Result:
        """Wait for the end of the call and return its result."""
        try:
            if not self._receiver.poll(max(self._deadline - time.monotonic(), 0)):
                raise CallTimedOutError(f"no result within {self._seconds:g} s")
            succeeded, value = self._receiver.recv()
        except EOFError:
            self._process.join(1)
            raise CallDiedError(f"the process ended with exit code {self._process.exitcode}") from None
        finally:
            self.kill()
        if not succeeded:
            raise CallFailedError(*value)
        return value

    def kill(self) -> None:
        """End the process and everything that it has started."""
        if self._process.pid is not None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.kill()
        self._process.join()
        self._receiver.close()


def call_in_sandbox(function: Callable[[], Result], *, seconds: float, memory: int = 8 * GIGABYTE) -> Result:
    """Call `function` in a process of its own and return its result, which must be picklable."""
    return SandboxedCall(function, seconds=seconds, memory=memory).result()


def end_with_parent() -> None:
    """Let this process be killed when the thread that has started it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _run(function: Callable[[], object], sender: Connection, memory: int) -> None:
    end_with_parent()
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sender.send((True, function()))
    except Exception as error:
        sender.send((False, (type(error).__name__, str(error))))
    finally:
        sender.close()
