"""The process of a worker: a Dask worker that has places to measure in, and says every second that it is alive.

A supervisor (`s2s/farm/supervisor.py`) starts it with the command line of `main`, and replaces it when it ends or falls
silent. It ends when its scheduler does.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any

from s2s.farm.library import TRIAL, distributed
from s2s.farm.security import Certificates

HEARTBEAT_SECONDS = 1.0
THREADS = 2
"""One for the trial that runs, and one for tasks that are handed to trials meanwhile."""


def main(arguments: Sequence[str]) -> int:
    """Run a worker until its scheduler ends."""
    parser = argparse.ArgumentParser(prog="python -m s2s.farm.worker")
    parser.add_argument("address")
    parser.add_argument("--name", required=True)
    parser.add_argument("--board", action="append", default=[])
    for option in ("--tls-ca", "--tls-cert", "--tls-key"):
        parser.add_argument(option, default="")
    given = parser.parse_args(arguments)
    certificates = Certificates(given.tls_ca, given.tls_cert, given.tls_key)
    asyncio.run(_run(given.address, given.name, given.board, certificates))
    return 0


def make_worker(address: str, name: str | None, boards: Sequence[str], certificates: Certificates, **where: Any) -> Any:
    """Return Dask's worker, which connects once it is entered; `where` are Dask's words for its own address."""
    return distributed().Worker(
        address,
        name=name,
        nthreads=THREADS,
        resources=dict.fromkeys((*boards, TRIAL), 1),
        security=certificates.security(),
        death_timeout=20,
        dashboard=False,
        memory_limit=0,
        local_directory=os.environ.get("TMPDIR", "/tmp"),
        **where,
    )


async def _run(address: str, name: str, boards: Sequence[str], certificates: Certificates) -> None:
    async with make_worker(address, name, boards, certificates) as worker:
        beating = asyncio.create_task(_beat())
        await worker.finished()
        beating.cancel()


async def _beat() -> None:
    """Write a line to the supervisor every second; end with it."""
    while True:
        try:
            os.write(sys.stdout.fileno(), b"\n")
        except OSError:
            os._exit(1)
        await asyncio.sleep(HEARTBEAT_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
