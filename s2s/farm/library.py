"""Dask.distributed, imported where it is needed, with the settings of the farm."""

import logging
from typing import Any

from s2s.support.extras import optional_module

SETTINGS = {
    "distributed.scheduler.allowed-failures": 20,
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.scheduler.work-stealing": True,
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.comm.timeouts.connect": "10s",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
"""A trial runs in a process of its own, so that a worker that dies says nothing against its trial. Dask's profiler and
its monitors would cost more time than the farm itself."""
TRIAL = "trial"
"""The resource that each worker has once: it runs one trial at a time, however many places it has."""
LOST_TIMEOUT = 600.0
"""Seconds that tuners and workers wait for a scheduler that has gone away."""


def distributed() -> Any:
    """Return the module `distributed`, set up for the farm: it reports what goes wrong, not each connection."""
    module, dask = (
        optional_module(name, "farm", "the farm", "tune without --farm") for name in ("distributed", "dask")
    )
    dask.config.set(SETTINGS)
    logging.getLogger(module.__name__).setLevel(logging.WARNING)
    return module
