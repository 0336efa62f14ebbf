"""The chooser: the user before records, records before the model; heuristics from outside are asked first."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from s2s.api import Artifact
from s2s.api import compile as compile_network
from s2s.decisions.chooser import Chooser
from s2s.decisions.decision import Cost
from s2s.decisions.file import Decisions
from s2s.decisions.given import Given
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.decisions.recorded import decisions_of, recorded_on
from s2s.decisions.registry import register_heuristic, remove_heuristic
from s2s.decisions.schedule import ScheduledComputation
from s2s.dialects import tensor
from s2s.errors import InputError
from s2s.targets import Target, get_target
from support.onnx_text import onnx_model

TARGET = get_target("x86-64-v3")
BODY = "(float[4, 16] x) => (float[4, 16] y) { [one] y = Softmax (x) }"


class Colour(Kind[str, str]):
    """A colour for a name, written on a module."""

    name = "schedule"

    def __init__(self) -> None:
        self.module = ModuleOp([])

    def heuristics(self) -> Sequence[tuple[str, Heuristic[str, str]]]:
        return [("none", lambda subject, target: []), ("by cost", self._by_cost)]

    def _by_cost(self, subject: str, target: Target) -> Sequence[Candidate[str] | Refused]:
        costs = {"red": 3.0, "green": 2.0, "blue": 1.0}
        made = [Candidate(lambda name=name: name, name, Cost(cycles=cost)) for name, cost in costs.items()]
        return [*made, Refused("black", "no light")]

    def key(self, subject: str) -> str:
        return subject

    def home(self, subject: str) -> Operation:
        return self.module

    def legal(self, subject: str, choice: str) -> str | None:
        return "blue is out" if choice == "blue" and subject == "sky" else None

    def apply(self, subject: str, choice: str) -> None:
        self.module.attributes[subject] = StringAttr(choice)

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: str, text: str) -> str:
        if text.isupper():
            raise ValueError("colours are in small letters")
        return text


def chosen(given: Given, *subjects: str) -> ModuleOp:
    """The module with a colour for each subject."""
    kind = Colour()
    with Chooser(given, TARGET) as chooser:
        for subject in subjects:
            chooser.choose(kind, subject)
    return kind.module


def table(subject: str, colour: str) -> dict[str, dict[str, str]]:
    return {"schedule": {subject: colour}}


@pytest.mark.parametrize(
    ("given", "colour", "by"),
    [
        (Given(), "blue", "model"),
        (Given(user=table("sea", "red")), "red", "user"),
        (Given(records=table("sea", "green")), "green", "record"),
        (Given(user=table("sea", "red"), records=table("sea", "green")), "red", "user"),
        (Given(user=table("sea", "blue")), "blue", "model"),
        (Given(records=table("sea", "BLUE")), "blue", "model"),
    ],
)
def test_who_decides(given: Given, colour: str, by: str):
    module = chosen(given, "sea")
    (decision,) = recorded_on(module)
    assert (decision.chosen, decision.by) == (colour, by)
    assert module.attributes["sea"] == StringAttr(colour)


def test_the_cheapest_legal_candidate_is_taken():
    assert decisions_of(chosen(Given(), "sky"))[0].chosen == "green"


@pytest.mark.parametrize(("colour", "reason"), [("blue", "blue is out"), ("BLUE", "small letters")])
def test_what_the_user_cannot_have(colour: str, reason: str):
    with pytest.raises(InputError, match=f"{reason}; legal are for example red, green"):
        chosen(Given(user=table("sky", colour)), "sky")


def test_the_alternatives_are_recorded():
    plain, detailed = (decisions_of(chosen(Given(detailed=each), "sky"))[0].candidates for each in (False, True))
    assert [each.note for each in plain] == ["red", "green", "blue", "black"]
    assert [each.choice for each in plain] == [None] * 4
    assert [each.choice for each in detailed] == ["red", "green", "blue", None]
    assert [each.refused for each in detailed] == [None, None, "blue is out", "no light"]


def test_equal_subjects_that_are_decided_alike_are_one():
    assert [each.subject for each in decisions_of(chosen(Given(), "sea", "sea"))] == ["sea"]


def test_equal_subjects_that_are_decided_differently_are_told_apart():
    found = decisions_of(chosen(Given(user=table("sea#2", "red")), "sea", "sea"))
    assert [(each.subject, each.chosen) for each in found] == [("sea#1", "blue"), ("sea#2", "red")]


def plain_loops(subject: ScheduledComputation, target: Target) -> list[Candidate[tensor.ScheduleAttr]]:
    """A heuristic of somebody else: one element after the other."""
    return [Candidate(lambda: tensor.ScheduleAttr.of(), "one by one")]


@pytest.fixture
def registered() -> Iterator[None]:
    register_heuristic("schedule", "plain loops of mine", plain_loops)
    yield
    remove_heuristic("schedule", "plain loops of mine")


def compiled(**options: Any) -> Artifact:
    return compile_network(onnx_model(BODY), target="x86-64-v3", name="net", **options)


def schedules(decisions: Decisions) -> list[tuple[str, str]]:
    return [(each.why, each.chosen) for each in decisions if each.kind == "schedule"]


def test_a_heuristic_from_outside_decides(registered: None):
    found = schedules(compiled().decisions)
    assert {why for why, _ in found} == {"plain loops of mine"}
    assert not any("vector" in chosen for _, chosen in found)


def test_what_a_heuristic_from_outside_decides_is_right(registered: None):
    x = np.linspace(-2, 2, 64, dtype=np.float32).reshape(4, 16)
    with compile_network(onnx_model(BODY), target="host") as artifact:
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        np.testing.assert_allclose(artifact.run({"x": x})["y"], powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)


def test_without_it_the_compiler_decides():
    assert "plain loops of mine" not in dict(schedules(compiled().decisions))


def test_heuristics_of_no_kind_are_refused():
    with pytest.raises(InputError, match="there is no such kind; the kinds are"):
        register_heuristic("sorting", "mine", plain_loops)
    with pytest.raises(InputError, match="no heuristic of that name"):
        remove_heuristic("schedule", "nobody's")
