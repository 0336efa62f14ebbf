"""Loops whose iterations read of scratch only what they have written themselves."""

import pytest
from xdsl.dialects.func import FuncOp

from s2s.dialects import loop
from s2s.memory.accesses import Accesses
from s2s.memory.private import is_private
from support.parse import parse

KERNEL = """
func.func private @k(%y: memref<32xf32>, %x: memref<32xf32>, %s: memref<8xf32>) {{
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
      loop.store %v, %s[affine_map<(d0) -> (d0 + {at})>(%j)] : f32, memref<8xf32>
    }}"""
READS = """loop.for %j = 0 to {trips} {{
      %w = loop.load %s[affine_map<(d0) -> (d0 + {at})>(%j)] : memref<8xf32> -> f32
      loop.store %w, %y[affine_map<(d0) -> (d0)>(%j)] : f32, memref<32xf32>
    }}"""
LAST = """%l = loop.load %s[affine_map<() -> (2)>()] : memref<8xf32> -> vector<4xf32>
    loop.store %l, %y[affine_map<() -> (0)>()] : vector<4xf32>, memref<32xf32>"""
OWN = """%v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> f32
    loop.store %v, %s[affine_map<(d0) -> (d0)>(%i)] : f32, memref<8xf32>"""


def written(trips: int, at: int = 0, step: int = 1) -> str:
    """A loop that writes scratch."""
    return WRITES.format(trips=trips, at=at, step=step)


def read(trips: int, at: int = 0) -> str:
    """A loop that reads scratch."""
    return READS.format(trips=trips, at=at)


@pytest.mark.parametrize(
    ("before", "body", "behind", "holds"),
    [
        ("", written(4) + read(4), "", True),
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
    ],
    ids=[
        "all of it is written before",
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
    ],
)
def test_iterations_read_what_they_have_written(before: str, body: str, behind: str, holds: bool) -> None:
    kernel = next(
        op
        for op in parse(KERNEL.format(before=before, body=body, behind=behind)).body.block.ops
        if isinstance(op, FuncOp)
    )
    outer = [op for op in kernel.body.block.ops if isinstance(op, loop.ForOp)]
    target = next(op for op in outer if any(isinstance(inner, loop.ForOp) for inner in op.body.block.ops))
    assert is_private(Accesses(kernel), target, kernel.body.block.args[2]) == holds
