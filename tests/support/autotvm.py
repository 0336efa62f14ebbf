"""A small template, and a runner that makes up costs, for tests of `s2s.tvm.autotvm`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from s2s.targets import Target
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer
from s2s.tvm import autotvm, te
from s2s.tvm.autotvm.measure import Builder, Runner

MATMUL = "test/matmul"


@autotvm.template(MATMUL)
def matmul(n: int, dtype: str = "float32") -> tuple[te.Schedule, list[te.Tensor]]:
    """A product of square matrices, its tiles open."""
    a, b = te.placeholder((n, n), dtype, "A"), te.placeholder((n, n), dtype, "B")
    k = te.reduce_axis((0, n), "k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    y, x = s[c].op.axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)
    yo, yi = cfg["tile_y"].apply(s, c, y)
    xo, xi = cfg["tile_x"].apply(s, c, x)
    s[c].reorder(yo, xo, s[c].op.reduce_axis[0], yi, xi)
    return s, [a, b, c]


class MadeUpMeasurer(Measurer):
    """Costs by chance, the same for equal decisions, without building anything."""

    place = "host"

    def __init__(self, runner: "MadeUpRunner") -> None:
        super().__init__(Limits())
        self.runner = runner

    @property
    def compiler(self) -> str:
        return "none"

    def require(self) -> None:
        """Take any place."""

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        self.runner.measured += candidates
        if self.runner.fails:
            return [Measurement(error=ErrorKind.RUNTIME_DEVICE, message="it crashed") for _ in candidates]
        return [Measurement({"seconds": 1 + Random(str(each.decisions)).random()}) for each in candidates]


@dataclass
class MadeUpRunner(Runner):
    """Measures by `MadeUpMeasurer` and keeps what it was given."""

    fails: bool = False
    measured: list[Candidate] = field(default_factory=list[Candidate])

    def measurer(self, target: Target, builder: Builder) -> Measurer:
        return MadeUpMeasurer(self)
