"""Selecting the buffers and constants of a memory pool."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.memory.pools import Item, Share, demand, select

STEPS = 8


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    count = draw(st.integers(1, 7))
    firsts = [draw(st.integers(0, STEPS - 1)) for _ in range(count)]
    return [
        Item(str(n), draw(st.integers(1, 30)), draw(st.integers(0, 99)), first, draw(st.integers(first, STEPS - 1)))
        for n, first in enumerate(firsts)
    ]


def best_of(every: list[Item], shares: list[Share], capacity: int) -> int:
    """Return the traffic of the best selection, by trying all of them."""
    numbered = list(enumerate(every))
    chosen = (dict(each) for count in range(len(every) + 1) for each in itertools.combinations(numbered, count))
    fitting = (each for each in chosen if demand(each, shares) <= capacity)
    return max((sum(item.traffic for item in each.values()) for each in fitting), default=0)


@settings(max_examples=60)
@given(items(), st.integers(0, 60))
def test_small_networks_get_the_optimum_and_its_proof(given_items: list[Item], capacity: int):
    found = select(given_items, capacity)
    assert found.traffic == found.bound == best_of(given_items, [], capacity)
    assert demand({number: given_items[number] for number in found.items}, ()) <= capacity


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 99)), min_size=1, max_size=7), st.integers(0, 60))
def test_results_that_lie_over_operands_take_less(chain: list[tuple[int, int]], capacity: int):
    """Each result is computed over half of the one before, which dies."""
    every = [Item(str(n), size, traffic, n, n + 1) for n, (size, traffic) in enumerate(chain)]
    shares = [Share(n + 1, n, min(every[n].size, every[n + 1].size) // 2) for n in range(len(every) - 1)]
    found = select(every, capacity, shares)
    assert found.traffic == found.bound == best_of(every, shares, capacity)


def test_what_is_held_stays_and_takes_its_bytes():
    every = [Item("a", 40, 10, 0, 1), Item("b", 30, 90, 0, 1), Item("c", 20, 50, 0, 1)]
    found = select(every, 64, held=[0])
    assert found.items == {0, 2}
    assert found.traffic == 60


def test_a_search_that_ends_early_states_a_bound():
    many = [Item(str(n), 7 + n % 13, 50 + n * 37 % 101, 0, 1) for n in range(300)]
    found = select(many, 1000)
    assert found.traffic <= found.bound <= 1.01 * found.traffic
