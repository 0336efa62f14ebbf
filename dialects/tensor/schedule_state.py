"""What the directives of a schedule decide together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from s2s.dialects.intrinsic import IntrinsicAttr
from s2s.dialects.tensor.attributes import PackedAxis


@dataclass(frozen=True)
class CachedRead:
    """A read that is copied to scratch before it is used."""

    read: int
    dim: int | None
    """Inside the loop over this dimension; None: before all loops."""
    widened: bool
    """To 16 bits without its zero point, padding stored as 0; else the bytes, padding stored as the zero point."""


@dataclass(frozen=True)
class FusedTile:
    """Positions of one dimension that consecutive computations of a kernel do at a time."""

    dim: int
    size: int
    before: int = 0
    """Positions in front of its own that a tile computes as well, for windows that slide over it."""
    after: int = 0


@dataclass
class ScheduleState:
    """What the directives so far have decided for a domain of `sizes`, the first `rank` dimensions parallel."""

    sizes: tuple[int, ...]
    rank: int
    tiles: list[int] = field(init=False)
    """Register tile: points of each parallel dimension in one pass of the innermost code; of a reduction, its steps."""
    order: list[int] = field(init=False)
    """Dimensions, outermost loop first."""
    blocks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Cache blocks: dimension and size of loops outside all others, outermost first."""
    vector_dim: int | None = None
    lanes: int = 1
    fused: tuple[FusedTile, ...] = ()
    prefetches: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Reads that are fetched ahead, each with the dimension along which."""
    packs: list[tuple[int, tuple[PackedAxis, ...]]] = field(default_factory=list[tuple[int, tuple[PackedAxis, ...]]])
    """Constant operands that are packed on the host, each with its layout."""
    cached: CachedRead | None = None
    init_from: int | None = None
    """The operand of the epilogue that sums start from; None: from their initial value."""
    intrinsic: IntrinsicAttr | None = None
    """The instruction that takes several steps of a sum of products at once."""
    partials: tuple[int, int] | None = None
    """A reduction, and into how many accumulators it is folded."""

    def __post_init__(self) -> None:
        self.tiles = [1] * len(self.sizes)
        self.order = list(range(len(self.sizes)))

    @property
    def group(self) -> int:
        """How many steps of a sum of products are taken at once."""
        return 1 if self.intrinsic is None else self.intrinsic.steps

    @property
    def form(self) -> str | None:
        """The form of the instruction that does so."""
        return None if self.intrinsic is None else self.intrinsic.form.data

    @property
    def is_unsigned(self) -> bool:
        """Whether it takes its first factor with 128 added."""
        return self.intrinsic is not None and self.intrinsic.x.data == "u8"

    @property
    def reductions(self) -> list[int]:
        """Reduction dimensions, outermost loop first."""
        return [dim for dim in self.order if dim >= self.rank]

    @property
    def fused_sizes(self) -> tuple[tuple[int, int], ...]:
        """Dimension and size of each fused tile, outermost first."""
        return tuple((tile.dim, tile.size) for tile in self.fused)

    @property
    def cache_depth(self) -> int:
        """Inside how many loops of the order the cached read is copied."""
        dim = None if self.cached is None else self.cached.dim
        return 0 if dim is None else self.order.index(dim) + 1

    @property
    def block_of(self) -> dict[int, int]:
        """The size of the cache block of each dimension that has one."""
        return dict(self.blocks)

    def tile(self, dims: Sequence[int]) -> list[int]:
        """The register tile along `dims`, no larger than they are."""
        return [min(self.tiles[dim], self.sizes[dim]) for dim in dims]
