"""Random models and their halves in one tree of several networks."""

import dataclasses

import pytest

from s2s.fuzz.campaign import Plan, draw
from s2s.fuzz.joined import check_joined, parts_of
from s2s.fuzz.spread import Spread
from s2s.fuzz.variants import Variant

JOINED = Variant(target="c", compiler="gcc", optimise="-O0", joined=True)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("alike", [False, True])
def test_networks_of_one_tree_agree_with_other_engines(number: int, alike: bool):
    drawn = draw(Plan(seed=5, nodes=4), number)
    variant = dataclasses.replace(JOINED, alike=alike, concurrent=number == 1)
    assert check_joined(drawn.model, drawn.inputs, drawn.expected, variant) == []


def test_a_wrong_output_names_its_network():
    drawn = draw(Plan(seed=5, nodes=4), 0)
    changed = {name: Spread(spread.clean + spread.clean.dtype.type(1)) for name, spread in drawn.expected.items()}
    evaluated = type(drawn.model).evaluate

    def disagreeing(*_: object, **__: object) -> dict[str, Spread]:
        return changed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(drawn.model), "evaluate", disagreeing)
        failures = check_joined(drawn.model, drawn.inputs, changed, JOINED)
    assert type(drawn.model).evaluate is evaluated
    assert {each.output for each in failures} == set(drawn.model.outputs)
    assert all("net_" in each.detail for each in failures)


def test_halves_have_each_output_once():
    drawn = next(each for number in range(9) if len((each := draw(Plan(seed=5, nodes=6), number)).model.outputs) > 1)
    whole, *halves = parts_of(drawn.model)
    assert whole.outputs == [name for each in halves for name in each.outputs]
