"""Samples of expensive tests: each seed chooses other cases, the same seed the same ones."""

from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import core, settings

from support.sampling import EVERY, SEED, choose_seed, left_out, seed_of_commit


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Twenty cases of a test of which a run takes three, and five of one without a sample."""

    class Case(pytest.Item):
        def runtest(self) -> None: ...

    made: list[pytest.Item] = []
    for name, count in (("sampled", 20), ("whole", 5)):
        for number in range(count):
            item = Case.from_parent(  # pyright: ignore[reportUnknownMemberType]
                request.session, name=f"{name}[{number}]", nodeid=f"test.py::{name}[{number}]"
            )
            if name == "sampled":
                item.add_marker(pytest.mark.sample(3))
            made.append(item)
    return made


def taken(cases: list[pytest.Item], seed: str) -> list[str]:
    without = left_out(cases, seed)
    return [case.name for case in cases if case not in without]


def test_as_many_cases_are_taken_as_the_mark_says(cases: list[pytest.Item]) -> None:
    names = taken(cases, "1")
    assert sum(name.startswith("sampled") for name in names) == 3
    assert sum(name.startswith("whole") for name in names) == 5


def test_the_seed_decides_which(cases: list[pytest.Item]) -> None:
    assert taken(cases, "1") == taken(cases, "1")
    assert {name for seed in range(60) for name in taken(cases, str(seed))} == {case.name for case in cases}


def test_two_runs_of_one_commit_have_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: set[str] = set()
    for _ in range(2):
        monkeypatch.delenv(SEED, raising=False)
        seeds.add(choose_seed())
    assert len(seeds) == 1


def test_another_commit_has_another_seed() -> None:
    assert len({seed_of_commit(f"{commit:040x}") for commit in range(50)}) > 45


def test_the_environment_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED, "31")
    assert choose_seed() == "31"


def test_properties_are_drawn_by_the_seed_and_are_not_timed(request: pytest.FixtureRequest) -> None:
    assert str(core.global_force_seed) == str(request.config.option.hypothesis_seed)
    assert request.config.option.hypothesis_seed is not None
    assert settings.default is not None
    assert settings.default.deadline is None


def test_a_case_that_is_asked_for_alone_is_taken(cases: list[pytest.Item]) -> None:
    assert [taken([case], "1") for case in cases] == [[case.name] for case in cases]


def test_every_case_is_taken_on_demand(cases: list[pytest.Item]) -> None:
    assert len(taken(cases, EVERY)) == len(cases)


def test_as_many_cases_of_each_value_are_taken(request: pytest.FixtureRequest) -> None:
    class Case(pytest.Item):
        callspec: SimpleNamespace

        def runtest(self) -> None: ...

    cases: list[pytest.Item] = []
    for kind, number in product("ab", range(6)):
        name = f"sampled[{kind}-{number}]"
        item = Case.from_parent(request.session, name=name, nodeid=f"test.py::{name}")  # pyright: ignore[reportUnknownMemberType]
        item.callspec = SimpleNamespace(params={"kind": kind})
        item.add_marker(pytest.mark.sample(2, each="kind"))
        cases.append(item)
    for seed in range(20):
        assert [name[8] for name in taken(cases, str(seed))] == ["a", "a", "b", "b"]
