"""Limit the rows and vectors of a register tile by the values that are live in one step of its reduction.

A step multiplies each of the `wide` vectors of one operand by the broadcast element of each row of the other. Live are
the accumulators, these vectors and one broadcast element: 32 registers and `wide` = 2 leave 29 for accumulators, which
is 14 rows. Where a window slides along the rows and its taps are unrolled, elements stay live until the next tap, and a
quarter of the registers is reserved for them. Scalar code reserves as much for addresses and elements.
"""

from collections.abc import Sequence
from math import ceil

from s2s.analysis.affine.strides import WINDOW, moves
from s2s.dialects import tensor
from s2s.targets import Target
from s2s.types.dtypes import is_float

MAX_ROWS = 14
"""Rows of a register tile: beyond that the code grows more than loads shrink."""
SCALARS = 4
"""Columns of a register tile of scalars that has rows enough to reuse what it loads for them."""
LOADED = 12
"""Registers that a wide tile of scalars leaves to what its steps load: with 16 in all, no tile is wide (AD's dense
layers, compiled for x86-64 as portable C, took 1.07 times as long in tiles of eight columns as in tiles of four)."""


def max_rows(op: tensor.ComputeOp, rows: int, inner: int, wide: int, lanes: int, target: Target) -> int:
    """Return how many positions of dimension `rows` fit a tile of `wide` vectors, whose innermost reduction is
    `inner`."""
    free = target.registers - wide - 1
    if lanes == 1 or _slides(op, rows, inner):
        free = target.registers * 3 // 4
    return max(1, min(free // wide, MAX_ROWS))


def best_rows(most: int, extents: Sequence[int], wide: int, least: int = 1) -> int:
    """Return how many rows, at most `most`, a tile of `wide` vectors has for the fewest operations a row; a step with
    fewer than `least` multiply-adds takes as long as one with `least`.

    A step of a tile of 14 rows and 2 vectors costs 28 multiply-adds and 16 loads. 512 rows are 37 tiles, the last one
    with a rest, and 128 rows are 10 tiles of 14 or of 13. Where `extents` are both, 13 rows win: 3.20 operations a row
    and step for both sizes, instead of 3.18 and 3.44.
    """

    def cost(rows: int) -> float:
        step = max(rows * wide, least) + wide + rows
        return sum(ceil(extent / rows) * step * (extents[0] / extent) for extent in extents)

    return min(range(1, most + 1), key=lambda rows: (cost(rows), -rows))


def least_work(op: tensor.ComputeOp, dim: int, rows: int, target: Target) -> int:
    """Return how many multiply-adds a step with vectors along `dim` should have: half as many again as hide the latency
    of one, where dimension `rows` reuses the vectors; else one.

    Eight of latency four on two ports leave no slack for loads, and GCC 12 then loads the vectors for each row: in
    an attention's second product on AVX2, blocks of 32 queries, tiles of 4 rows took 319 µs, tiles of 6 with a rest of
    2 took 208 µs.
    """
    reuses = any(step and not again for step, again in zip(moves(op, dim).reads, moves(op, rows).reads, strict=True))
    return target.fma_latency * target.fma_ports * 3 // 2 if reuses else 1


def _slides(op: tensor.ComputeOp, rows: int, inner: int) -> bool:
    """Return whether reduction `inner` is unrolled and other rows read the same elements at other steps, as in a
    sliding window."""
    exprs = [expr for access in op.read_accesses for expr in access.map.data.results]
    return op.sizes[inner] <= WINDOW and any({rows, inner} <= set(expr.used_dims()) for expr in exprs)


def vectors_per_tile(rows: int, target: Target) -> int:
    """Return the number of vectors in a tile of at most `rows` rows: two, or more if the rows are too few to hide the
    latency of the multiply-adds."""
    busy = target.fma_latency * target.fma_ports
    return busy if rows <= 1 else max(2, min(busy, target.registers * 3 // 4 // (rows + 1)))


def scalars_per_tile(op: tensor.ComputeOp, dim: int, columns: int, rows: int, target: Target) -> int:
    """Return the number of columns in a tile of scalars: four, or more if there are fewer than four rows.

    A step loads an element for each row and column. Four columns of four rows load 8 elements for 16 multiply-adds;
    of two rows, as in a network that takes two frames a run, 6 for 8. Eight columns of two rows load 10 for 16. No
    more columns than fill half of the registers, nor those that hold what steps load, and only if they divide all
    `columns`.

    Where one load moves several floats, GCC loads all columns of a step first: 16 columns of one row would be 16
    accumulators, 16 loaded elements and that of the row, one more than 32 registers hold.

    Four where columns, those along `dim`, share no element, as those of a pool, and for integers: their registers are
    those of addresses too.
    """
    if 0 not in moves(op, dim).reads or not is_float(tensor.element_type(op.res[0])):
        return SCALARS
    most = min(target.registers // 2, target.registers - LOADED) // max(rows, 1)
    if target.load_floats > 1:
        most = min(most, (target.registers - rows - 2) // (rows + 1))
    return max((wide for wide in range(SCALARS + 1, most + 1) if columns % wide == 0), default=SCALARS)
