"""The combined decisions of a schedule's directives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import NamedTuple

from s2s.dialects.intrinsic import IntrinsicAttr
from s2s.dialects.tensor.attributes import PackedAxis
from s2s.support.mutable import mutable


class CachedRead(NamedTuple):
    """A read that is copied to scratch before its use (cache_read)."""

    read: int
    dim: int | None
    """The loop inside which the read is copied; None: before all loops."""
    widened: bool
    """Whether the copy has 16 bits with the zero point subtracted and padding of 0; else bytes with padding of the zero
    point."""


class FusedTile(NamedTuple):
    """The tile size of one dimension that consecutive computations of a kernel are tiled and fused along."""

    dim: int
    size: int
    before: int = 0
    """Positions before its own that a tile computes as well, for windows that slide over it."""
    after: int = 0


@mutable
class ScheduleState:
    """The decisions so far for a domain of `sizes`, whose first `rank` dimensions are parallel."""

    sizes: tuple[int, ...]
    rank: int
    tiles: list[int] = field(init=False)
    """The register tile: positions of each parallel dimension in one iteration, and unrolled steps of each
    reduction."""
    passes: dict[int, int] = field(default_factory=dict[int, int])
    """The passes of a reduction loop that the C compiler is asked to unroll."""
    order: list[int] = field(init=False)
    """Dimensions, outermost loop first."""
    blocks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Cache blocks: dimension and size of the loops outside of all others, outermost first."""
    vector_dim: int | None = None
    lanes: int = 1
    strip_dim: int | None = None
    """The dimension that runs in vectors of a length known at run time only (strip_mine)."""
    fused: tuple[FusedTile, ...] = ()
    computed_at: int | None = None
    """The dimension of which each step of the reader's reduction computes one position (compute_at)."""
    parallel: tuple[int, ...] = ()
    """The dimensions whose outermost loops are divided among threads, outermost first."""
    prefetches: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Prefetched reads, each with the dimension along which."""
    packs: list[tuple[int, tuple[PackedAxis, ...]]] = field(default_factory=list[tuple[int, tuple[PackedAxis, ...]]])
    """Constant operands that are packed at compile time, each with its layout."""
    cached: CachedRead | None = None
    raw: int | None = None
    """The read whose bytes are multiplied as they are stored, in place (raw_bytes)."""
    init_from: int | None = None
    """The epilogue operand that is the initial value of sums; None: the constant initial value."""
    intrinsic: IntrinsicAttr | None = None
    """The intrinsic that computes several steps of a sum of products at once."""
    next_intrinsic: IntrinsicAttr | None = None
    """The intrinsic that computes the products of the next position of a window from the same elements."""
    two_intrinsic: IntrinsicAttr | None = None
    """The intrinsic that computes two products of rows of more than three taps."""
    partials: tuple[int, int] | None = None
    """A reduction, and the number of partial accumulators (rfactor)."""

    def __post_init__(self) -> None:
        self.tiles = [1] * len(self.sizes)
        self.order = list(range(len(self.sizes)))

    @property
    def group(self) -> int:
        """The reduction steps that the intrinsic computes at once."""
        return 1 if self.intrinsic is None else self.intrinsic.steps

    @property
    def form(self) -> str | None:
        """The form of the intrinsic."""
        return None if self.intrinsic is None else self.intrinsic.form.data

    @property
    def is_unsigned(self) -> bool:
        """Whether the intrinsic takes its first factor with 128 added."""
        return self.intrinsic is not None and self.intrinsic.x.data == "u8"

    @property
    def in_pairs(self) -> bool:
        """Whether the intrinsic takes both factors as pairs of bytes, so that sums are 256 times as large."""
        return self.form in ("dot_pairs", "dot_points")

    @property
    def by_points(self) -> bool:
        """Whether the copy of the first factor holds the points of a tile side by side, half a group of each."""
        return self.form == "dot_points"

    @property
    def is_dot(self) -> bool:
        """Whether the intrinsic gives one sum of factors in registers."""
        return self.form in ("dot", "dot_pairs", "dot_points", "dot_taps", "dot_strips")

    @property
    def in_taps(self) -> bool:
        """Whether the intrinsic takes rows of taps, three in a group of four with the one in the middle twice."""
        return self.form == "dot_taps"

    @property
    def takes_raw_bytes(self) -> bool:
        """Whether the first factor of products is taken as it is stored, zero point included."""
        if self.cached is not None:
            return not self.cached.widened
        if self.raw is not None:
            return True
        in_bytes = self.intrinsic is not None and self.intrinsic.x.data != "i16"
        return in_bytes and self.form in (
            "dot_lanes", "dot_rows", "dot_half_rows", "dot_window", "dot_group", "dot_strips",
        )  # fmt: skip

    @property
    def passes_of_all(self) -> int:
        """The passes to unroll of one loop over all reductions."""
        return prod(self.passes.values())

    @property
    def reductions(self) -> list[int]:
        """Reduction dimensions, outermost loop first."""
        return [dim for dim in self.order if dim >= self.rank]

    @property
    def loops(self) -> list[int]:
        """The dimension of each loop outside of the register tile, outermost first: the loops over fused tiles, or the
        loops over cache blocks and then the ones over register tiles."""
        if self.fused:
            return [tile.dim for tile in self.fused]
        blocked = [dim for dim, _ in self.blocks]
        over_tiles = [dim for dim in self.order if dim in blocked or self.tiles[dim] < self.sizes[dim]]
        return [*blocked, *(dim for dim in over_tiles if dim < self.rank)]

    def divides_tiles(self, dim: int) -> bool:
        """Return whether the loop over register tiles along `dim` is divided among threads."""
        return dim in self.parallel[len(self.blocks) :]

    @property
    def fused_sizes(self) -> tuple[tuple[int, int], ...]:
        """Dimension and size of each fused tile, outermost first."""
        return tuple((tile.dim, tile.size) for tile in self.fused)

    @property
    def cache_depth(self) -> int:
        """The number of loops around the copy of the cached read."""
        dim = None if self.cached is None else self.cached.dim
        return 0 if dim is None else self.order.index(dim) + 1

    @property
    def blocked_reductions(self) -> list[int]:
        """The reductions that are done block by block, outermost first."""
        return list(dict.fromkeys(dim for dim, _ in self.blocks if dim >= self.rank))

    @property
    def block_of(self) -> dict[int, int]:
        """The size of the innermost cache block of each blocked dimension."""
        return dict(self.blocks)

    def tile(self, dims: Sequence[int]) -> list[int]:
        """Return the register tile along `dims`, clipped to their sizes."""
        return [min(self.tiles[dim], self.sizes[dim]) for dim in dims]
