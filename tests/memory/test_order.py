"""The execution order: valid, optimal on small networks, never worse than the given one, and fast on large ones."""

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.memory.order import order_steps, peak_of
from s2s.memory.steps import Step
from support.networks import Builder, chain, densenet, inception, shuffle, transformer


@st.composite
def networks(draw: st.DrawFn) -> Builder:
    """Up to six steps that read up to three of the values before them."""
    net = Builder([draw(st.integers(1, 100))])
    for _ in range(draw(st.integers(1, 6))):
        reads = draw(st.lists(st.integers(0, len(net.sizes) - 1), min_size=1, max_size=3))
        net.step(draw(st.sampled_from([1, 10, 50, 100])), *reads, in_place=draw(st.booleans()))
    return net


def kept(net: Builder) -> list[int]:
    """The last value is the output of the network."""
    return [len(net.sizes) - 1]


def is_valid(net: Builder, order: tuple[int, ...] | list[int]) -> bool:
    """Whether each step comes after the writers of what it reads."""
    known = {0}
    for number in order:
        if not known.issuperset(net.steps[number].reads):
            return False
        known.update(net.steps[number].writes)
    return True


def peak(net: Builder, order: tuple[int, ...] | list[int]) -> int:
    """Peak of live bytes when `net` is executed in `order`."""
    return peak_of([net.steps[number] for number in order], net.sizes, kept(net))


@given(networks())
@settings(max_examples=60)
def test_order_of_a_small_network_is_optimal(net: Builder) -> None:
    found = order_steps(net.steps, net.sizes, kept(net))
    orders = itertools.permutations(range(len(net.steps)))
    assert is_valid(net, found)
    assert peak(net, found) == min(peak(net, order) for order in orders if is_valid(net, order))


@pytest.mark.parametrize("net", [chain(30), densenet(16)], ids=["chain", "densenet"])
def test_given_order_stays_where_it_is_as_good(net: Builder) -> None:
    assert order_steps(net.steps, net.sizes, kept(net)) == list(range(len(net.steps)))


def test_branches_of_an_inception_block_are_finished_one_by_one() -> None:
    net = Builder([10])
    heads = [net.step(100, 0) for _ in range(4)]
    tails = [net.step(10, head) for head in heads]
    net.step(40, *tails)
    found = order_steps(net.steps, net.sizes, kept(net))
    assert peak(net, range_of(net)) == 410
    assert peak(net, found) == 140


def range_of(net: Builder) -> list[int]:
    """The given order."""
    return list(range(len(net.steps)))


@pytest.mark.parametrize(
    "net", [inception(9), shuffle(16), transformer(12)], ids=["inception", "shuffle", "transformer"]
)
def test_order_is_never_worse_than_the_given_one(net: Builder) -> None:
    found = order_steps(net.steps, net.sizes, kept(net))
    assert is_valid(net, found)
    assert peak(net, found) <= peak(net, range_of(net))


@pytest.mark.parametrize("reach", [3, 40, 1_600])
def test_order_of_1600_tangled_steps_is_valid_and_takes_seconds_at_most(reach: int) -> None:
    rng = random.Random(1)
    net = Builder([10])
    for _ in range(1_600):
        count = len(net.sizes)
        net.step(rng.randrange(1, 100), *(rng.randrange(max(0, count - reach), count) for _ in range(2)))
    started = time.process_time()
    found = order_steps(net.steps, net.sizes, kept(net))
    assert time.process_time() - started < 10
    assert is_valid(net, found)
    assert peak(net, found) <= peak(net, range_of(net))


def test_scratch_counts_while_its_step_runs() -> None:
    assert peak_of([Step((0,), (1,), scratch=50)], [10, 20], [1]) == 80


def test_an_empty_network_keeps_its_inputs() -> None:
    assert order_steps([], [10], [0]) == []
    assert peak_of([], [10], [0]) == 10
