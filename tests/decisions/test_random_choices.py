"""Random legal choices, for all decisions of a compilation at once: the numbers are right whatever is chosen.

The heuristics of every kind are replaced by one that proposes all their candidates in random order. A failure prints
the network, the target and the seed; `compiled(network, target, seed)` makes the tree again.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from s2s.artifact import Artifact, compile_artifact
from s2s.decisions import chooser
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.decisions.names import KINDS
from s2s.decisions.registry import candidates
from s2s.frontends.model import GraphModel, Source
from s2s.options import CompileOptions
from s2s.targets import Target
from support import decided_networks
from support.seeded_networks import seeded_networks
from support.tflite_networks import random_network

FIXED: dict[str, Source] = {
    "attention": decided_networks.ATTENTION,
    "bottleneck": decided_networks.bottleneck(),
    "branches": decided_networks.BRANCHES,
    "fused": decided_networks.FUSED,
    "groups": decided_networks.GROUPS,
    "joined": decided_networks.JOINED,
    "needless": decided_networks.NEEDLESS,
    "product": decided_networks.PRODUCT,
    "transposed": decided_networks.TRANSPOSED,
    "windows": decided_networks.WINDOWS,
    "winograd": decided_networks.WINOGRAD,
}
HOSTS = ("host", "x86-64-v3", "x86-64-v2", "c")
SEEDS = {"bottleneck": 2, "joined": 7}
"""Seeds with which the layout is drawn that a kind of decisions needs."""
MADE: Counter[str] = Counter()
"""How often a candidate other than the compiler's own was taken, by kind."""


def network(name: str) -> Source:
    """One of the fixed networks, `float 12` or `int8 12`."""
    if name in FIXED:
        return FIXED[name]
    kind, seed = name.split()
    if kind == "int8":
        return random_network(int(seed), length=6).data
    module, weights = seeded_networks(range(int(seed), int(seed) + 1))
    return GraphModel(module, {each: weights.get(each) for each in weights.names()})


@contextmanager
def drawn(seed: int) -> Generator[None]:
    """Let random legal candidates be chosen."""
    random = Random(seed)

    def heuristics_of(kind: Kind[Any, Any]) -> list[tuple[str, Heuristic[Any, Any]]]:
        def propose(subject: Any, target: Target) -> Sequence[Candidate[Any] | Refused]:
            every = list(candidates(kind, subject, target))
            legal = [each for each in every if kind.legal(subject, each.make()) is None]
            taken = random.choice(legal) if random.random() < 0.5 else legal[0]
            MADE[kind.name] += kind.text(taken.make()) != kind.text(legal[0].make())
            return [Candidate(taken.make, taken.note)]

        return [("drawn", propose)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chooser, "heuristics_of", heuristics_of)
        yield


def compiled(name: str, target: str, seed: int, threads: int = 1) -> Artifact:
    """The network, compiled with random choices."""
    with drawn(seed):
        return compile_artifact(network(name), CompileOptions(target=target, name="net", threads=threads))


def check(name: str, target: str, seed: int, threads: int = 1) -> None:
    note(f"compiled({name!r}, {target!r}, {seed}, {threads})")
    with compiled(name, target, seed, threads) as artifact:
        assert artifact.verify(against="interpreter", seed=seed).passed


networks = st.sampled_from([*FIXED, "float", "int8"])
few = settings(max_examples=6, derandomize=True)


def named(kind: str, seed: int) -> str:
    return kind if kind in FIXED else f"{kind} {seed % 50}"


@few
@given(networks, st.sampled_from(HOSTS), st.integers(0, 10_000), st.sampled_from([1, 1, 2]))
def test_any_legal_choice_is_right_on_hosts(kind: str, target: str, seed: int, threads: int):
    check(named(kind, seed), target, seed, 1 if target == "c" else threads)


@few
@given(st.integers(0, 10_000))
def test_any_legal_choice_is_right_on_cortex_m4(seed: int):
    """The C with the plain form of the instructions, which has their integer results."""
    check(named("int8", seed), "cortex-m4", seed)


def test_choices_of_every_kind_are_drawn():
    """Kinds that only a budget of RAM, memory pools, devices, a generator, a strategy, a stream or rows ask for are not
    among them, and none that want small cores, dequantised weights or decision trees."""
    MADE.clear()
    for name in FIXED:
        compiled(name, "x86-64-v3", SEEDS.get(name, 0), threads=2)
    pools = {"pool", "pools", "streams", "weight blocks", "code"}
    asked = {"channel order", "device", "external", "implementation", "line buffers", "scratch", "window slack"}
    assert set(MADE) == set(KINDS) - pools - asked - {"constant bits", "constant codes", "packed weights", "trees"}
