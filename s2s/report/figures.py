"""The figures of a compiled network, for a page and for comparisons of pages."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from s2s.analysis.cost.kernels import KernelCost, Operations
from s2s.analysis.numbers.sums import LayerSums
from s2s.artifact import Artifact
from s2s.decisions.decision import Decision
from s2s.emit.files import RECORD
from s2s.emit.info import Measured
from s2s.passes.loop.timeline import Step, Timeline, timeline_of
from s2s.profiling.profile import Profile
from s2s.projects import ProjectBoard
from s2s.report.board import BoardCounts
from s2s.report.gauge import gauge
from s2s.report.operators import NodeOperator, describe_operators, operators_of
from s2s.report.record import SCHEMA
from s2s.stages.memory import Planned
from s2s.support.frozen import frozen

NO_COST = KernelCost(Operations(), 0, 0)


@frozen
class Layer:
    """A step of the network with its cost; times are in microseconds."""

    nodes: str
    """The source nodes, separated by commas."""
    kernel: str
    """The C name of the kernel, or the name of the operation that is none."""
    reads: tuple[int, ...]
    """The layers whose results it reads; -1 for inputs and state."""
    operations: int
    """Arithmetic operations, a multiply-add counted as two."""
    moved: int
    """Bytes that it reads and writes, each counted once."""
    weights: int
    """Bytes of constants among them."""
    result: int
    """Bytes of its results."""
    shape: tuple[int, ...]
    """The shape of its first result, in the layout of the model where a node of it gives the result."""
    operator: str = ""
    """What it computes: `conv 3×3, stride 2`; empty where its nodes tell nothing."""
    time: float | None = None
    """Its shortest measured time."""
    bound: float | None = None
    """What the machine would take at least."""
    counted: int | None = None
    """What a board counts of one run, in the unit of `Figures.board`."""
    path: str = ""
    """Whether it takes the same path for all data: `exact`, or `bounded, because it …`."""


@frozen
class Figures:
    """The figures of a compiled network."""

    name: str
    target: str
    source: str
    """The model's file."""
    sizes: Mapping[str, Any]
    """As `s2s report --json` prints them."""
    layers: tuple[Layer, ...]
    timeline: Timeline
    arena: int
    constants: tuple[tuple[str, int], ...]
    """The weights by name, the largest first, in bytes."""
    measured: Measured | None
    accumulators: tuple[LayerSums, ...]
    decisions: tuple[Decision, ...]
    files: Mapping[str, str]
    """The SHA-256 of each file of the tree but its record."""
    profile: Profile | None
    """The times on this machine, if somebody asked for them."""
    board: BoardCounts | None = None
    """The instructions or the ticks on a board, if somebody asked for them."""
    device: ProjectBoard | None = None
    """The board that the network is for, if somebody named it."""

    @property
    def gauge(self) -> tuple[tuple[str, int, int], ...]:
        """The memories of the board, each with the bytes that the network takes and the bytes that there are."""
        return () if self.device is None else tuple(gauge(self.sizes, self.device))

    @property
    def flash_parts(self) -> tuple[tuple[str, int], ...]:
        """Where the flash goes, in bytes: constants, the code of the largest functions, all other code."""
        if self.measured is None:
            return ()
        largest = sum(self.measured.functions.values())
        parts = (
            ("constants", self.measured.constants),
            (f"code of the {len(self.measured.functions)} largest functions", largest),
            ("other code", self.measured.code - largest),
        )
        return tuple((what, size) for what, size in parts if size > 0)

    def compared(self) -> dict[str, Any]:
        """Return the figures that pages are compared by, for JSON."""
        unit = "instructions" if self.board is None else self.board.unit
        layers = [
            {"nodes": layer.nodes, "kernel": layer.kernel, "time": layer.time, unit: layer.counted}
            for layer in self.layers
        ]
        sizes = {key: value for key, value in self.sizes.items() if isinstance(value, int | float)}
        if self.board is not None:
            sizes[f"{unit} on {self.board.place}"] = self.board.run
        functions: Mapping[str, int] = {} if self.measured is None else self.measured.functions
        stacks: Mapping[str, int] = {} if self.measured is None else self.measured.stacks
        decisions = [
            {"kind": each.kind, "subject": each.subject, "about": each.about, "chosen": each.chosen}
            for each in self.decisions
        ]
        return {
            "schema": SCHEMA,
            "name": self.name,
            "target": self.target,
            "sizes": {
                **sizes,
                **{f"code of {name}": size for name, size in functions.items()},
                **{f"stack of {name}": size for name, size in stacks.items()},
            },
            "kernels": list(dict.fromkeys(each.kernel for each in self.layers)),
            "layers": layers,
            "decisions": decisions,
            "files": dict(self.files),
        }


STAGES = ("read", "memory")
"""The stages whose states the figures are taken from; a compilation that keeps them is not run again for the page."""


def figures_of(
    artifact: Artifact,
    profile: Profile | None = None,
    board: BoardCounts | None = None,
    device: ProjectBoard | None = None,
) -> Figures:
    """Collect the figures of a network, including the C compiler's figures if one is installed."""
    sizes = artifact.report(measure=True).as_dict()
    info, compilation = artifact.info, artifact.compilation
    operators, timeline = (operators_of(compilation.at("read").module), timeline_of(compilation.at("memory").module))
    tree = artifact.tree()
    constants = tree.record["weights"]["arrays"]
    paths = {path.kernel: path.describe() for path in info.paths}
    layers = _layers(timeline, operators, compilation.facts(Planned).names, compilation.costs, profile, board)
    return Figures(
        name=info.name,
        target=info.target.name,
        source=info.source,
        sizes=sizes,
        layers=tuple(replace(layer, path=paths.get(layer.kernel, "")) for layer in layers),
        timeline=timeline,
        arena=info.arena_size,
        constants=_largest_first((each["name"], each["size"]) for each in constants),
        measured=info.measured,
        accumulators=info.sums,
        decisions=info.decisions,
        files={name: hashlib.sha256(tree.content(name)).hexdigest() for name in tree if name != RECORD},
        profile=profile,
        board=board,
        device=device,
    )


def _largest_first(constants: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(constants, key=lambda each: -each[1]))


def _layers(
    timeline: Timeline,
    operators: Mapping[str, NodeOperator],
    names: Mapping[str, str],
    costs: Mapping[str, KernelCost],
    profile: Profile | None,
    board: BoardCounts | None,
) -> Iterator[Layer]:
    called = [step for step in timeline.steps if step.kernel in names]
    timed = () if profile is None else profile.rows
    rows = iter(timed if _one_row_each(called, names, [row.kernel for row in timed]) else ())
    counted = () if board is None else board.kernels
    counts = iter(counted if _one_row_each(called, names, [kernel for kernel, _ in counted]) else ())
    for step in timeline.steps:
        kernel = names.get(step.kernel, step.kernel)
        cost, row = costs.get(kernel, NO_COST), next(rows, None) if step.kernel in names else None
        count = next(counts, None) if step.kernel in names else None
        yield Layer(
            nodes=step.nodes,
            kernel=kernel,
            reads=step.reads,
            operations=cost.operations.floats + cost.operations.integers,
            moved=cost.bytes,
            weights=cost.constants,
            result=step.result,
            shape=_shape(step, operators),
            operator=describe_operators(step.names, operators),
            time=None if row is None else row.min_us,
            bound=None if row is None else row.bound_us,
            counted=None if count is None else count[1],
        )


def _shape(step: Step, operators: Mapping[str, NodeOperator]) -> tuple[int, ...]:
    """The shape that the last node of a step gives its result in the model, or the one that the kernel gives it."""
    last = operators.get(step.names[-1]) if step.names else None
    return last.shape if last is not None and prod(last.shape) == prod(step.shape) else step.shape


def _one_row_each(called: Sequence[Step], names: Mapping[str, str], measured: Sequence[str]) -> bool:
    """Return whether the measured kernels are the steps of `main`, which they are not if networks run in loops or
    branches."""
    kernels = [names[step.kernel] for step in called]
    return len(kernels) == len(measured) and all(
        kernel.endswith(each) for kernel, each in zip(kernels, measured, strict=True)
    )
