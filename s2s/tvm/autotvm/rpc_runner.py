"""A runner that measures on a farm: `RPCRunner("rk3399", "farm", 9190)`."""

from dataclasses import replace

from s2s.boards import PREFIX
from s2s.farm.measurer import FarmMeasurer
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.places import HOST
from s2s.tvm.autotvm.measure import LocalBuilder, Runner
from s2s.tvm.rpc.connection import address_of, certificates_of


@frozen
class RPCRunner(Runner):
    """Builds and runs candidates on the servers of a tracker that have the key; `timeout` is in seconds.

    They measure on the emulated board that the key names (`qemu:m4`), or on their own machine. A host without `tcp://`
    is spoken to by TLS. Workers measure as this machine would; `n_parallel`, `number` and those behind it are TVM's.
    """

    key: str
    host: str
    port: int
    priority: int = 1
    timeout: float = Limits.run_seconds
    n_parallel: int | None = None
    number: int = 4
    repeat: int = 3
    min_repeat_ms: int = 0
    cooldown_interval: float = 0.1
    enable_cpu_cache_flush: bool = False

    def measurer(self, target: Target, builder: LocalBuilder) -> Measurer:
        limits = replace(Limits(), build_seconds=builder.timeout, run_seconds=self.timeout)
        address = address_of(self.host, self.port)
        place = self.key if self.key.startswith(PREFIX) else HOST
        certificates = certificates_of(address)
        return FarmMeasurer(address, place, limits, priority=self.priority, certificates=certificates, key=self.key)
