"""`s2s profile`: measure the time of each kernel call and compare it with the roofline of this machine."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal

import numpy as np

from s2s.analysis.cost.kernels import KernelCost, Operations
from s2s.artifact import Artifact, compile_artifact
from s2s.c_syntax.interface import Port
from s2s.data.arrays import named
from s2s.data.samples import sample
from s2s.emit.call_comments import KernelCall, kernel_calls
from s2s.errors import InputError
from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.profiling.hooks import Samples, TimedNetwork, timed_tree
from s2s.profiling.machine import Machine, check_same_machine, this_machine
from s2s.profiling.roofline import bound_of
from s2s.stages.check_options import check_timed
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.build import load

Order = Literal["run", "time", "gain"]

SECONDS = 2.0
"""The default duration of a profile in seconds."""
MIN_RUNS, MAX_RUNS = 20, 5000
CREDIBLE, CREDIBLE_SHARE = 1.1, 0.02
"""A kernel may exceed its bound by this factor, if its share of the time is large enough to be measured well."""
NO_COST = KernelCost(Operations(), 0, 0)


@frozen
class Row:
    """One kernel call; times are in microseconds, for all its repetitions in a run."""

    number: int
    nodes: str
    shape: str
    """The shape of its result."""
    kernel: str
    repetitions: int
    min_us: float
    median_us: float
    share: float
    """The share of the time of all calls."""
    flops: int
    """Floating-point operations."""
    integer_ops: int
    bytes: int
    """The bytes that it reads and writes."""
    bound_us: float
    """The lower bound of its time on this machine."""
    bound_by: str

    @property
    def gflops(self) -> float:
        """Billions of floating-point operations per second."""
        return _rate(self.flops, self.min_us)

    @property
    def gops(self) -> float:
        """Billions of integer operations per second."""
        return _rate(self.integer_ops, self.min_us)

    @property
    def gbs(self) -> float:
        """Gigabytes per second."""
        return _rate(self.bytes, self.min_us)

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return (self.flops + self.integer_ops) / self.bytes if self.bytes else 0.0

    @property
    def roofline(self) -> float:
        """The fraction of the roofline bound that is reached."""
        return self.bound_us / self.min_us if self.min_us else 0.0

    @property
    def gain_us(self) -> float:
        """The time per run that the kernel would save at its bound."""
        return max(self.min_us - self.bound_us, 0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, measured and derived, by name: what the JSON report holds."""
        derived = {name: getattr(self, name) for name in ("gflops", "gops", "gbs", "intensity", "roofline", "gain_us")}
        return {**vars(self), **derived}


@frozen
class Profile:
    """The calls of a run in their order, and all of them together."""

    name: str
    target: str
    runs: int
    machine: Machine
    rows: tuple[Row, ...]
    total: Row
    """All calls at their minimum times; the median is of whole runs."""

    @property
    def beats_its_bound(self) -> bool:
        """Return whether a kernel is faster than the measured peaks allow, which shows that the peaks are wrong."""
        return any(row.roofline > CREDIBLE and row.share > CREDIBLE_SHARE for row in self.rows)

    def ordered(self, order: Order) -> list[Row]:
        """Return the calls in execution order, by time, or by possible gain."""
        if order == "run":
            return list(self.rows)
        return sorted(self.rows, key=lambda row: -(row.min_us if order == "time" else row.gain_us))

    def as_dict(self, order: Order = "run") -> dict[str, Any]:
        """The fields as JSON states them."""
        return {
            "name": self.name,
            "target": self.target,
            "runs": self.runs,
            "machine": self.machine.as_dict(),
            "kernels": [row.as_dict() for row in self.ordered(order)],
            "total": self.total.as_dict(),
        }

    def _repr_html_(self) -> str:
        """A table of the kernels in the order of a run, for notebooks."""
        rows = "".join(
            f"<tr><td>{escape(row.nodes)}</td><td>{escape(row.kernel)}</td><td>{row.min_us:,.2f}</td>"
            f"<td>{row.share:.1%}</td><td>{row.roofline:.0%}</td></tr>"
            for row in (*self.rows, self.total)
        )
        heads = "<tr><th>nodes</th><th>kernel</th><th>least time in µs</th><th>share</th><th>of bound</th></tr>"
        return f"<table><caption>{escape(self.name)} for {escape(self.target)}</caption>{heads}{rows}</table>"


def profile_model(
    model: Source,
    options: CompileOptions,
    *,
    inputs: Mapping[str, Array] | None = None,
    runs: int | None = None,
    measure_again: bool = False,
) -> Profile:
    """Compile `model`, build it with timing hooks, and run it on `inputs`, by default random ones."""
    check_profiled(options)
    return profile_artifact(compile_artifact(model, options), inputs=inputs, runs=runs, measure_again=measure_again)


def check_profiled(options: CompileOptions) -> None:
    """Raise an error for options whose kernels cannot be timed on this machine."""
    check_same_machine(options.target)
    check_timed(options)


def profile_artifact(
    artifact: Artifact,
    *,
    inputs: Mapping[str, Array] | None = None,
    runs: int | None = None,
    measure_again: bool = False,
) -> Profile:
    """Build a compiled network with timing hooks, and run it on `inputs`, by default random ones."""
    machine = this_machine(again=measure_again)
    info, compilation = artifact.info, artifact.compilation
    arrays = _given_or_made_up(info.inputs, named(inputs or {}, [port.name for port in info.inputs]))
    calls = kernel_calls(compilation.at("c").module)
    tree = timed_tree(artifact.tree(), info.name, calls)
    progress.step("compiling the C")
    with load(tree) as network:
        timed = TimedNetwork(network, len(calls), arrays)
        count = runs if runs is not None else runs_within(SECONDS, timed.seconds())
        progress.step(f"running the network {count} times")
        samples = timed.samples(count)
    touched = info.arena_size + info.ports_size + artifact.report().weights
    found = profile_of(info.name, info.target.name, calls, samples, compilation.costs, machine, touched)
    if found.beats_its_bound and not measure_again:  # the cached peaks were measured while the machine was busy
        machine = this_machine(again=True)
        found = profile_of(info.name, info.target.name, calls, samples, compilation.costs, machine, touched)
    return found


def _given_or_made_up(ports: Sequence[Port], given: Mapping[str, Array]) -> dict[str, Array]:
    known = [port.name for port in ports]
    for name in given:
        if name not in known:
            raise InputError(f"--input {name}: the network has no such input; its inputs are {', '.join(known)}")
    return {port.name: given.get(port.name, sample(port.name, tensor_type(port.element, port.shape))) for port in ports}


def runs_within(seconds: float, one: float) -> int:
    """Return how many runs of `one` seconds each take about `seconds`."""
    return int(min(max(seconds / max(one, 1e-9), MIN_RUNS), MAX_RUNS))


def profile_of(
    name: str,
    target: str,
    calls: Sequence[KernelCall],
    samples: Samples,
    costs: Mapping[str, KernelCost],
    machine: Machine,
    network_bytes: int,
) -> Profile:
    """Compute the profile from the times of `samples`."""
    micros = samples.nanoseconds * 1e-3
    least, median = micros.min(axis=0), np.median(micros, axis=0)
    whole = float(least.sum()) or 1.0
    rows: list[Row] = []
    for number, call in enumerate(calls):
        cost, times = costs.get(call.kernel, NO_COST), samples.repetitions[number]
        bound = bound_of(cost, machine, network_bytes)
        rows.append(
            Row(
                number=number,
                nodes=call.nodes,
                shape=call.shape,
                kernel=call.kernel.removeprefix(f"{name}_"),
                repetitions=times,
                min_us=float(least[number]),
                median_us=float(median[number]),
                share=float(least[number]) / whole,
                flops=times * cost.operations.floats,
                integer_ops=times * cost.operations.integers,
                bytes=times * cost.bytes,
                bound_us=times * bound.seconds * 1e6,
                bound_by=bound.by,
            )
        )
    return Profile(name, target, len(micros), machine, tuple(rows), _total(rows, _median(micros.sum(axis=1))))


def _total(rows: Sequence[Row], median: float) -> Row:
    return Row(
        number=len(rows),
        nodes="",
        shape="",
        kernel="total",
        repetitions=1,
        min_us=sum(row.min_us for row in rows),
        median_us=median,
        share=1.0,
        flops=sum(row.flops for row in rows),
        integer_ops=sum(row.integer_ops for row in rows),
        bytes=sum(row.bytes for row in rows),
        bound_us=sum(row.bound_us for row in rows),
        bound_by="",
    )


def _median(values: Array) -> float:
    return float(np.median(values))


def _rate(count: int, micros: float) -> float:
    return count / micros * 1e-3 if micros else 0.0
