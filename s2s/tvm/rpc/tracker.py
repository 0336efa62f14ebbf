"""The tracker: the scheduler of a farm in a process of its own, with the certificate of the user."""

import asyncio
from collections.abc import Callable
from typing import Any

from s2s.errors import InputError, UnsupportedError
from s2s.farm.scheduler import make_scheduler
from s2s.farm.user_certificates import user_certificates
from s2s.tvm.rpc.processes import ServingProcess

FIRST_PORT, END_PORT = 9190, 9199


class Tracker:
    """A tracker in a process of its own, which ends with this object: it hands out servers by their keys.

    It listens at the first free port from `port` to below `port_end`. `silent` keeps its message of what it exposes
    back. `reuse_addr` is TVM's: ports are always taken again.
    """

    def __init__(
        self,
        host: str = "0.0.0.0",
        port: int = FIRST_PORT,
        port_end: int = END_PORT,
        silent: bool = False,
        reuse_addr: bool = True,
        timeout: float | None = None,
    ) -> None:
        refuse_timeout("Tracker", timeout)
        words = [f"--host={host}", f"--port={port}", f"--port-end={port_end}", *(["--silent"] if silent else [])]
        self._process = ServingProcess("rpc_tracker", words)
        self.host, self.port = host, self._process.port

    def terminate(self) -> None:
        """End the tracker."""
        self._process.terminate()


def refuse_timeout(name: str, timeout: float | None) -> None:
    """Connections wait as the settings of Dask say."""
    if timeout is not None:
        raise UnsupportedError(f"rpc.{name}: timeout: connections wait as Dask's settings say; leave it out")


def run_tracker(host: str, port: int, port_end: int, on_start: Callable[[int], None]) -> None:
    """Run a tracker until it is interrupted; `on_start` is told its port."""

    async def run() -> None:
        scheduler = await listening(host, port, port_end)
        on_start(scheduler.port)
        await scheduler.finished()

    asyncio.run(run())


async def listening(host: str, port: int, port_end: int) -> Any:
    """Return a scheduler that listens at the first free port of some."""
    for number in range(port, port_end):
        try:
            return await make_scheduler("" if host == "0.0.0.0" else host, number, user_certificates(), dashboard=False)
        except (OSError, RuntimeError) as error:
            if number == port_end - 1:
                raise InputError(f"rpc: {host}:{port} to {port_end}: no port is free ({error}); give others") from error
    raise InputError(f"rpc: ports {port} to {port_end}: there is none; give a port_end above port")
