"""What the workers of a farm have and do."""

from typing import Any

from s2s.errors import InputError
from s2s.farm.library import TRIAL, distributed
from s2s.farm.security import Certificates
from s2s.support.frozen import frozen


@frozen
class WorkerStatus:
    """A worker."""

    name: str
    address: str
    boards: tuple[str, ...]
    """The places that it measures in."""
    running: int
    """Trials that it runs or has waiting."""
    memory: int
    """Bytes that its process takes."""


@frozen
class FarmStatus:
    """A farm."""

    address: str
    workers: tuple[WorkerStatus, ...]
    waiting: int
    """Trials that no worker has yet."""
    tuners: int
    """Tuners that are connected."""


def farm_status(address: str, certificates: Certificates | None = None) -> FarmStatus:
    """Ask the scheduler of a farm."""
    module, given = distributed(), certificates if certificates is not None else Certificates()
    given.check(address)
    try:
        client = module.Client(address, timeout="5s", security=given.security(), set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InputError(f"{address}: no scheduler answers ({error}); start one: s2s farm scheduler") from error
    with client:
        found: dict[str, Any] = client.run_on_scheduler(_look)
    return FarmStatus(
        address, tuple(WorkerStatus(**each) for each in found["workers"]), found["waiting"], found["tuners"]
    )


def _look(dask_scheduler: Any) -> dict[str, Any]:
    """Read the state of the scheduler, inside of it."""
    workers = [
        {
            "name": str(each.name),
            "address": each.address,
            "boards": tuple(name for name in each.resources if name != TRIAL),
            "running": len(each.processing),
            "memory": int(each.metrics.get("memory", 0)),
        }
        for each in dask_scheduler.workers.values()
    ]
    waiting = sum(each.state in ("no-worker", "queued", "waiting") for each in dask_scheduler.tasks.values())
    tuners = sum(not key.startswith("fire-and-forget") for key in dask_scheduler.clients) - 1
    return {"workers": sorted(workers, key=lambda each: each["name"]), "waiting": waiting, "tuners": max(tuners, 0)}
