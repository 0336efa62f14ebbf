"""`tile`: the register tile, and the cache blocks around it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled
from s2s.schedules.directives.sizes import (
    Sizes,
    check_copies,
    check_sizes,
    parse_sizes,
    print_sizes,
    rows_of,
    sizes_attribute,
)
from s2s.schedules.directives.unroll import Unroll


@irdl_attr_definition
class Tile(Directive):
    """Tile parallel dimensions: `tile<1 by 7, 2 by 56 by 4>`.

    The last size of a dimension is that of the register tile, whose accumulators stay in registers: here 7 x 4 points.
    A size before it makes cache blocks: loops over blocks of 56 positions of dimension 2 go outside of all others, in
    the order in which the directive names their dimensions. A dimension that is not named has a register tile of 1.
    """

    name = "schedule.tile"

    sizes: Sizes

    @staticmethod
    def of(register: Mapping[int, int], blocks: Sequence[tuple[int, int]] = ()) -> "Tile | None":
        """Cache `blocks` and a `register` tile; None where nothing is tiled."""
        blocked = {dim: (dim, size, register.get(dim, 1)) for dim, size in blocks}
        rows = [*blocked.values(), *((dim, size) for dim, size in register.items() if dim not in blocked and size > 1)]
        return Tile(sizes_attribute(rows)) if rows else None

    @property
    def register(self) -> dict[int, int]:
        """The register tile along the dimensions that are named."""
        return {row[0]: row[-1] for row in rows_of(self.sizes)}

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Dimension and size of the cache blocks, outermost first."""
        return [(row[0], row[1]) for row in rows_of(self.sizes) if len(row) > 2]

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_sizes("tile", self.sizes, op, parallel=True)
        for dim, *sizes in rows_of(self.sizes):
            if len(sizes) > 2:
                raise VerifyException(
                    f"{op.name}: tile gives dimension {dim} {len(sizes)} sizes; give a register tile, and at most one "
                    "cache block before it"
                )

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        check_copies(op, state)
        for dim, size in self.blocks:
            register = state.tiles[dim]
            if size % register:
                raise VerifyException(
                    f"{op.name}: blocks of {size} along dimension {dim} cut register tiles of {register}; take blocks "
                    f"of {-(-size // register) * register}"
                )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        dims = [dim for dim in range(op.rank) if op.sizes[dim] > 1]
        sides = sorted({2, 3, 4, machine.lanes, 2 * machine.lanes} - {1})
        tiles = [{dim: side} for dim in dims for side in sides]
        tiles += [first | second for first, second in combinations(tiles, 2) if first.keys() != second.keys()]
        for tile in tiles:
            yield from filter(None, [cls.of(tile), *(cls.of(tile, [(dim, 2 * size)]) for dim, size in tile.items())])

    def decide(self, state: ScheduleState) -> None:
        for dim, size in self.register.items():
            state.tiles[dim] = size
        state.blocks += self.blocks

    def renumber(self, mapping: Renumbering) -> "Tile | None":
        blocks = mapping.extents_of_all(self.blocks)
        register = mapping.extents_of_all(list(self.register.items()))
        return Tile.of(register, [(dim, size) for dim, size in blocks.items() if size > 1])

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        shown = dict(zip(sorted(self.register), state.tile(sorted(self.register)), strict=True))
        tiled = [f"{size} {names[dim]}" for dim, size in shown.items() if size > 1]
        blocks = [f"blocks of {size} {names[dim]}" for dim, size in self.blocks]
        return [*([f"tile {' x '.join(tiled)}"] if tiled else []), *blocks]

    def print_parameters(self, printer: Printer) -> None:
        print_sizes(printer, self.sizes)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [parse_sizes(parser)]


def register_tile(
    op: Scheduled, tile: Sequence[int], blocks: Sequence[tuple[int, int]] = (), *, vector: int | None = None
) -> list[Directive | None]:
    """The directives for so many points along each dimension of `op`: parallel ones are tiled, reductions unrolled; a
    reduction that runs in vectors has its lanes."""
    register = {dim: tile[dim] for dim in range(op.rank)}
    steps = {dim: tile[dim] for dim in range(op.rank, len(op.sizes)) if dim != vector}
    return [Tile.of(register, blocks), Unroll.of(steps)]
