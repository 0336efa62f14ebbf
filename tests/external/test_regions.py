"""Regions of code generators: connected, of one owner, and no cycle arises, on random graphs."""

from hypothesis import given
from hypothesis import strategies as st

from s2s.external.regions import merge_regions

Graph = tuple[list[tuple[int, int]], list[str | None]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Edges upwards between up to 14 nodes, owned by two generators or by nobody."""
    count = draw(st.integers(1, 14))
    owners = draw(st.lists(st.sampled_from(["a", "b", None]), min_size=count, max_size=count))
    pairs = [(low, high) for high in range(count) for low in range(high)]
    return [pair for pair in pairs if draw(st.integers(0, 3)) == 0], owners


def is_cyclic(edges: set[tuple[int, int]]) -> bool:
    """Whether a set of edges, each between two groups, leads back to where it began."""
    while edges:
        sources = {first for first, _ in edges} - {second for _, second in edges}
        if not sources:
            return True
        edges = {edge for edge in edges if edge[0] not in sources}
    return False


@given(graphs())
def test_calls_in_place_of_regions_make_no_cycle(graph: Graph):
    edges, owners = graph
    merged = merge_regions(edges, owners)
    group = [f"op {number}" if region is None else f"region {region}" for number, region in enumerate(merged)]
    number = {name: place for place, name in enumerate(dict.fromkeys(group))}
    assert not is_cyclic({(number[group[a]], number[group[b]]) for a, b in edges if group[a] != group[b]})


@given(graphs())
def test_regions_are_connected_and_have_one_owner(graph: Graph):
    edges, owners = graph
    merged = merge_regions(edges, owners)
    for region in {each for each in merged if each is not None}:
        members = [node for node, each in enumerate(merged) if each == region]
        assert len({owners[node] for node in members}) == 1
        reached = {members[0]}
        for _ in members:
            reached |= {b for a, b in edges if a in reached and b in members}
            reached |= {a for a, b in edges if b in reached and a in members}
        assert reached == set(members)


@given(graphs())
def test_nobody_owns_what_is_in_no_region(graph: Graph):
    edges, owners = graph
    assert [each is None for each in merge_regions(edges, owners)] == [owner is None for owner in owners]


def test_neighbours_are_merged():
    assert merge_regions([(0, 1), (1, 2)], ["a", "a", "a"]) == [0, 0, 0]


def test_a_node_of_somebody_else_between_two_members_keeps_them_apart():
    """0 -> 1 -> 2 and 0 -> 2: a call of 0 and 2 together would have to run before 1, and behind it."""
    assert merge_regions([(0, 1), (1, 2), (0, 2)], ["a", None, "a"]) == [0, None, 2]
