"""Places of the arenas of several networks in one piece of memory."""

import pytest

from s2s.memory.regions import Arena, Regions, place_arenas

ARENAS = [Arena(100, 8), Arena(60, 8), Arena(30, 16)]


def test_networks_that_take_turns_use_the_same_bytes():
    assert place_arenas(ARENAS) == Regions((0, 0, 0), 100, 16)


def test_concurrent_networks_have_bytes_of_their_own():
    assert place_arenas(ARENAS, concurrent=True) == Regions((0, 104, 176), 206, 16)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_state_is_no_other_networks_memory(place: int):
    arenas = [Arena(each.size, each.align, keeps_state=at == place) for at, each in enumerate(ARENAS)]
    regions = place_arenas(arenas)
    start, end = regions.offsets[place], regions.offsets[place] + arenas[place].size
    others = [(regions.offsets[at], regions.offsets[at] + each.size) for at, each in enumerate(arenas) if at != place]
    assert all(stop <= start or end <= begin for begin, stop in others)


def test_arenas_with_one_state_are_one_piece_of_memory():
    kept = [Arena(40, 4, keeps_state=True), Arena(100, 8), Arena(72, 8, keeps_state=True)]
    assert place_arenas(kept, share_state=True) == Regions((104, 0, 104), 176, 8)
