"""`mean` and `threshold`: scores over several runs."""

from collections.abc import Mapping
from typing import ClassVar

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.step import F32, I32, U8, PostStep, Results, States
from s2s.frontends.formulas import cast, concat, greater, minimum, reshape, select, take
from s2s.support.frozen import frozen

MAX_RUNS = 4096


@frozen(kw_only=True)
class Mean(PostStep):
    """The mean of the scores of the last runs; of all of them, as long as there have been fewer."""

    name: ClassVar[str] = "mean"
    runs: int

    def check(self) -> None:
        if not 2 <= self.runs <= MAX_RUNS:
            raise self.invalid(f"averages {self.runs} runs", f"give 2 to {MAX_RUNS}")

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        name, before = states.begin("mean_scores", (self.runs - 1, *x.shape), F32)
        counter, count = states.begin("mean_runs", (1,), I32)
        every = concat([before, reshape(x, [1, *x.shape])], 0)
        states.keep(name, take(every, 0, 1, self.runs - 1))
        runs = minimum(count + 1, self.runs)
        states.keep(counter, runs)
        total = emit(graph.ReduceSumOp, every, axes=[0])
        return Results({"": total / reshape(cast(runs, F32), [1] * x.rank)})


@frozen(kw_only=True)
class Threshold(PostStep):
    """Whether each score is active, 1 or 0: from `on` upwards, and from then on until it falls below `off`."""

    name: ClassVar[str] = "threshold"
    on: float
    off: float | None = None
    """By default the same as `on`."""

    @property
    def low(self) -> float:
        """The score below which an active one becomes inactive."""
        return self.on if self.off is None else self.off

    def check(self) -> None:
        if self.low > self.on:
            raise self.invalid(f"turns off below {self.low:g}, above on={self.on:g}", "give off= of at most on=")

    def apply(self, x: Value, states: States, outputs: Mapping[str, Value]) -> Results:
        if self.low == self.on:
            return Results({"active": cast(_from(x, self.on), U8)}, replaced=False)
        name, before = states.begin("threshold_active", x.shape, U8)
        limits = select(greater(before, 0), x.like(self.low), x.like(self.on))
        active = cast(emit(graph.GreaterEqualOp, x, limits), U8)
        states.keep(name, active)
        return Results({"active": active}, replaced=False)


def _from(x: Value, limit: float) -> Value:
    return emit(graph.GreaterEqualOp, x, x.like(limit))
