"""`tile_and_fuse`: a tile of consecutive computations of a kernel is done before the next tile."""

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.tile_and_fuse.scheduled_kernel import ScheduledKernel
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, FusedTile, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled, check_dims
from s2s.schedules.directives.sizes import Sizes, rows_of, sizes_attribute
from s2s.schedules.directives.tile import Tile
from s2s.schedules.directives.vectorize import Vectorize
from s2s.types.margins import MARGINS, margins_of


@irdl_attr_definition
class TileAndFuse(Directive):
    """Compute one tile of this and neighbouring computations before the next tile: `tile_and_fuse<0 by 1, 2 by 16>`.

    Consecutive computations of a kernel with this directive share one nest of loops over tiles; a tensor that only they
    know holds one tile. Where windows slide over it, tiles overlap: in `tile_and_fuse<2 by 28 overlap [1, 0]>` each has
    one position more in front and none behind, which neighbours compute as well; positions outside of the dimension
    are zeros.
    """

    name = "schedule.tile_and_fuse"

    tiles: Sizes

    @staticmethod
    def of(tiles: Iterable[FusedTile | tuple[int, int]]) -> "TileAndFuse | None":
        """Return the directive for tiles, or for dimensions and sizes without an overlap; None for no tiles."""
        rows = [
            (each.dim, each.size, each.before, each.after) if isinstance(each, FusedTile) else (*each, 0, 0)
            for each in tiles
        ]
        return TileAndFuse(sizes_attribute(rows)) if rows else None

    @property
    def fused(self) -> tuple[FusedTile, ...]:
        """The tiles, outermost first."""
        return tuple(FusedTile(*row) for row in rows_of(self.tiles))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        dims = [tile.dim for tile in self.fused]
        check_dims("tile_and_fuse", dims, op, parallel=True)
        if any(tile.size < 1 for tile in self.fused):
            raise VerifyException(f"{op.name}: tile_and_fuse has empty tiles; give positive sizes")
        blocked = [dim for dim, _ in state.blocks if dim in dims]
        if blocked:
            raise VerifyException(
                f"{op.name}: dimension {blocked[0]} has cache blocks and fused tiles; keep one of them"
            )

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        for tile in self.fused:
            if overlaps(tile) and state.tile([tile.dim]) != [1]:
                raise VerifyException(
                    f"{op.name}: dimension {tile.dim} has fused tiles that overlap and a register tile of "
                    f"{state.tiles[tile.dim]}, which may reach beyond the dimension; leave one of them out"
                )

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        assert isinstance(op, tensor.Computation)
        assert isinstance(kernel, ScheduledKernel)
        inner = kernel.group_of(op).inner
        if margins_of(op.attributes.get(MARGINS)) and any(result in inner for result in op.results):
            raise VerifyException(
                f"{op.name}: tile_and_fuse stores one tile of a tensor that has margins; leave it out"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        for dim in range(op.rank):
            yield from filter(None, (cls.of([(dim, size)]) for size in (1, 2, 4)))

    def decide(self, state: ScheduleState) -> None:
        state.fused = self.fused

    def renumber(self, mapping: Renumbering) -> "TileAndFuse | None":
        return TileAndFuse.of(
            FusedTile(new, size, tile.before, tile.after)
            for tile in self.fused
            for new, size in mapping.extents(tile.dim, tile.size).items()
        )

    def inside_tile(self) -> None:
        return None

    def print_parameters(self, printer: Printer) -> None:
        texts = [
            f"{tile.dim} by {tile.size}" + (f" overlap [{tile.before}, {tile.after}]" if overlaps(tile) else "")
            for tile in self.fused
        ]
        printer.print_string(f"<{', '.join(texts)}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            rows = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_tile(parser))
        return [sizes_attribute(rows)]


def in_tiles(schedule: tensor.ScheduleAttr, tiles: Iterable[FusedTile | tuple[int, int]]) -> tensor.ScheduleAttr:
    """`schedule` for a computation that does `tiles` with its neighbours. The tiles take the place of its own cache
    blocks and, where they overlap, of its register tile and vectors."""
    fused = TileAndFuse.of(tiles)
    if fused is None:
        return schedule
    dims = {tile.dim for tile in fused.fused}
    single = {tile.dim for tile in fused.fused if overlaps(tile)}
    vectors = schedule.find(Vectorize)
    if vectors is not None and vectors.dim.data in single:
        return tensor.ScheduleAttr.of([fused])
    own = schedule.find(Tile)
    if own is None:
        return schedule.adding(fused)
    register = {dim: size for dim, size in own.register.items() if dim not in single}
    kept = Tile.of(register, [block for block in own.blocks if block[0] not in dims])
    return tensor.ScheduleAttr.of([kept, *schedule.without(Tile).directives, fused])


def overlaps(tile: FusedTile) -> bool:
    """Return whether neighbouring tiles compute some positions twice."""
    return tile.before > 0 or tile.after > 0


def _parse_tile(parser: AttrParser) -> tuple[int, int, int, int]:
    dim = parser.parse_integer()
    parser.parse_keyword("by")
    size = parser.parse_integer()
    if not parser.parse_optional_keyword("overlap"):
        return dim, size, 0, 0
    around = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    if len(around) != 2:
        parser.raise_error(f"expected the positions in front and behind, not {around}")
    return dim, size, around[0], around[1]
