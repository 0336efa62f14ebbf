"""Trackers and servers as processes of a Python program, which end with it: when their stdin does."""

import atexit
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence

from s2s.tvm.error import RPCError

STOP_SECONDS = 5.0


class ServingProcess:
    """A module of `s2s.tvm.exec` that runs; its first line on stdout is the port it listens at."""

    def __init__(self, module: str, words: Sequence[str], given: bytes = b"") -> None:
        command = [sys.executable, "-m", f"s2s.tvm.exec.{module}", "--child", *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"%d\n%b" % (len(given), given))
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        self._process.stdout.close()
        if not line.strip().isdigit():
            self._process.wait()
            raise RPCError(f"{module}: has ended before it listened; its messages are above")
        self.port = int(line)
        self._finalizer = weakref.finalize(self, _end, self._process)
        atexit.register(self._finalizer)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def terminate(self) -> None:
        """End it."""
        self._finalizer()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait(STOP_SECONDS)
    if process.stdin is not None:
        process.stdin.close()


def given_by_parent() -> bytes:
    """Return what the program that started this process gave it, and end together with that program."""
    size = int(sys.stdin.buffer.readline())
    given = sys.stdin.buffer.read(size)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    return given


def _end_with_stdin() -> None:
    os.read(sys.stdin.fileno(), 1)  # nothing comes but its end
    os._exit(0)
