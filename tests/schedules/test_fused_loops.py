"""The fused loop of a Winograd convolution, and the traffic from beyond the L2 cache that it leaves."""

import dataclasses

import pytest

from s2s.schedules.fused_loops import FusedLoop, Tiles, fused_loop
from s2s.targets import get_target

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("tiles", "megabytes", "loop"),
    [
        (Tiles(36, 8, 8, 16, 16), 2, FusedLoop(None, 0)),  # all of it stays
        (Tiles(36, 14, 14, 64, 64), 2, FusedLoop("rows", 2)),  # constants stay beside two rows of tiles
        (Tiles(36, 14, 14, 64, 64), 1, FusedLoop("rows", 1)),
        (Tiles(36, 7, 7, 128, 128), 2, FusedLoop("channels", 32)),  # constants do not, factors of the image do
        (Tiles(16, 4, 4, 512, 512), 1, FusedLoop("channels", 32)),
        (Tiles(36, 14, 14, 128, 128), 2, FusedLoop("rows", 2, times=7)),  # neither does
    ],
)
def test_constants_come_as_seldom_as_caches_allow(tiles: Tiles, megabytes: int, loop: FusedLoop):
    target = dataclasses.replace(get_target("x86-64-v4"), l2_bytes=megabytes * MEGABYTE)
    assert fused_loop(tiles, target) == loop


def test_factors_that_come_again_for_every_panel_count():
    tiles = Tiles(16, 7, 7, 512, 512)
    assert fused_loop(tiles, get_target("x86-64-v4")) == FusedLoop("channels", 32, again=17 * tiles.image)


def test_without_caches_a_row_of_tiles_takes_the_least_memory():
    assert fused_loop(Tiles(36, 56, 56, 512, 512), get_target("c")) == FusedLoop("rows", 1)
    assert fused_loop(Tiles(36, 1, 56, 512, 512), get_target("c")).along is None
