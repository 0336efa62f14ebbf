"""Loops whose iterations read of scratch only what they have written themselves."""

from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from s2s.dialects import loop
from s2s.memory.accesses import Accesses
from s2s.memory.private import is_private, is_private_in_pieces
from support.parse import parse

KERNEL = """
func.func private @k(%y: memref<32xf32>, %x: memref<32xf32>, %s: memref<256xf32>) {{
  {before}
  loop.for %i = 0 to 4 {{
    {body}
  }}
  {behind}
  func.return
}}
"""
WRITES = """loop.for %j = 0 to {trips} step {step} {{
      %v = loop.load %x[affine_map<(d0) -> (d0)>(%j)] : memref<32xf32> -> f32
      loop.store %v, %s[affine_map<(d0) -> (d0 + {at})>(%j)] : f32, memref<256xf32>
    }}"""
READS = """loop.for %j = 0 to {trips} {{
      %w = loop.load %s[affine_map<(d0) -> (d0 + {at})>(%j)] : memref<256xf32> -> f32
      loop.store %w, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<32xf32>
    }}"""
LAST = """%l = loop.load %s[affine_map<() -> (2)>()] : memref<256xf32> -> vector<4xf32>
    loop.store %l, %y[affine_map<() -> (0)>()] : vector<4xf32>, memref<32xf32>"""
ROWS = """loop.for %c = 0 to 4 step {step} {{
      loop.for %t = 0 to {rows} {{
        %v = loop.load %x[affine_map<(d0) -> (d0)>(%t)] : memref<32xf32> -> vector<2xf32>
        loop.store %v, %s[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%t, %c)] : vector<2xf32>, memref<256xf32>
      }}
    }}"""
ROWS_READ = """loop.for %u = 0 to 40 {{
      %w = loop.load %s[affine_map<(d0) -> (d0 * 4)>(%u)] : memref<256xf32> -> vector<{width}xf32>
      loop.store %w, %y[affine_map<() -> (0)>()] : vector<{width}xf32>, memref<32xf32>
    }}"""
CHOSEN = """loop.for %t = 0 to min affine_map<(d0) -> (1 - d0)>(%i) {{
      %v = loop.load %x[affine_map<() -> (0)>()] : memref<32xf32> -> f32
      loop.store %v, %s[affine_map<() -> (0)>()] : f32, memref<256xf32>
    }}
    loop.for %u = max affine_map<(d0) -> (1 - d0, 0)>(%i) to min affine_map<(d0) -> ({rest} - d0, 1)>(%i) {{
      %v = loop.load %x[affine_map<() -> (1)>()] : memref<32xf32> -> f32
      loop.store %v, %s[affine_map<() -> (0)>()] : f32, memref<256xf32>
    }}"""
OWN = """%v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> f32
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%i)] : f32, memref<256xf32>"""


def written(trips: int, at: int = 0, step: int = 1) -> str:
    """A loop that writes scratch."""
    return WRITES.format(trips=trips, at=at, step=step)


def read(trips: int, at: int = 0) -> str:
    """A loop that reads scratch."""
    return READS.format(trips=trips, at=at)


def kernel_with(before: str, body: str, behind: str) -> tuple[FuncOp, loop.ForOp]:
    """A kernel, and its loop with `body`."""
    module = parse(KERNEL.format(before=before, body=body, behind=behind))
    kernel = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    outer = [op for op in kernel.body.block.ops if isinstance(op, loop.ForOp)]
    return kernel, next(op for op in outer if any(isinstance(inner, loop.ForOp) for inner in op.body.block.ops))


@pytest.mark.parametrize(
    ("before", "body", "behind", "holds"),
    [
        ("", written(4) + read(4), "", True),
        ("", ROWS.format(step=2, rows=40) + read(160), "", True),
        ("", ROWS.format(step=4, rows=40) + read(160), "", False),
        ("", written(4) + read(3, 1), "", True),
        ("", written(4) + written(4, 4) + read(8), "", True),
        ("", written(4) + read(5), "", False),
        ("", written(4) + LAST, "", True),
        (written(8), written(4) + read(8), "", False),
        (written(8), written(4) + read(4, 4), "", True),
        ("", written(8, step=2) + read(8), "", False),
        ("", read(4) + written(4), "", False),
        ("", OWN + read(1), "", False),
        ("", written(4) + read(4), read(4), False),
        ("", written(4) + read(4), written(8) + read(8), True),
        (written(8), written(4) + read(4), read(8), False),
        ("", ROWS.format(step=4, rows=40) + ROWS_READ.format(width=2), "", True),
        ("", ROWS.format(step=4, rows=40) + ROWS_READ.format(width=4), "", True),
        ("", ROWS.format(step=4, rows=40) + OWN + ROWS_READ.format(width=4), "", False),
    ],
    ids=[
        "all of it is written before",
        "rows of which each iteration writes a part",
        "rows with gaps",
        "more is written than is read",
        "two loops write it together",
        "a loop across the end of what is written",
        "a vector across the end of what is written",
        "a load of bytes that an earlier loop has written",
        "other bytes are written in front of the loop",
        "every other element",
        "read before it is written",
        "what the first iteration has written",
        "read behind the loop",
        "written anew behind the loop",
        "written in front of the loop and read behind it",
        "many rows beside margins",
        "margins that nobody writes",
        "margins that other iterations write",
    ],
)
def test_iterations_read_what_they_have_written(before: str, body: str, behind: str, holds: bool) -> None:
    kernel, target = kernel_with(before, body, behind)
    assert is_private(Accesses(kernel), target, kernel.body.block.args[2]) == holds


@pytest.mark.parametrize(("rest", "holds"), [(4, True), (3, False)], ids=["in each iteration", "in all but the last"])
def test_loops_that_write_in_turn(rest: int, holds: bool) -> None:
    """Of two loops inside, the first iteration runs one and the others the other one."""
    kernel, target = kernel_with("", CHOSEN.format(rest=rest) + read(1), "")
    scratch = kernel.body.block.args[2]
    assert not is_private(Accesses(kernel), target, scratch)
    assert is_private_in_pieces(kernel, [target], scratch) == holds


SIZES = """%n = loop.size "N" from 1 to 32
  %m = loop.size "M" from 1 to 32"""
CUT_ROWS = """loop.for %j = 0 to min affine_map<(d0) -> ({ends})>({size}) step {step} {{
      loop.for %e = 0 to {lanes} {{
        %v = loop.load %x[affine_map<(d0) -> (d0)>(%j)] : memref<32xf32> -> f32
        loop.store %v, %s[affine_map<(d0, d1) -> (d0 * 4 + d1)>(%j, %e)] : f32, memref<256xf32>
      }}
    }}"""
CUT_READ = """loop.for %k = 0 to min affine_map<(d0) -> ({ends})>({size}) step {step} {{
      loop.for %t = 0 to {taps} {{
        loop.for %l = 0 to 4 {{
          %w = loop.load %s[affine_map<(d0, d1, d2) -> (d0 * 4 + d1 * 4 + d2)>(%k, %t, %l)] : memref<256xf32> -> f32
          loop.store %w, %y[affine_map<() -> (0)>()] : f32, memref<32xf32>
        }}
      }}
    }}"""


def cut_written(ends: str, size: str = "%n", step: int = 1, lanes: int = 4) -> str:
    """Rows of four elements, written as far as a run has some; with more `lanes` also behind the last one."""
    return CUT_ROWS.format(ends=ends, size=size, step=step, lanes=lanes)


def cut_read(ends: str, size: str = "%n", step: int = 1, taps: int = 1) -> str:
    """Windows of `taps` rows, read as far as a run has some."""
    return CUT_READ.format(ends=ends, size=size, step=step, taps=taps)


@pytest.mark.parametrize(
    ("writes", "reads", "holds"),
    [
        (cut_written("8, d0"), cut_read("8, d0"), True),
        (cut_written("10, d0 + 2"), cut_read("8, d0", taps=3), True),
        (cut_written("10, d0 + 1"), cut_read("8, d0", taps=3), False),
        (cut_written("8, d0"), cut_read("8, d0", "%m"), False),
        (cut_written("8, d0"), cut_read("8, 9"), False),
        (cut_written("8"), cut_read("8, d0"), True),
        (cut_written("8, d0"), cut_read("8, d0 - 1"), True),
        (cut_written("8, d0"), cut_read("8, d0, d0 - 1"), True),
        (cut_written("8, d0, d0 - 1"), cut_read("8, d0"), False),
        (cut_written("8, d0", step=2, lanes=8), cut_read("8, d0", step=2, taps=2), True),
        (cut_written("8, d0"), cut_read("8, d0", step=2, taps=2), False),
    ],
    ids=[
        "both end with the size",
        "the margin of windows ends with it",
        "a margin that is one row short",
        "another size",
        "all is read",
        "all is written",
        "a row more is written",
        "less is read in the run",
        "less is written in the run",
        "pairs of rows",
        "pairs of rows of which the last is written by half",
    ],
)
def test_sizes_cut_loops_that_write_and_loops_that_read_alike(writes: str, reads: str, holds: bool) -> None:
    kernel, target = kernel_with(SIZES, writes + reads, "")
    assert is_private(Accesses(kernel), target, kernel.body.block.args[2]) == holds


PART = """loop.for %r{number} = 0 to {rows} {{
      loop.for %p{number} = {first} to min affine_map<(d0) -> ({end}, d0 + {more})>(%n) step {step} {{
        loop.for %q{number} = 0 to {lanes} {{
          {access}
        }}
      }}
    }}"""
AT = "affine_map<(d0, d1, d2) -> (d0 * {stride} + d1 * {factor} + d2 + {at})>(%r{number}, %p{number}, %q{number})"
PART_WRITTEN = f"""%v{{number}} = loop.load %x[affine_map<() -> (0)>()] : memref<32xf32> -> f32
          loop.store %v{{number}}, %s[{AT}] : f32, memref<256xf32>"""
PART_READ = f"""%w{{number}} = loop.load %s[{AT}] : memref<256xf32> -> f32
          loop.store %w{{number}}, %y[affine_map<() -> (0)>()] : f32, memref<32xf32>"""


class Part(NamedTuple):
    """Rows of loops `for (i = first; i < min(end, n + more); i += step)` around an access of `lanes` elements from
    element `stride * row + factor * i + at` on."""

    rows: int
    stride: int
    first: int
    end: int
    more: int
    step: int
    lanes: int
    factor: int
    at: int

    def text(self, access: str, number: int) -> str:
        """Return the loops with a store or a load."""
        return PART.format(access=access.format(number=number, **self._asdict()), number=number, **self._asdict())

    def touched(self, size: int) -> set[int]:
        """Return the elements that a run with this size accesses."""
        inner = range(self.first, min(self.end, size + self.more), self.step)
        places = product(range(self.rows), inner, range(self.lanes))
        return {self.stride * row + self.factor * i + lane + self.at for row, i, lane in places}


PARTS = st.builds(
    Part,
    rows=st.sampled_from([1, 1, 3]),
    stride=st.sampled_from([0, 8, 16]),
    first=st.sampled_from([0, 0, 2, 6]),
    end=st.integers(1, 12),
    more=st.integers(-2, 4),
    step=st.sampled_from([1, 2, 3, 4, 6]),
    lanes=st.sampled_from([1, 2, 4, 8]),
    factor=st.sampled_from([0, 1, 1, 2, 4]),
    at=st.integers(0, 2),
)


@settings(max_examples=150)
@given(st.lists(PARTS, min_size=1, max_size=2), PARTS)
def test_what_is_proven_of_sizes_holds_in_every_run(writers: list[Part], reader: Part) -> None:
    writes = [part.text(PART_WRITTEN, number) for number, part in enumerate(writers)]
    steps = [*writes, reader.text(PART_READ, len(writers)), written(256)]
    kernel, target = kernel_with(SIZES, "\n    ".join(steps), "")
    if is_private(Accesses(kernel), target, kernel.body.block.args[2]):
        for size in range(1, 33):
            assert reader.touched(size) <= set().union(*(part.touched(size) for part in writers))
