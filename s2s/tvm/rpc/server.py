"""A server: a worker of a farm in a process of its own, which runs what holders of the user's key send."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import Any

from s2s.errors import UnsupportedError
from s2s.farm.user_certificates import user_certificates
from s2s.farm.worker import make_worker
from s2s.support.extras import optional_module
from s2s.tvm.rpc import holding
from s2s.tvm.rpc.client import ANY
from s2s.tvm.rpc.connection import address_of
from s2s.tvm.rpc.processes import ServingProcess
from s2s.tvm.rpc.tracker import listening, refuse_timeout

FIRST_PORT, END_PORT = 9091, 9199


class Server:
    """A server in a process of its own, which ends with this object.

    It listens at the first free port from `port` to below `port_end`; with a tracker (host, port), sessions come by it.
    Each session is a process, in which `load_library` are loaded and `server_init_callback` is called first.
    `custom_addr` is the host by which the tracker finds it. Processes are spawned, never forked, so that `no_fork`
    changes nothing; nor does `reuse_addr`, as ports are always taken again. `silent` keeps its message of what it
    exposes back.
    """

    def __init__(
        self,
        host: str = "0.0.0.0",
        port: int = FIRST_PORT,
        port_end: int = END_PORT,
        is_proxy: bool = False,
        tracker_addr: tuple[str, int] | None = None,
        key: str = "",
        load_library: str | None = None,
        custom_addr: str | None = None,
        silent: bool = False,
        no_fork: bool = False,
        server_init_callback: Callable[[], object] | None = None,
        reuse_addr: bool = True,
        timeout: float | None = None,
    ) -> None:
        refuse_timeout("Server", timeout)
        if is_proxy:
            raise UnsupportedError("rpc.Server: is_proxy: there are no proxies; give the address of a tracker")
        words = [f"--host={host}", f"--port={port}", f"--port-end={port_end}", f"--key={key}"]
        words += [f"--tracker={tracker_addr[0]}:{tracker_addr[1]}"] if tracker_addr else []
        words += [f"--load-library={load_library}"] if load_library else []
        words += [f"--custom-addr={custom_addr}"] if custom_addr else []
        words += ["--silent"] if silent else []
        self._process = ServingProcess("rpc_server", words, _pickled(server_init_callback))
        self.host, self.port = host, self._process.port

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def terminate(self) -> None:
        """End the server and its sessions."""
        self._process.terminate()


def _pickled(callback: Callable[[], object] | None) -> bytes:
    """The bytes of a callback with its code, as a session may not find its module."""
    if callback is None:
        return b""
    cloudpickle: Any = optional_module("cloudpickle", "farm", "rpc.Server", "leave server_init_callback out")
    module = sys.modules[callback.__module__]
    cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(callback))
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def run_server(
    host: str,
    port: int,
    port_end: int,
    key: str,
    tracker: tuple[str, int] | None,
    custom_addr: str | None,
    libraries: Sequence[str],
    callback: bytes,
    on_start: Callable[[int], None],
) -> None:
    """Run a server until it is interrupted; `on_start` is told its port."""
    holding.setup.update(libraries=tuple(libraries), callback=callback)

    async def run() -> None:
        if tracker is None:
            scheduler = await listening(host, port, port_end)
            address = scheduler.address
            where: dict[str, Any] = {"host": "127.0.0.1", "protocol": "tls"}
        else:
            scheduler, address = None, address_of(*tracker)
            where = {"host": None if host == "0.0.0.0" else host, "port": f"{port}:{port_end - 1}"}
        where |= {"contact_address": custom_addr} if custom_addr else {}
        async with make_worker(address, None, [key or ANY], user_certificates(), **where) as worker:
            on_start(worker.port if scheduler is None else scheduler.port)
            await worker.finished()

    asyncio.run(run())
