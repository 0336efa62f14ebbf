"""The scheduler of a farm: Dask's, which hands trials to workers by priority."""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec

from s2s.errors import InputError
from s2s.farm.library import distributed
from s2s.farm.security import Certificates

PORT = 8786
DASHBOARD_PORT = 8787


def run_scheduler(
    host: str, port: int, certificates: Certificates, dashboard_port: int | None, on_start: Callable[[str, str], None]
) -> None:
    """Run a scheduler until it is interrupted; `on_start` is told its address and the one of its status page."""
    module = distributed()
    security = certificates.security()
    with_page = dashboard_port is not None and find_spec("bokeh") is not None

    async def run() -> None:
        scheduler = module.Scheduler(
            host=host,
            port=port,
            protocol="tcp" if security is None else "tls",
            security=security,
            dashboard=with_page,
            dashboard_address=f":{dashboard_port}" if with_page else ":0",
        )
        async with scheduler:
            page = f"http://{host or 'localhost'}:{dashboard_port}/status" if with_page else ""
            on_start(scheduler.address, page)
            await scheduler.finished()

    try:
        asyncio.run(run())
    except OSError as error:
        raise InputError(f"s2s farm scheduler: {host}:{port}: {error.strerror}; give another --port") from error
