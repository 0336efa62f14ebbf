"""Plans with outputs over inputs: correct on any buffers, and at the optimum on small chains."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.memory.buffers import Buffer, Overlap, most_shared, overlapped_bound
from s2s.memory.plan import plan
from s2s.memory.poison import check_plan

Problem = tuple[list[Buffer], list[Overlap]]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Up to twelve buffers with any lifetimes; outputs may overlap inputs at any distances."""
    buffers: list[Buffer] = []
    for number in range(draw(st.integers(0, 12))):
        first = draw(st.integers(0, 8))
        last = draw(st.integers(first, 8))
        buffers.append(Buffer(f"b{number}", draw(st.integers(0, 100)), draw(st.sampled_from([1, 4])), first, last))
    overlaps: list[Overlap] = []
    for made, dying in product(buffers, buffers):
        if dying.first < dying.last == made.first and draw(st.booleans()):
            cuts = sorted(draw(st.lists(st.integers(-made.size, dying.size), min_size=2, max_size=4)))
            pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
            overlaps.append(Overlap(made.name, dying.name, tuple(pair for pair in pairs if pair[0] < pair[1])))
    return buffers, overlaps


@given(problems())
@settings(max_examples=80)
def test_plan_overwrites_nothing_that_overlaps_do_not_allow(problem: Problem) -> None:
    buffers, overlaps = problem
    found = plan(buffers, [], overlaps)
    check_plan(buffers, found, [], overlaps)
    assert found.apart_bound >= found.lower_bound == overlapped_bound(buffers, overlaps)
    assert found.size >= found.lower_bound
    assert found.size <= plan(buffers).size


def steps_back(sizes: list[int], distances: list[int]) -> Problem:
    """A chain whose kernels let the output start before the input by at least the distance."""
    buffers = [Buffer(f"b{n}", size, 1, n, n + 1) for n, size in enumerate(sizes)]
    overlaps = [Overlap(f"b{n + 1}", f"b{n}", ((-distance, sizes[n]),)) for n, distance in enumerate(distances)]
    return buffers, overlaps


def test_a_chain_of_equal_kernels_drifts_down_by_their_distances() -> None:
    buffers, overlaps = steps_back([100, 100, 100, 100], [5, 5, 5])
    assert plan(buffers, [], overlaps).size == 115
    assert plan(buffers).size == 200


def test_kernels_in_opposite_directions_take_turns() -> None:
    buffers, overlaps = steps_back([100, 100, 100], [5, 5])
    overlaps[1] = Overlap("b2", "b1", ((-100, 5),))
    assert plan(buffers, [], overlaps).size == 105


def test_a_single_distance_inside_an_interval_is_found() -> None:
    buffers = [Buffer("x", 64, 1, 0, 1), Buffer("y", 64, 1, 1, 2)]
    assert plan(buffers, [], [Overlap("y", "x", ((-60, 0), (0, 60)))]).size == 64


@given(st.lists(st.integers(1, 40), min_size=2, max_size=4), st.data())
@settings(max_examples=40)
def test_small_chains_are_planned_as_well_as_can_be(sizes: list[int], data: st.DataObject) -> None:
    distances = [data.draw(st.integers(0, size)) for size in sizes[1:]]
    buffers, overlaps = steps_back(sizes, distances)
    assert plan(buffers, [], overlaps).size == smallest(sizes, distances)


def smallest(sizes: list[int], distances: list[int]) -> int:
    """The smallest arena of a chain, by trying every offset of every buffer."""
    size = max(sizes)
    while not fits(size, sizes, distances):
        size += 1
    return size


def fits(arena: int, sizes: list[int], distances: list[int]) -> bool:
    """Whether a chain fits; only neighbours live together, so the offsets that one may have tell those of the next."""
    possible = set(range(arena - sizes[0] + 1))
    for before, size, distance in zip(sizes, sizes[1:], distances, strict=False):
        possible = {
            offset
            for offset in range(arena - size + 1)
            if any(offset <= other - min(distance, size) or offset >= other + before for other in possible)
        }
    return bool(possible)


def test_the_most_that_two_buffers_share_is_where_the_kernel_allows_it() -> None:
    assert most_shared(10, 20, ()) == 10
    assert most_shared(10, 20, ((-4, 20),)) == 6
    assert most_shared(10, 20, ((-4, 15),)) == 6
    assert most_shared(10, 20, ((-10, 20),)) == 0
    assert most_shared(10, 20, ((-4, 0), (0, 20))) == 10
