"""TVM's words for remote machines: the tracker is the scheduler of a farm, and a session is one place of its workers.

tracker = rpc.connect_tracker("farm", 8786)
print(tracker.text_summary())
session = tracker.request("qemu:m4")
option = autotvm.measure_option(runner=session.runner())       or RPCRunner("qemu:m4", "farm", 8786)

A farm measures candidates; it gives no shell. `rpc.LocalSession()` has the calls of a session in this process, for
programs that are written about one.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from s2s.errors import InputError, UnsupportedError
from s2s.executor.device import Device, cpu, device
from s2s.farm.status import FarmStatus, farm_status
from s2s.support.frozen import frozen
from s2s.tvm.contrib.utils import TempDirectory
from s2s.tvm.runtime.library import load_module
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.registry import get_global_func

if TYPE_CHECKING:
    from s2s.tvm.autotvm.rpc_runner import RPCRunner

__all__ = ["LocalSession", "Server", "Session", "Tracker", "TrackerSession", "connect", "connect_tracker"]


class LocalSession:
    """A session in this process: files are copied to a folder of its own, and modules are loaded from there."""

    def __init__(self) -> None:
        self._folder = TempDirectory()

    def upload(self, data: str | Path | bytes | bytearray, target: str | None = None) -> None:
        """Copy a file, or bytes under the name `target`, to the folder of the session."""
        if isinstance(data, bytes | bytearray):
            if not target:
                raise InputError("session.upload: bytes have no name of a file; give target")
            self._path(target).write_bytes(data)
            return
        source = Path(data)
        if not source.is_file():
            raise InputError(f"session.upload {source}: there is no such file; give one that export_library wrote")
        shutil.copyfile(source, self._path(target or source.name))

    def download(self, path: str) -> bytearray:
        """Return the bytes of a file of the session."""
        return bytearray(self._there(path).read_bytes())

    def remove(self, path: str) -> None:
        """Remove a file of the session."""
        self._there(path).unlink()

    def listdir(self, path: str = "") -> str:
        """Return the names of the files of the session, with commas between them."""
        return ",".join(sorted(self._folder.listdir()))

    def load_module(self, path: str) -> Module:
        """Load a module of the session, as `runtime.load_module` does."""
        return load_module(self._there(path))

    def get_function(self, name: str) -> PackedFunc:
        """Return the function that is registered under a name."""
        found = get_global_func(name)
        assert found is not None  # it raises where there is none
        return found

    def device(self, dev_type: str | int, dev_id: int = 0) -> Device:
        """Return a device of the session: the processor."""
        return device(dev_type, dev_id)

    def cpu(self, dev_id: int = 0) -> Device:
        """Return the processor."""
        return cpu(dev_id)

    def _path(self, name: str) -> Path:
        """The path of a file of the session; a name that leads out of its folder is refused."""
        if Path(name).name != name:
            raise InputError(f"session: {name!r} is no name of a file; give one without folders")
        return Path(self._folder.relpath(name))

    def _there(self, name: str) -> Path:
        path = self._path(name)
        if not path.is_file():
            raise InputError(f"session: {name} has not been uploaded; it has {self.listdir() or 'no files'}")
        return path


@frozen
class Session:
    """A place that workers of a farm measure in."""

    key: str
    host: str
    port: int
    priority: int

    def runner(self) -> "RPCRunner":
        """Return what measures candidates there."""
        from s2s.tvm.autotvm.rpc_runner import RPCRunner

        return RPCRunner(self.key, self.host, self.port, priority=self.priority)

    def upload(self, data: object, target: str | None = None) -> NoReturn:
        """Refused: workers take candidates of a tuner, no files."""
        raise UnsupportedError(
            f"session of {self.key}: a worker of a farm measures candidates and takes no files; use its runner(), or "
            "`s2s verify --on` for a network"
        )

    load_module = upload


@frozen
class TrackerSession:
    """The scheduler of a farm."""

    host: str
    port: int

    @property
    def address(self) -> str:
        """Its address as `--farm` takes it."""
        return f"tcp://{self.host}:{self.port}"

    def summary(self) -> FarmStatus:
        """Return the workers and what they do."""
        return farm_status(self.address)

    def text_summary(self) -> str:
        """Return the places and how many workers have each."""
        found = self.summary()
        places = sorted({board for worker in found.workers for board in worker.boards})
        lines = [f"{place}: {sum(place in each.boards for each in found.workers)} workers" for place in places]
        return "\n".join(lines or ["no workers"])

    def request(self, key: str, priority: int = 1, session_timeout: float = 0, max_retry: int = 5) -> Session:
        """Return a session in the place `key`, which a worker must have; it is asked for up to `max_retry` times.

        A session holds nothing, so that there is nothing a `session_timeout` could end: it is refused.
        """
        if session_timeout:
            raise InputError(
                f"tracker.request({key!r}): session_timeout {session_timeout}: a session holds no worker; give the "
                "runner a timeout"
            )
        for _ in range(max(max_retry, 1)):
            if any(key in each.boards for each in self.summary().workers):
                return Session(key, self.host, self.port, priority)
        raise InputError(
            f"tracker.request({key!r}): no worker has it; start one: s2s farm worker {self.address} --board {key}"
        )

    def request_and_run(
        self,
        key: str,
        func: Callable[[Session], Any],
        priority: int = 1,
        session_timeout: float = 0,
        max_retry: int = 2,
    ) -> Any:
        """Return what `func` returns for a session in the place `key`; it is called again where it fails."""
        for number in range(max(max_retry, 1)):
            try:
                return func(self.request(key, priority, session_timeout, 1))
            except Exception:
                if number + 1 >= max_retry:
                    raise
        return None


class Tracker:
    """Refused: the tracker of a farm is its scheduler."""

    def __init__(self, *_: object, **__: object) -> None:
        raise UnsupportedError(
            "rpc.Tracker: it hands out machines that run what they are sent; start `s2s farm scheduler`, and connect "
            "by rpc.connect_tracker"
        )


def connect_tracker(url: str, port: int) -> TrackerSession:
    """Return the tracker at an address; it is asked when something is wanted of it."""
    return TrackerSession(url, port)


def connect(url: str, port: int, key: str = "", session_timeout: float = 0, **_: object) -> NoReturn:
    """Refused: TVM's protocol lets whoever reaches a port load and run any code."""
    raise UnsupportedError(
        f"rpc.connect({url!r}, {port}): a server of TVM runs what it is sent; measure on a farm (rpc.connect_tracker), "
        "or use rpc.LocalSession"
    )


class Server:
    """Refused: `s2s farm worker` is what measures for others."""

    def __init__(self, *_: object, **__: object) -> None:
        raise UnsupportedError("rpc.Server: it runs what it is sent; start `s2s farm scheduler` and `s2s farm worker`")
