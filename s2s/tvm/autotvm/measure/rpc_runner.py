"""A runner that measures on a farm: `RPCRunner("rk3399", "farm", 9190)`."""

from s2s.boards import PREFIX
from s2s.errors import InputError
from s2s.farm.measurer import FarmMeasurer
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.places import HOST
from s2s.tvm.autotvm.measure.measure import MIN_REPEAT_MS, Builder, Runner, check_caches, limits_of
from s2s.tvm.rpc.connection import address_of, certificates_of


@frozen
class RPCRunner(Runner):
    """Builds and runs candidates on the servers of a tracker that have the key; `timeout` is in seconds.

    They measure on the emulated board that the key names (`qemu:m4`), or on their own machine. A host without `tcp://`
    is spoken to by TLS. Workers time candidates as `LocalRunner` does, each one at a time.
    """

    key: str
    host: str
    port: int
    priority: int = 1
    timeout: float = Limits.run_seconds
    n_parallel: int | None = None
    number: int = 4
    repeat: int = 3
    min_repeat_ms: int = MIN_REPEAT_MS
    cooldown_interval: float = 0.1
    enable_cpu_cache_flush: bool = False

    def __post_init__(self) -> None:
        check_caches(self)
        if self.n_parallel is not None:
            raise InputError(f"RPCRunner: n_parallel {self.n_parallel}: each free server takes one; leave it out")

    def measurer(self, target: Target, builder: Builder) -> Measurer:
        limits = limits_of(self, builder, target)
        address = address_of(self.host, self.port)
        place = self.key if self.key.startswith(PREFIX) else HOST
        certificates = certificates_of(address)
        return FarmMeasurer(address, place, limits, priority=self.priority, certificates=certificates, key=self.key)
