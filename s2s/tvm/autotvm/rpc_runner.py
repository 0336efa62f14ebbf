"""A runner that measures on a farm: `RPCRunner("qemu:m4", "farm", 8786)`."""

from dataclasses import replace

from s2s.farm.measurer import FarmMeasurer
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tuning.measurer import Limits, Measurer
from s2s.tvm.autotvm.measure import LocalBuilder, Runner


@frozen
class RPCRunner(Runner):
    """Builds and runs candidates on the workers of a farm that have the place `key`; `timeout` is in seconds.

    Workers measure as this machine would; `n_parallel`, `number` and those behind it are TVM's.
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
        return FarmMeasurer(f"tcp://{self.host}:{self.port}", self.key, limits, priority=self.priority)
