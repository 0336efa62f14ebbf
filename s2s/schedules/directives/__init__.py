"""The directives that schedules are made of, one file each."""

from xdsl.ir import Dialect

from s2s.schedules.directives.cache_read import CacheRead
from s2s.schedules.directives.compute_at import ComputeAt
from s2s.schedules.directives.parallel import Parallel
from s2s.schedules.directives.prefetch import Prefetch
from s2s.schedules.directives.raw_bytes import InitFrom, RawBytes
from s2s.schedules.directives.reorder import Reorder
from s2s.schedules.directives.rfactor import Rfactor
from s2s.schedules.directives.strip_mine import StripMine
from s2s.schedules.directives.tensorize import Tensorize
from s2s.schedules.directives.tile import Tile, register_tile
from s2s.schedules.directives.tile_and_fuse import TileAndFuse
from s2s.schedules.directives.unroll import Unroll
from s2s.schedules.directives.vectorize import Vectorize

Schedule = Dialect(
    "schedule",
    [],
    [
        Tile,
        Unroll,
        Vectorize,
        StripMine,
        Reorder,
        Parallel,
        Rfactor,
        CacheRead,
        RawBytes,
        Tensorize,
        InitFrom,
        Prefetch,
        TileAndFuse,
        ComputeAt,
    ],
)

__all__ = [
    "CacheRead",
    "ComputeAt",
    "InitFrom",
    "Parallel",
    "Prefetch",
    "RawBytes",
    "Reorder",
    "Rfactor",
    "Schedule",
    "StripMine",
    "Tensorize",
    "Tile",
    "TileAndFuse",
    "Unroll",
    "Vectorize",
    "register_tile",
]
