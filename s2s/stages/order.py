"""The stages of a compilation in order, each with the facts that it makes."""

from collections.abc import Callable
from typing import NamedTuple

from s2s.errors import CompilerBug, InputError
from s2s.pipeline import passes_of
from s2s.stages.c import Lowered, lowered
from s2s.stages.graph import Grouped, grouped
from s2s.stages.memory import Planned, planned
from s2s.stages.read import Read
from s2s.stages.request import Request
from s2s.stages.settle import Settled, settled
from s2s.stages.state import State
from s2s.stages.tensor import Scheduled, scheduled
from s2s.stages.tree import Written, written


def _nothing(_: Request) -> object:
    return None


class Stage(NamedTuple):
    """A stage: it runs its passes (`s2s/pipeline.py`), then computes its facts."""

    name: str
    makes: type | None = None
    """The type of its facts."""
    facts: Callable[[State, Request], object] | None = None
    """Makes the facts from the state after its passes."""
    reads: Callable[[Request], object] = _nothing
    """What the stage depends on beside its passes."""
    decides: tuple[str, ...] = ()
    """The kinds of decisions that its passes make."""
    verified: bool = True
    """Whether the module is verified at its end; not where the next stage goes on at the same level."""

    def inputs(self, request: Request) -> object:
        """Return the options that the stage depends on: equal inputs give equal results."""
        passes = passes_of(self.name, request.options)
        target = request.options.target if any(hasattr(each, "target") for each in passes) else None
        decisions = [each.get(kind) for kind in self.decides for each in (request.given.user, request.given.records)]
        devices = request.options.devices if target is not None else ()
        return passes, target, devices, decisions, bool(decisions) and request.options.explain, self.reads(request)


def _what_is_read(request: Request) -> object:
    options = request.options
    return (
        dict(options.shapes),
        dict(options.bind),
        dict(options.dims),
        options.name,
        options.tflite_rounding,
        options.executor,
        dict(options.states),
        dict(options.streams),
        options.untrusted,
        options.trust_model,
    )


def _executor(request: Request) -> object:
    return request.options.executor


def _decisions(request: Request) -> object:
    return request.options.decisions


def _everything(request: Request) -> object:
    return request


STAGES: tuple[Stage, ...] = (
    Stage("read", Read, reads=_what_is_read),
    Stage("settle", Settled, settled),
    Stage(
        "simplify",
        decides=(
            "trees",
            "packed weights",
            "implementation",
            "transposed convolution",
            "pool windows",
            "convolution groups",
        ),
        verified=False,
    ),
    Stage(
        "graph",
        Grouped,
        grouped,
        decides=("device", "weight blocks", "external", "operator row tiles", "attention", "fusion", "order"),
    ),
    Stage(
        "compute",
        decides=("layout", "fused rows", "row tiles", "concatenation", "panels", "images", "algorithm"),
        verified=False,
    ),
    Stage("tensor", Scheduled, scheduled, decides=("winograd blocks", "schedule", "scratch")),
    Stage("loop", decides=("constant bits", "constant codes", "threads"), verified=False),
    Stage("memory", Planned, planned, reads=_executor, decides=("streams", "pool", "pools")),
    Stage("c", Lowered, lowered, reads=_decisions, decides=("constants",)),
    Stage("tree", Written, written, reads=_everything),
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
