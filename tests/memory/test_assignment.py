"""Assigning buffers and constants to memory pools."""

from collections.abc import Set

import pytest

from s2s.memory.assignment import Assigner
from s2s.memory.pools import Item, demand
from s2s.types.pools import pools_of

FULL = Item("full", 40, 100, 1, 1)
"""A buffer that takes most of the first pool, at one step only."""
SMALL = [Item("first", 10, 200, 0, 1), Item("last", 10, 200, 1, 2)]


def assigner(*items: Item, pools: tuple[str, ...] = ("tcm=64", "sram=1000"), waste: int = 0) -> Assigner:
    """Return an assigner whose plans are as large as what lives at one step, and larger by `waste` if `full` is in."""

    def planned(number: int, chosen: Set[int]) -> int:
        found = {item: items[item] for item in chosen}
        return demand(found, ()) + (waste if number == 0 and FULL in found.values() else 0)

    given = pools_of(pools)

    def may_hold(number: int, item: int) -> bool:
        return given[number].may_hold(items[item].is_constant)

    return Assigner(items, given, (), [pool.size for pool in given], may_hold, planned)


def constants(*traffic: int) -> list[Item]:
    return [Item(f"w{n}", 20, each, -1, 2, is_constant=True) for n, each in enumerate(traffic)]


def test_a_buffer_that_is_large_at_one_step_goes_out_for_two_constants():
    found = assigner(*SMALL, FULL, *constants(90, 90)).assign({})
    assert found.places == (0, 0, 1, 0, 0)
    assert found.gap == 0


def test_it_stays_where_the_constants_are_read_less():
    found = assigner(*SMALL, FULL, *constants(30, 30)).assign({})
    assert found.places == (0, 0, 0, 1, 1)


def test_plans_with_gaps_between_buffers_decide_what_fits():
    """What lives at one step would fit, the plan does not; the bound says that more might have been possible."""
    found = assigner(*SMALL, FULL, *constants(30), waste=10).assign({})
    assert found.places == (0, 0, 1, 0)
    assert found.gap == pytest.approx(70 / 530)


def test_the_local_search_takes_buffers_in_that_a_smaller_selection_left_out():
    others = [Item("other", 30, 60, 1, 1)]
    found = assigner(*SMALL, FULL, *others, waste=10).assign({})
    assert found.places == (0, 0, 1, 0)


def test_items_stay_where_they_are_given():
    found = assigner(*SMALL, FULL, *constants(90, 90)).assign({2: 0, 0: 1})
    assert found.places == (1, 0, 0, 1, 1)


def test_constants_fit_nowhere_or_in_the_last_pool():
    found = assigner(*SMALL, *constants(90, 80), pools=("tcm=40",)).assign({})
    assert found.places == (0, 0, 0, 1)
