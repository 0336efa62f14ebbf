"""Loops whose iterations may run in parallel: the derived answer is compared with the elements that they touch."""

from itertools import combinations
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from s2s.memory.independence import Independence
from support.parse import parse

ROOM = 256
"""Elements of a buffer, more than any case touches."""


class Blocks(NamedTuple):
    """Rows of `total` elements, in blocks of `block`; `tile` at a time up to a multiple of it, then one by one.

    Each tile stores `width` elements, and loads the one `ahead` of its first. The blocks are the outermost loop, or
    stand inside of the one over the rows. Where the length `varies`, all loops end at a size of the run, at most
    `total`.
    """

    total: int
    block: int
    tile: int
    width: int
    ahead: int
    rows: int
    outermost: bool
    varies: bool = False

    @property
    def whole(self) -> int:
        """Where single elements begin."""
        return self.total // self.tile * self.tile

    def kernel(self) -> FuncOp:
        """The loops."""
        size = f'loop.size "n" from 1 to {self.total}' if self.varies else "arith.constant 0 : index"
        end = ", d1" if self.varies else ""
        last = "min affine_map<(d0) -> (d0)>(%n)" if self.varies else self.total
        blocks, rows = f"loop.for %b = 0 to {last} step {self.block} {{", f"loop.for %r = 0 to {self.rows} {{"
        position = f"affine_map<(d0, d1) -> (d0 * {self.total} + d1)>(%r, "
        read = f"affine_map<(d0, d1) -> (d0 * {self.total} + d1 + {self.ahead})>(%r, "
        type, vector = f"memref<{ROOM}xf32>", f"vector<{self.width}xf32>"
        text = f"""
        func.func private @k(%y: {type}, %x: {type}) {{
          %n = {size}
          {blocks if self.outermost else rows}
            {rows if self.outermost else blocks}
              loop.for %i = max affine_map<(d0, d1) -> (d0)>(%b, %n)
                  to min affine_map<(d0, d1) -> (d0 + {self.block}, {self.whole}{end})>(%b, %n) step {self.tile} {{
                %v = loop.load %y[{read}%i)] : {type} -> f32
                %w = loop.broadcast %v : f32 -> {vector}
                loop.store %w, %y[{position}%i)] : {vector}, {type}
              }}
              loop.for %j = {self.whole}
                  to min affine_map<(d0, d1) -> (d0 + {self.block}, {self.total}{end})>(%b, %n) {{
                %v = loop.load %x[{position}%j)] : {type} -> f32
                loop.store %v, %y[{position}%j)] : f32, {type}
              }}
            }}
          }}
          func.return
        }}"""
        return next(op for op in parse(text).walk() if isinstance(op, FuncOp))

    def touched(self, block: int, row: int) -> tuple[set[int], set[int]]:
        """The elements of y that are read and written in one block of a row."""
        start, end = row * self.total, block + self.block
        tiles = range(block, min(end, self.whole), self.tile)
        written = {start + tile + lane for tile in tiles for lane in range(self.width)}
        written |= {start + single for single in range(self.whole, min(end, self.total))}
        return {start + tile + self.ahead for tile in tiles}, written

    def are_apart(self) -> bool:
        """Whether no block touches what another one writes, each with all rows or in the same row."""
        blocks = range(0, self.total, self.block)
        groups = [range(self.rows)] if self.outermost else [range(row, row + 1) for row in range(self.rows)]
        return all(self._are_apart(one, other, rows) for rows in groups for one, other in combinations(blocks, 2))

    def _are_apart(self, one: int, other: int, rows: range) -> bool:
        read, written = self._all_of(one, rows)
        others_read, others_written = self._all_of(other, rows)
        return not (written & (others_read | others_written) or others_written & read)

    def _all_of(self, block: int, rows: range) -> tuple[set[int], set[int]]:
        touched = [self.touched(block, row) for row in rows]
        return set[int]().union(*(read for read, _ in touched)), set[int]().union(*(written for _, written in touched))

    def found(self) -> bool:
        """What is derived from the loops."""
        function = self.kernel()
        depth = 1 if self.outermost else 2
        return Independence(function).holds(depth, function.args[0], function.args[0])


@st.composite
def cases(draw: st.DrawFn) -> Blocks:
    """Blocks that may overlap."""
    tile = draw(st.integers(2, 4))
    return Blocks(
        total=draw(st.integers(8, 40)),
        block=draw(st.one_of(st.integers(2, 4).map(lambda count: count * tile), st.integers(2, 12))),
        tile=tile,
        width=tile + draw(st.sampled_from([0, 0, 0, -1, 1])),
        ahead=draw(st.sampled_from([0, 0, 0, 1, tile])),
        rows=draw(st.integers(1, 3)),
        outermost=draw(st.booleans()),
        varies=draw(st.booleans()),
    )


@given(cases())
@settings(max_examples=150)
def test_blocks_are_taken_to_be_apart_only_where_they_are(case: Blocks) -> None:
    assert case.are_apart() or not case.found()


@pytest.mark.parametrize("outermost", [True, False])
@pytest.mark.parametrize("varies", [True, False])
@pytest.mark.parametrize("total", [24, 25, 27, 36, 38])
def test_blocks_of_whole_tiles_are_apart(total: int, varies: bool, outermost: bool) -> None:
    case = Blocks(total, block=12, tile=4, width=4, ahead=0, rows=3, outermost=outermost, varies=varies)
    assert case.are_apart()
    assert case.found()


@pytest.mark.parametrize("outermost", [True, False])
@pytest.mark.parametrize("varies", [True, False])
@pytest.mark.parametrize(
    "changed", [{"width": 5}, {"ahead": 4}, {"block": 10}], ids=["wide tiles", "reads ahead", "broken tiles"]
)
def test_blocks_that_overlap_are_not(changed: dict[str, int], varies: bool, outermost: bool) -> None:
    case = Blocks(38, block=12, tile=4, width=4, ahead=0, rows=3, outermost=outermost, varies=varies)._replace(
        **changed
    )
    assert not case.are_apart()
    assert not case.found()
