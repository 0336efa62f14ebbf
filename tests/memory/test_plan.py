"""The memory planner: correct on any buffers, within 5 % of the bound on the shapes of real networks."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.errors import CompilerBug
from s2s.memory.blocks import layout_of, merge_in_place, total_size
from s2s.memory.buffers import Buffer, InPlace, Plan, choose_in_place, lower_bound
from s2s.memory.exact import search_exact
from s2s.memory.greedy import greedy_orders
from s2s.memory.hill_climb import climb
from s2s.memory.order import order_steps
from s2s.memory.placement import Fit, place
from s2s.memory.plan import plan
from s2s.memory.poison import check_plan
from support.networks import Builder, chain, densenet, inception, lifetimes, residual, shuffle, transformer, unet

STEPS = 12

Problem = tuple[list[Buffer], list[InPlace]]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Up to sixteen buffers with any lifetimes, and some of the in-place pairs they allow."""
    buffers: list[Buffer] = []
    for number in range(draw(st.integers(0, 16))):
        first = draw(st.integers(0, STEPS))
        last = draw(st.integers(first, STEPS))
        size = draw(st.sampled_from([0, 1, 16, 64, 100, 1000]) | st.integers(0, 5000))
        buffers.append(Buffer(f"b{number}", size, draw(st.sampled_from([1, 4, 16, 64])), first, last))
    possible = [InPlace(y.name, x.name) for y in buffers for x in buffers if x.first < x.last == y.first]
    pairs = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    return buffers, pairs


@given(problems())
@settings(max_examples=50)
def test_plan_overwrites_nothing_and_respects_alignment(problem: Problem) -> None:
    buffers, pairs = problem
    check_plan(buffers, plan(buffers, pairs), pairs)


@given(problems())
@settings(max_examples=25)
def test_plan_is_never_below_the_bound(problem: Problem) -> None:
    buffers, pairs = problem
    found = plan(buffers, pairs)
    assert found.size >= found.lower_bound == lower_bound(buffers, pairs)


@given(problems())
@settings(max_examples=25)
def test_every_planner_alone_is_right(problem: Problem) -> None:
    buffers, pairs = problem
    layout = layout_of(merge_in_place(buffers, choose_in_place(buffers, pairs)))
    plans = [place(layout, order, fit) for order in greedy_orders(layout) for fit in Fit]
    plans.append(climb(layout, range(len(layout.blocks)), 20))
    exact = search_exact(layout, 1 << 40, 100)
    if exact is not None:
        plans.append(exact)
    for offsets in plans:
        members = zip(layout.blocks, offsets, strict=True)
        by_name = dict.fromkeys((buffer.name for buffer in buffers), 0)
        by_name |= {member.name: offset for block, offset in members for member in block.members}
        check_plan(buffers, Plan(by_name, total_size(layout, offsets), 0), pairs)


def test_plan_is_the_same_every_time() -> None:
    buffers, pairs = lifetimes(inception(9), list(range(len(inception(9).steps))))
    assert plan(buffers, pairs) == plan(buffers, pairs)


@pytest.mark.parametrize("align", [1, 16, 64])
@pytest.mark.parametrize(
    "net",
    [chain(50), residual(16), inception(9), densenet(24), unet(4), shuffle(16), transformer(12)],
    ids=["chain", "residual", "inception", "densenet", "unet", "shuffle", "transformer"],
)
def test_plan_is_within_five_percent_of_the_bound_on_networks(net: Builder, align: int) -> None:
    buffers, pairs = lifetimes(net, list(range(len(net.steps))), align)
    found = plan(buffers, pairs)
    check_plan(buffers, found, pairs)
    assert found.ratio <= 1.05


@pytest.mark.parametrize(
    "net",
    [inception(9), inception(100), transformer(60), shuffle(100)],
    ids=["small", "large", "transformer", "shuffle"],
)
def test_plan_is_within_five_percent_of_the_bound_in_the_best_order(net: Builder) -> None:
    buffers, pairs = lifetimes(net, order_steps(net.steps, net.sizes, [len(net.sizes) - 1]))
    found = plan(buffers, pairs)
    check_plan(buffers, found, pairs)
    assert found.ratio <= 1.05


def test_exact_search_finds_what_greedy_misses() -> None:
    buffers = [
        Buffer("a", 3, 1, 0, 1),
        Buffer("b", 4, 1, 1, 2),
        Buffer("c", 3, 1, 2, 3),
        Buffer("d", 5, 1, 3, 4),
        Buffer("e", 2, 1, 0, 3),
        Buffer("f", 1, 1, 1, 4),
    ]
    layout = layout_of(merge_in_place(buffers, ()))
    offsets = search_exact(layout, 1_000, 10_000)
    assert offsets is not None
    assert total_size(layout, offsets) == lower_bound(buffers) == 11


def test_bound_counts_a_buffer_computed_in_place_once() -> None:
    buffers = [Buffer("x", 100, 1, 0, 1), Buffer("y", 80, 1, 1, 2)]
    assert lower_bound(buffers) == 180
    assert lower_bound(buffers, [InPlace("y", "x")]) == 100
    assert plan(buffers, [InPlace("y", "x")]).size == 100


def test_an_input_is_given_to_one_output_only() -> None:
    buffers = [Buffer("x", 10, 1, 0, 1), Buffer("y", 10, 1, 1, 2), Buffer("z", 10, 1, 1, 2)]
    pairs = [InPlace("y", "x"), InPlace("z", "x")]
    assert choose_in_place(buffers, pairs) == (InPlace("y", "x"),)
    check_plan(buffers, plan(buffers, pairs), pairs)


def test_an_in_place_pair_whose_input_lives_on_is_a_bug() -> None:
    with pytest.raises(CompilerBug, match="has to die"):
        plan([Buffer("x", 1, 1, 0, 3), Buffer("y", 1, 1, 1, 2)], [InPlace("y", "x")])


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ({"x": 0, "y": 8}, "overwrites live bytes of x"),
        ({"x": 0, "y": 18}, "not aligned"),
        ({"x": 0, "y": 32}, "outside"),
    ],
)
def test_poison_finds_a_wrong_plan(offsets: dict[str, int], message: str) -> None:
    buffers = [Buffer("x", 16, 4, 0, 1), Buffer("y", 16, 4, 1, 2)]
    with pytest.raises(CompilerBug, match=message):
        check_plan(buffers, Plan(offsets, 40, 32))


def no_buffers() -> Plan:
    """The plan of a network that keeps nothing."""
    return plan([])


@pytest.mark.parametrize("make", [no_buffers, lambda: plan([Buffer("x", 0, 1, 0, 1)])])
def test_nothing_to_place_needs_no_arena(make: Callable[[], Plan]) -> None:
    assert make().size == 0
    assert make().ratio == 1.0
