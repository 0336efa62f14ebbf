"""Clients: sessions on servers, and the tracker that hands them out."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from s2s.errors import InputError, UnsupportedError
from s2s.executor.device import device
from s2s.farm.library import TRIAL
from s2s.tvm.error import RPCError, TVMError
from s2s.tvm.rpc.connection import Connection, address_of, connected
from s2s.tvm.rpc.local import uploaded
from s2s.tvm.rpc.remote import RemoteArray, RemoteDevice, RemoteModule, call
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.types.weights import Array

if TYPE_CHECKING:
    from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner

ANY = "rpc"
"""The key of a server that was given none."""


class RPCSession:
    """A session on a server, which it holds until `end`, or until nothing here refers to it."""

    def __init__(self, connection: Connection, tracker: "TrackerSession", key: str, priority: int = 1) -> None:
        self._connection, self._tracker, self._key, self._priority = connection, tracker, key, priority

    def upload(self, data: str | Path | bytes | bytearray, target: str | None = None) -> None:
        """Copy a file, or bytes under the name `target`, to the folder of the session."""
        if isinstance(data, bytes | bytearray):
            self._call("upload", bytes(data), target)
        else:
            self._call("upload", uploaded(data).read_bytes(), target or Path(data).name)

    def download(self, path: str) -> bytearray:
        """Return the bytes of a file of the session."""
        return self._call("download", path)

    def download_linked_module(self, path: str) -> bytearray:
        """Return the bytes of the shared library that the objects of a file of the session are linked to there."""
        return self._call("download_linked_module", path)

    def remove(self, path: str) -> None:
        """Remove a file of the session."""
        self._call("remove", path)

    def listdir(self, path: str = "") -> str:
        """Return the names of the files of the session, with commas between them."""
        return self._call("listdir", path)

    def load_module(self, path: str) -> RemoteModule:
        """Load a module of the session."""
        return self._call("load_module", path)

    def system_lib(self) -> RemoteModule:
        """Return the module of all functions that are linked into the process of the session."""
        return self._call("system_lib")

    def get_function(self, name: str) -> PackedFunc:
        """Return the function that is registered there under a name."""
        return self._call("get_function", name)

    def array(self, values: Array) -> RemoteArray:
        """Return an array of the session with these values, as `nd.array(values, session.cpu())` does."""
        return self._call("array", values)

    def device(self, dev_type: str | int, dev_id: int = 0) -> RemoteDevice:
        """Return a device of the session."""
        return RemoteDevice(device(dev_type, dev_id).device_type, dev_id, self)

    def cpu(self, dev_id: int = 0) -> RemoteDevice:
        """Return the processor of the session."""
        return self.device("cpu", dev_id)

    def cl(self, dev_id: int = 0) -> RemoteDevice:
        """Return a device of OpenCL, on which no code runs."""
        return self.device("opencl", dev_id)

    def cuda(self, dev_id: int = 0) -> RemoteDevice:
        """Return a graphics processor of NVIDIA, on which no code runs."""
        return self.device("cuda", dev_id)

    def vulkan(self, dev_id: int = 0) -> RemoteDevice:
        """Return a device of Vulkan, on which no code runs."""
        return self.device("vulkan", dev_id)

    def end(self) -> None:
        """Give the server back."""
        self._connection.end()

    def runner(self) -> "RPCRunner":
        """Give the server back, and return what measures candidates on servers of the same key."""
        from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner

        self.end()
        return RPCRunner(self._key, self._tracker.url, self._tracker.port, priority=self._priority)

    def _call(self, method: str, *arguments: Any) -> Any:
        return call(self._connection, 0, method, *arguments)


class TrackerSession:
    """The tracker of servers: the scheduler of a farm, given by its address (host, port)."""

    def __init__(self, addr: tuple[str, int]) -> None:
        self.url, self.port = addr
        self._client: Any = None

    @property
    def address(self) -> str:
        """Its address as `--farm` takes it."""
        return address_of(self.url, self.port)

    def close(self) -> None:
        """End the connection, and the sessions that came by it."""
        if self._client is not None:
            self._client.close(timeout=2)
            self._client = None

    def summary(self) -> dict[str, Any]:
        """Return servers with their keys and addresses (`server_info`), and how many of each key are free and how many
        requests wait (`queue_info`)."""
        found: dict[str, Any] = self._connected().run_on_scheduler(_look)
        return found

    def text_summary(self) -> str:
        """Return the servers, and how many of each key there are, are free, and are waited for."""
        found = self.summary()
        totals = Counter(each["key"] for each in found["server_info"])
        lines = ["Server List", "server-address           key"]
        lines += [f"{':'.join(map(str, each['addr'])):>21}    {each['key']}" for each in found["server_info"]]
        width = max(map(len, found["queue_info"]), default=3)
        lines += ["", "Queue Status", f"{'key':{width}}   total  free  pending"]
        for key, queue in sorted(found["queue_info"].items()):
            total = totals[f"server:{key}"]
            lines.append(f"{key:{width}}   {total:<5}  {queue['free']:<4}  {queue['pending']:<7}")
        return "\n".join(lines)

    def request(
        self,
        key: str,
        priority: int = 1,
        session_timeout: float = 0,
        max_retry: int = 5,
        session_constructor_args: Sequence[object] | None = None,
    ) -> RPCSession:
        """Return a session on a server of a key, once one is free. It ends after `session_timeout` seconds, if any.

        A server of the key must be there: it is looked for `max_retry` times, half a second apart.
        """
        _refuse_constructor(session_constructor_args)
        for _ in range(max(max_retry, 1)):
            if key in self.summary()["queue_info"]:
                return RPCSession(Connection(self._connected(), key, priority, session_timeout), self, key, priority)
            self._connected().sync(_pause)
        raise InputError(
            f"tracker.request({key!r}): no worker has it; start one: "
            f"python -m s2s.tvm.exec.rpc_server --tracker={self.url}:{self.port} --key={key}"
        )

    def request_and_run(
        self,
        key: str,
        func: Callable[[RPCSession], Any],
        priority: int = 1,
        session_timeout: float = 0,
        max_retry: int = 2,
    ) -> Any:
        """Return what `func` returns for a session on a server of a key; it is called again where the session fails."""
        error: Exception | None = None
        for _ in range(max(max_retry, 1)):
            session = self.request(key, priority, session_timeout)
            try:
                return func(session)
            except TVMError as failed:
                error = failed
            finally:
                session.end()
        raise RPCError(f"request_and_run({key!r}): failed {max_retry} times; the last time: {error}") from error

    def _connected(self) -> Any:
        if self._client is None:
            self._client = connected(self.address, f"tracker {self.url}:{self.port}")
        return self._client


def connect_tracker(url: str, port: int) -> TrackerSession:
    """Return the tracker at an address; it is asked when something is wanted of it."""
    return TrackerSession((url, port))


def connect(
    url: str,
    port: int,
    key: str = "",
    session_timeout: float = 0,
    session_constructor_args: Sequence[object] | None = None,
    enable_logging: bool = False,
) -> RPCSession:
    """Return a session on the server at an address, once it is free; a `key` must be the one it was started with."""
    _refuse_constructor(session_constructor_args)
    if enable_logging:
        raise UnsupportedError("rpc.connect: enable_logging: calls are not logged; leave it out")
    server = connect_tracker(url, port)
    keys = list(server.summary()["queue_info"])
    if key and key not in keys:
        raise RPCError(
            f"rpc.connect: the server at {url}:{port} has the key {', '.join(keys) or ANY}, not {key}; name it"
        )
    return server.request(key or keys[0] if keys else ANY, session_timeout=session_timeout)


def _refuse_constructor(arguments: Sequence[object] | None) -> None:
    """Sessions are made in one way."""
    if arguments:
        raise UnsupportedError(
            f"session_constructor_args: {arguments[0]}: a session is a process of the server itself; connect to the "
            "other server"
        )


async def _pause() -> None:
    await asyncio.sleep(0.5)


def _look(dask_scheduler: Any) -> dict[str, Any]:
    """Read the state of the scheduler, inside of it."""
    keys: list[tuple[str, SplitResult]] = [
        (name, urlsplit(str(each.address)))
        for each in dask_scheduler.workers.values()
        for name in each.resources
        if name != TRIAL
    ]
    wanted = Counter[str]()
    for task in dask_scheduler.tasks.values():
        if task.state in ("processing", "no-worker", "queued"):
            wanted.update(name for name in task.resource_restrictions or () if name != TRIAL)
    totals = Counter(name for name, _ in keys)
    queues = {
        key: {"free": max(totals[key] - wanted[key], 0), "pending": max(wanted[key] - totals[key], 0)}
        for key in {*totals, *wanted}
    }
    ordered = sorted(keys, key=lambda pair: pair[0])
    servers = [{"key": f"server:{name}", "addr": [where.hostname, where.port]} for name, where in ordered]
    return {"queue_info": queues, "server_info": servers}
