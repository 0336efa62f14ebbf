"""The stages of a compilation in order, each with the facts that it makes."""

from collections.abc import Callable
from typing import NamedTuple

from s2s.errors import CompilerBug, InputError
from s2s.options import CompileOptions
from s2s.options.declaration import options_of, seen_by
from s2s.pipeline import passes_of
from s2s.stages.c import Lowered, lowered
from s2s.stages.graph import Grouped, grouped
from s2s.stages.memory import Planned, planned
from s2s.stages.read import Read
from s2s.stages.request import Findings, Request, exact_key
from s2s.stages.settle import Settled, settled
from s2s.stages.simplify import Simplified, simplified
from s2s.stages.state import State
from s2s.stages.tensor import Scheduled, scheduled
from s2s.stages.tree import Written, written


class Stage(NamedTuple):
    """A stage: it runs its passes (`s2s/pipeline.py`), then computes its facts."""

    name: str
    makes: type | None = None
    """The type of its facts."""
    facts: Callable[[State, Request], object] | None = None
    """Makes the facts from the state after its passes."""
    decides: tuple[str, ...] = ()
    """The kinds of decisions that its passes make."""
    reads_findings: bool = False
    """Whether its facts state what is found outside of the compilation."""
    reads_all_decisions: bool = False
    """Whether its facts depend on the given decisions of all kinds, not only on decisions that its passes make."""
    verified: bool = True
    """Whether the module is verified at its end; not where the next stage goes on at the same level."""

    def request(self, request: Request) -> Request:
        """Return the part of a request that the stage sees."""
        return Request(seen_by(request.options, self.name), request.findings if self.reads_findings else Findings())

    def inputs(self, request: Request) -> object:
        """Return what the stage depends on beside the model: equal inputs give equal results."""
        names = [name for name in options_of(CompileOptions, self.name) if name not in BY_KIND]
        return exact_key(
            (
                passes_of(self.name, request.options),
                [getattr(request.options, name) for name in names],
                request.given.of(self.decides) if self.decides else None,
                request.options.decisions if self.reads_all_decisions else None,
                request.findings if self.reads_findings else None,
            )
        )


BY_KIND = ("decisions", "records", "explain", "prefer")
"""Options of which a stage reads what concerns the kinds of decisions that it makes."""

STAGES: tuple[Stage, ...] = (
    Stage("read", Read),
    Stage("settle", Settled, settled),
    Stage(
        "simplify",
        Simplified,
        simplified,
        decides=(
            "trees",
            "packed weights",
            "channels",
            "implementation",
            "transposed convolution",
            "pool windows",
            "convolution groups",
            "channel order",
        ),
        verified=False,
    ),
    Stage(
        "graph",
        Grouped,
        grouped,
        decides=("device", "weight blocks", "external", "line buffers", "attention", "fusion", "order"),
    ),
    Stage(
        "compute",
        decides=("layout", "window slack", "fused rows", "row tiles", "concatenation", "panels", "images", "algorithm"),
        verified=False,
    ),
    Stage("tensor", Scheduled, scheduled, decides=("winograd blocks", "schedule", "scratch")),
    Stage("loop", decides=("constant bits", "constant codes", "threads"), verified=False),
    Stage("memory", Planned, planned, decides=("streams", "pool", "pools", "code")),
    Stage("c", Lowered, lowered, decides=("constants",), reads_all_decisions=True),
    Stage("tree", Written, written, reads_findings=True),
)
"""In the order in which they run."""

STAGE_NAMES = tuple(stage.name for stage in STAGES)


def place_of(name: str) -> int:
    """Return the number of a stage in the order of all."""
    if name not in STAGE_NAMES:
        raise InputError(f"stage {name}: there is no such stage; the stages are {', '.join(STAGE_NAMES)}")
    return STAGE_NAMES.index(name)


def maker_of(kind: type) -> str:
    """Return the stage that computes the facts of type `kind`."""
    for stage in STAGES:
        if stage.makes is kind:
            return stage.name
    raise CompilerBug(f"no stage makes {kind.__name__}")
