"""The walk through a fast convolution, and what it leaves to come from beyond the second cache."""

import dataclasses

import pytest

from s2s.schedules.tile_walks import Tiles, TileWalk, tile_walk
from s2s.targets import get_target

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("tiles", "megabytes", "walk"),
    [
        (Tiles(36, 8, 8, 16, 16), 2, TileWalk(None, 0)),  # all of it stays
        (Tiles(36, 14, 14, 64, 64), 2, TileWalk("rows", 2)),  # constants stay beside two rows of tiles
        (Tiles(36, 14, 14, 64, 64), 1, TileWalk("rows", 1)),
        (Tiles(36, 7, 7, 128, 128), 2, TileWalk("channels", 32)),  # constants do not, factors of the image do
        (Tiles(16, 4, 4, 512, 512), 1, TileWalk("channels", 32)),
        (Tiles(36, 14, 14, 128, 128), 2, TileWalk("rows", 2, times=7)),  # neither does
    ],
)
def test_constants_come_as_seldom_as_caches_allow(tiles: Tiles, megabytes: int, walk: TileWalk):
    target = dataclasses.replace(get_target("x86-64-v4"), l2_bytes=megabytes * MEGABYTE)
    assert tile_walk(tiles, target) == walk


def test_factors_that_come_again_for_every_panel_count():
    tiles = Tiles(16, 7, 7, 512, 512)
    assert tile_walk(tiles, get_target("x86-64-v4")) == TileWalk("channels", 32, again=17 * tiles.image)


def test_without_caches_nothing_is_divided():
    assert tile_walk(Tiles(36, 56, 56, 512, 512), get_target("c")).along is None
