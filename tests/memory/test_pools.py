"""Assigning buffers and constants to memory pools."""

import itertools
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.memory.pools import Item, select

STEPS = 8


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    count = draw(st.integers(1, 7))
    firsts = [draw(st.integers(0, STEPS - 1)) for _ in range(count)]
    return [
        Item(str(n), draw(st.integers(1, 30)), draw(st.integers(0, 99)), first, draw(st.integers(first, STEPS - 1)))
        for n, first in enumerate(firsts)
    ]


def fits(chosen: Sequence[Item], capacity: int) -> bool:
    return all(sum(each.size for each in chosen if each.first <= at <= each.last) <= capacity for at in range(STEPS))


@settings(max_examples=60)
@given(items(), st.integers(0, 60))
def test_small_networks_get_the_optimum_and_its_proof(given_items: list[Item], capacity: int):
    every = (
        chosen
        for count in range(len(given_items) + 1)
        for chosen in itertools.combinations(given_items, count)
        if fits(chosen, capacity)
    )
    best = max(sum(item.traffic for item in chosen) for chosen in every)
    found = select(given_items, capacity)
    assert found.traffic == found.bound == best
    assert fits([given_items[number] for number in found.items], capacity)


def test_a_search_that_ends_early_states_a_bound():
    many = [Item(str(n), 7 + n % 13, 50 + n * 37 % 101, 0, 1) for n in range(300)]
    found = select(many, 1000)
    assert found.traffic <= found.bound <= 1.1 * found.traffic
