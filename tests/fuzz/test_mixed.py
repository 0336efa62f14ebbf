"""Programs of all kinds agree with other engines: other ones for each commit; `s2s fuzz --format mixed` runs more."""

import os

import pytest

from s2s.errors import InputError
from s2s.fuzz.campaign import BATCH, KINDS, MIXED, Plan, Tally, run
from support.sampling import choose_seed

MODELS = 300
PARTS = 4
"""Tests that share the programs, so that several processes draw them."""
SHARE = -(-MODELS // (PARTS * BATCH)) * BATCH


def seed() -> int:
    """The seed of S2S_FUZZ_SEED, else of the commit; 1 where all samples are taken."""
    given = os.environ.get("S2S_FUZZ_SEED", choose_seed())
    return int(given) if given.isdecimal() else 1


@pytest.mark.parametrize("part", range(PARTS))
def test_programs_of_all_kinds_agree_with_other_engines(part: int) -> None:
    plan = Plan(models=SHARE, first=part * SHARE, seed=seed(), variants=1, nodes=3, format=MIXED)
    total = Tally()
    for tally in run(plan):
        total.add(tally)
    assert [failing.failure.describe() for failing in total.failures] == [], f"seed {plan.seed}"
    assert {*KINDS} <= set(total.kinds)
    assert total.models == SHARE
    assert sum(total.refused.values()) < SHARE / 2


def test_sizes_are_drawn_among_others() -> None:
    with pytest.raises(InputError, match="is drawn among others"):
        next(iter(run(Plan(format=MIXED, sizes=True))))
