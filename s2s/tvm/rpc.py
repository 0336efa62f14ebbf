"""TVM's words for a farm: the tracker is its scheduler, and a session is one place of its workers.

tracker = rpc.connect_tracker("farm", 8786)
print(tracker.text_summary())
session = tracker.request("qemu:m4")
option = autotvm.measure_option(runner=session.runner())       or RPCRunner("qemu:m4", "farm", 8786)
"""

from typing import TYPE_CHECKING

from s2s.errors import InputError
from s2s.farm.status import FarmStatus, farm_status
from s2s.support.frozen import frozen

if TYPE_CHECKING:
    from s2s.tvm.autotvm.rpc_runner import RPCRunner


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


@frozen
class Tracker:
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

    def request(self, key: str, priority: int = 1) -> Session:
        """Return a session in the place `key`, which a worker must have."""
        found = self.summary()
        if not any(key in each.boards for each in found.workers):
            raise InputError(
                f"tracker.request({key!r}): no worker has it; start one: s2s farm worker {self.address} --board {key}"
            )
        return Session(key, self.host, self.port, priority)


def connect_tracker(url: str, port: int) -> Tracker:
    """Return the tracker at an address; it is asked when something is wanted of it."""
    return Tracker(url, port)
