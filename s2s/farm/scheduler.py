"""The scheduler of a farm: Dask's, which hands trials to workers by priority."""

import asyncio
from collections.abc import Callable
from typing import Any

from s2s.errors import InputError
from s2s.farm.library import distributed
from s2s.farm.security import Certificates

PORT = 8786


def make_scheduler(host: str, port: int, certificates: Certificates, **status_page: Any) -> Any:
    """Return Dask's scheduler, which listens once it is entered; `status_page` are Dask's words for its dashboard."""
    security = certificates.security()
    protocol = "tcp" if security is None else "tls"
    return distributed().Scheduler(host=host, port=port, protocol=protocol, security=security, **status_page)


def run_scheduler(
    host: str, port: int, certificates: Certificates, dashboard_port: int, on_start: Callable[[str, str], None]
) -> None:
    """Run a scheduler until it is interrupted; `on_start` is told its address and the one of its status page."""

    async def run() -> None:
        scheduler = make_scheduler(
            host, port, certificates, dashboard=True, dashboard_address=f"{host}:{dashboard_port}"
        )
        async with scheduler:
            on_start(scheduler.address, f"http://{host or 'localhost'}:{scheduler.http_server.port}/status")
            await scheduler.finished()

    try:
        asyncio.run(run())
    except OSError as error:
        raise InputError(f"s2s farm scheduler: {host}:{port}: {error.strerror}; give another --port") from error
