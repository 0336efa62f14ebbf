"""`tile`: the register tile, and the cache blocks around it, of one level or more."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.folds import is_order_free
from s2s.dialects import tensor
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
from s2s.types.affine import is_dim, linear, ranges

LONG = 256
"""Reductions of at least twice as many steps have blocks of this many among the values worth trying."""


@irdl_attr_definition
class Tile(Directive):
    """Tile dimensions: `tile<1 by 7, 2 by 56 by 4, 3 by 512 by 1>`.

    The last size of a parallel dimension is that of the register tile, whose accumulators stay in registers: here 7 x 4
    points. Of a reduction it is the number of unrolled steps. Sizes before it make cache blocks, the largest first:
    here of 56 positions of dimension 2 and 512 steps of reduction 3. Loops over blocks go outside of all others. The
    first sizes make the outermost ones, in the order in which the directive names their dimensions, then come the
    second sizes, and so on. A second `tile` adds its blocks inside of those of the first. A dimension that is not named
    has a register tile of 1.

    Partial results wait in the result, or in scratch if accumulators have another type, while a reduction is done block
    by block. Copies at run time are of one block; behind the end of a shorter last block they hold padding.
    """

    name = "schedule.tile"

    sizes: Sizes

    @staticmethod
    def of(register: Mapping[int, int], blocks: Sequence[tuple[int, int]] = ()) -> "Tile | None":
        """Cache `blocks`, of one dimension from the largest to the smallest, and a `register` tile; None where
        nothing is tiled."""
        levels: dict[int, list[int]] = {}
        for dim, size in blocks:
            levels.setdefault(dim, []).append(size)
        rows = [
            *((dim, *sizes, register.get(dim, 1)) for dim, sizes in levels.items()),
            *((dim, size) for dim, size in register.items() if dim not in levels and size > 1),
        ]
        return Tile(sizes_attribute(rows)) if rows else None

    @property
    def register(self) -> dict[int, int]:
        """The register tile along the dimensions that are named."""
        return {row[0]: row[-1] for row in rows_of(self.sizes)}

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Dimension and size of the cache blocks, outermost first."""
        return [block for level in self._levels for block in level]

    @property
    def _levels(self) -> list[list[tuple[int, int]]]:
        """The cache blocks by level, outermost first."""
        rows = rows_of(self.sizes)
        depth = max((len(row) - 2 for row in rows), default=0)
        return [[(row[0], row[1 + level]) for row in rows if len(row) - 2 > level] for level in range(depth)]

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_sizes("tile", self.sizes, op)
        for dim, *sizes in rows_of(self.sizes):
            if dim >= op.rank and len(sizes) < 2:
                raise VerifyException(
                    f"{op.name}: tile gives reduction {dim} a register tile of {sizes[0]}; unroll it, or name cache "
                    "blocks before the unrolled steps"
                )
            before = state.block_of.get(dim)
            if before is not None and len(sizes) > 1:
                sizes = [before, *sizes]
            for outer, inner in pairwise(sizes):
                if outer % inner:
                    raise VerifyException(
                        f"{op.name}: tile cuts blocks of {outer} along dimension {dim} into {inner}; take a divisor"
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
        if state.blocked_reductions and (fault := _fault_of_blocks(op, state)) is not None:
            raise VerifyException(f"{op.name}: tile blocks reduction {state.blocked_reductions[0]}, {fault}")

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        dims = [dim for dim in range(op.rank) if op.sizes[dim] > 1]
        sides = sorted({2, 3, 4, machine.lanes, 2 * machine.lanes} - {1})
        tiles = [{dim: side} for dim in dims for side in sides]
        tiles += [first | second for first, second in combinations(tiles, 2) if first.keys() != second.keys()]
        long = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] >= 2 * LONG]
        for tile in tiles:
            yield from filter(None, [cls.of(tile), *(cls.of(tile, [(dim, 2 * size)]) for dim, size in tile.items())])
            yield from filter(None, (cls.of(tile, [(dim, size)]) for dim in long for size in (LONG, 4 * LONG)))

    def decide(self, state: ScheduleState) -> None:
        for dim, size in self.register.items():
            state.tiles[dim] = size
        state.blocks += self.blocks

    def renumber(self, mapping: Renumbering) -> "Tile | None":
        register = mapping.extents_of_all(list(self.register.items()))
        blocks = [block for level in self._levels for block in mapping.extents_of_all(level).items() if block[1] > 1]
        return Tile.of(register, blocks)

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


def _fault_of_blocks(op: Scheduled, state: ScheduleState) -> str | None:
    """Return why the reductions of `op` cannot be done block by block; None if they can.

    A prefetch along a parallel dimension spreads one panel, the whole reduction side by side, over the steps that read
    the panel before. A block reads a part of each panel, and the next part of the next panel does not lie behind it.
    """
    if not isinstance(op, tensor.ComputeOp):
        return "which only a tensor.compute does block by block; leave its blocks out"
    if not is_order_free(op) and sum(size > 1 for size in op.reduction_sizes) > 1:
        return "but its steps cannot be done in another order; leave its blocks out"
    if any(op.sizes_at_run_time[dim] for dim in state.blocked_reductions):
        return "whose size varies; block other dimensions"
    if any(dim < op.rank for _, dim in state.prefetches):
        return "so that panels are not read as a whole; leave prefetch out"
    return _fault_of_folds(op, state) or _fault_of_windows(op, state)


def _fault_of_folds(op: tensor.ComputeOp, state: ScheduleState) -> str | None:
    """Return why a fold in vectors or in partial accumulators cannot be done block by block; None if it can.

    The steps of a block are divided among vectors, shorter vectors and scalars when loops are written: 24 steps are one
    vector of 16 and one of 8. A shorter last block, of 7 steps, would be other code.
    """
    folded = state.partials[0] if state.partials is not None else state.vector_dim
    size = None if folded is None or folded < op.rank else state.block_of.get(folded)
    if folded is None or size is None or op.sizes[folded] % size == 0:
        return None
    return f"which is folded in parts, in blocks of {size} of {op.sizes[folded]}; take a divisor"


def _fault_of_windows(op: tensor.ComputeOp, state: ScheduleState) -> str | None:
    """Return why a copied window cannot be reduced block by block; None if it can, or no window is copied.

    The copy of a block has the extents of the first block, so that every block must move alike. Blocks of 4 steps of
    `(2 * r)` all reach over 7 positions. Those of `(r mod 6)` do not: block 0 reads positions 0 to 3, block 1 reads 4,
    5, 0 and 1, which is no range of 4. An intrinsic of form `dot_taps` takes all taps of a row at once; a block of
    fewer taps would be another instruction for each block.
    """
    if state.cached is None:
        return None
    access, outer = op.read_accesses[state.cached.read], state.order[: state.cache_depth]
    used = {dim for expr in access.map.data.results for dim in expr.used_dims() if dim not in outer}
    if all(dim >= op.rank for dim in used):
        return None
    taps = len(op.sizes) - 1
    if state.in_taps and state.block_of.get(taps, op.sizes[taps]) < op.sizes[taps]:
        return f"but the {op.sizes[taps]} taps of reduction {taps} are taken at once; block another reduction"
    for dim in used & set(state.blocked_reductions):
        atoms = [atom for expr in access.map.data.results for atom in linear(expr, ranges(op.sizes)).terms]
        if any(dim in atom.used_dims() and not is_dim(atom) for atom in atoms):
            return "along which a copied window does not move evenly; leave its blocks out"
    return None


def register_tile(
    op: Scheduled, tile: Sequence[int], blocks: Sequence[tuple[int, int]] = (), *, vector: int | None = None
) -> list[Directive | None]:
    """Return the directives for `tile[dim]` points along each dimension of `op`: parallel ones are tiled, reductions
    unrolled; a reduction that runs in vectors has its lanes."""
    register = {dim: tile[dim] for dim in range(op.rank)}
    steps = {dim: tile[dim] for dim in range(op.rank, len(op.sizes)) if dim != vector}
    return [Tile.of(register, blocks), Unroll.of(steps)]
