"""A model that the compiler refuses is taken out of its batch, so that the others are run together."""

import pytest

from s2s.fuzz import campaign
from s2s.fuzz.campaign import Plan, run_batch
from s2s.fuzz.check import Failure
from s2s.fuzz.compiled import compile_drawn
from s2s.fuzz.variants import Variant
from s2s.options import CompileOptions
from support.option_changes import image

PLAN = Plan(models=4, seed=2, nodes=2, variants=1, thorough=1000)


def test_the_one_that_a_refusal_names_is_taken_out(monkeypatch: pytest.MonkeyPatch):
    sizes: list[int] = []

    def failures_of(model: object, _inputs: object, expected: dict[str, object], variant: Variant) -> list[Failure]:
        numbers = {name.partition("_")[0] for name in expected}
        sizes.append(len(numbers))
        return [Failure("refused", "conv (m2_n1): is too large; make it smaller", variant)] if "m2" in numbers else []

    monkeypatch.setattr(campaign, "failures_of", failures_of)
    tally = campaign._together(PLAN, range(4), campaign.variants_of(PLAN, 0))  # pyright: ignore[reportPrivateUsage]
    assert sizes == [4, 3]
    assert tally.refused == {"(m2_n1): is too large": 1}


def test_a_batch_whose_refusal_names_nobody_is_run_in_halves(monkeypatch: pytest.MonkeyPatch):
    def failures_of(model: object, _inputs: object, expected: dict[str, object], variant: Variant) -> list[Failure]:
        return [Failure("refused", "--threads: there are none; leave it out", variant)]

    monkeypatch.setattr(campaign, "failures_of", failures_of)
    assert run_batch(PLAN, range(4)).refused == {"--threads: there are none": 4}


def test_steps_that_are_too_short_become_longer():
    with compile_drawn(image(), CompileOptions(target="c", steps="1macs")) as artifact:
        steps = artifact.compilation.options.steps
        assert steps is not None
        assert steps.most > 1
        assert artifact.info.steps is not None
