"""What a user prefers, and the budgets beside it: which algorithms convolutions are computed by."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.artifact import Artifact, compile_artifact
from s2s.decisions.algorithm import DIRECT, AlgorithmKind
from s2s.decisions.chooser import Chooser
from s2s.decisions.decision import Cost, Prefer
from s2s.decisions.given import Given
from s2s.decisions.kind import Candidate, NamedKind, named
from s2s.frontends.model import GraphModel
from s2s.options import CompileOptions
from s2s.options.values import ram_goal
from s2s.stages.request import Request
from s2s.targets import Target, get_target
from support.quantised_layers import Layer

TARGET = "x86-64-v3"
"""Its compiler is that of this machine, which measures flash."""
LAYER = Layer((16, 16, 32), 32, (3, 3), pads=(1, 1, 1, 1))
COSTS: Mapping[str, Cost] = {"fast": Cost(1.0, 300, 2000), "small": Cost(3.0, 200, 1000), "lean": Cost(2.0, 100, 3000)}


def _listed(subject: ModuleOp, target: Target) -> Sequence[Candidate[str]]:
    return named("small", "lean", "fast")


class Trade(NamedKind[ModuleOp]):
    """Memory for time."""

    name = "trade"
    names = tuple(COSTS)
    trades_memory = True

    def heuristics(self) -> Any:
        return [("as listed", _listed)]

    def key(self, subject: ModuleOp) -> str:
        return "main"

    def home(self, subject: ModuleOp) -> Operation:
        return subject

    def estimate(self, subject: ModuleOp, choice: str, target: Target) -> Cost | None:
        return COSTS[choice]


@pytest.mark.parametrize(("prefer", "chosen"), [(None, "small"), ("time", "fast"), ("size", "small"), ("ram", "lean")])
def test_the_preferred_figure_ranks(prefer: Prefer | None, chosen: str) -> None:
    with Chooser(Given(prefer=prefer), get_target("c")) as chooser:
        assert chooser.choose(Trade(), ModuleOp([])) == chosen


def _offered(subject: ModuleOp, target: Target) -> Sequence[Candidate[str]]:
    offers: list[tuple[str, Prefer | None]] = [("lean", None), ("fast", "time"), ("small", "size")]
    return [Candidate(lambda name=name: name, name, wanted=prefer) for name, prefer in offers]


class Offers(Trade):
    """Choices that are made only for who prefers what they are good at."""

    trades_memory = False

    def heuristics(self) -> Any:
        return [("as listed", _offered)]


@pytest.mark.parametrize(("prefer", "chosen"), [(None, "lean"), ("time", "fast"), ("size", "small"), ("ram", "lean")])
def test_offers_are_for_who_wants_them(prefer: Prefer | None, chosen: str) -> None:
    with Chooser(Given(prefer=prefer), get_target("c")) as chooser:
        assert chooser.choose(Offers(), ModuleOp([])) == chosen


def compiled(**options: Any) -> Artifact:
    ctx, module, _ = LAYER.build()
    names = {name: ctx.weights.get(name) for name in ctx.weights.names()}
    return compile_artifact(GraphModel(module, names, "net"), CompileOptions(target=TARGET, name="net", **options))


def algorithm(artifact: Artifact) -> str:
    (found,) = [each.chosen for each in artifact.decisions if each.kind == AlgorithmKind.name]
    return found


def flash(artifact: Artifact) -> int:
    measured = artifact.measure()
    assert measured is not None
    return measured.flash


def test_a_budget_of_flash_takes_the_fastest_algorithm_within_it() -> None:
    whole = compiled()
    assert algorithm(whole) == "winograd 4x4"
    within = compiled(flash_budget=flash(whole) - 1)
    assert algorithm(within) == "winograd 2x2"
    assert flash(within) < flash(whole)
    least = compiled(flash_budget=flash(within) - 1)
    assert algorithm(least) == DIRECT


def test_a_budget_of_ram_takes_the_fastest_algorithm_within_it() -> None:
    whole = compiled(prefer="time")
    assert algorithm(whole) == "winograd 4x4"
    assert algorithm(compiled(prefer="time", ram_budget=1 << 20)) == "winograd 4x4"
    within = compiled(prefer="time", ram_budget=whole.report().ram - 1)
    assert within.report().ram < whole.report().ram


def test_least_ram_is_a_goal_without_a_budget() -> None:
    assert ram_goal(CompileOptions(prefer="ram")) == "min"
    assert ram_goal(CompileOptions(prefer="ram", ram_budget=1000)) == 1000
    assert ram_goal(CompileOptions(prefer="time")) is None


@pytest.mark.parametrize(("prefer", "consulted"), [(None, True), ("time", True), ("size", False), ("ram", False)])
def test_records_of_times_count_for_time(prefer: Prefer | None, consulted: bool) -> None:
    given = Request(CompileOptions(target="cortex-m4", prefer=prefer)).given
    assert bool(given.records) is consulted
