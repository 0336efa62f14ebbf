"""The scheduler of a farm: Dask's, which hands trials to workers by priority."""

import asyncio
from collections.abc import Callable

from s2s.errors import InputError
from s2s.farm.library import distributed
from s2s.farm.security import Certificates

PORT = 8786


def run_scheduler(
    host: str, port: int, certificates: Certificates, dashboard_port: int, on_start: Callable[[str, str], None]
) -> None:
    """Run a scheduler until it is interrupted; `on_start` is told its address and the one of its status page."""
    module = distributed()
    security = certificates.security()

    async def run() -> None:
        scheduler = module.Scheduler(
            host=host,
            port=port,
            protocol="tcp" if security is None else "tls",
            security=security,
            dashboard=True,
            dashboard_address=f"{host}:{dashboard_port}",
        )
        async with scheduler:
            on_start(scheduler.address, f"http://{host or 'localhost'}:{scheduler.http_server.port}/status")
            await scheduler.finished()

    try:
        asyncio.run(run())
    except OSError as error:
        raise InputError(f"s2s farm scheduler: {host}:{port}: {error.strerror}; give another --port") from error
