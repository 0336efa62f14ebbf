"""Kernels run backwards only where the order of their stores makes no difference: shown by running them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from s2s.interpret.loop import run_loop_function
from s2s.passes.loop.run_backwards import backwards
from support.parse import parse

SIZE = 24
KERNEL = """
func.func private @k(%y: memref<{size}xf32>, %x: memref<{size}xf32>, %s: memref<{size}xf32>) {{
  {body}
  func.return
}}
"""
LOOP = """loop.for %i{n} = 0 to {trips} {{
    {body}
  }}"""
STEP = """%v{n} = loop.load %{buffer}[affine_map<({dims}) -> ({read})>({indices})] : memref<24xf32> -> f32
    loop.store %v{n}, %{target}[affine_map<({dims}) -> ({write})>({indices})] : f32, memref<24xf32>"""


def function_of(body: str) -> FuncOp:
    """The kernel with a body."""
    return next(op for op in parse(KERNEL.format(size=SIZE, body=body)).body.block.ops if isinstance(op, FuncOp))


def result_of(kernel: FuncOp, scratch: int = 200) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    """What a kernel leaves in its result, of which it may write a part."""
    y, x, s = (np.arange(SIZE, dtype=np.float32) + offset for offset in (-100, 100, scratch))
    run_loop_function(kernel, [y, x, s])
    return y


def reads_unwritten_scratch(kernel: FuncOp) -> bool:
    """Whether the result hangs on what scratch holds before the kernel runs, as that of no kernel does."""
    return not np.array_equal(result_of(kernel), result_of(kernel, 300))


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """A few loops, one or two deep, that copy elements of operand, result and scratch to places that may meet."""
    numbers = iter(range(100))

    def step(loops: list[tuple[int, int]]) -> str:
        dims = ", ".join(f"d{place}" for place in range(len(loops)))
        indices = ", ".join(f"%i{number}" for number, _ in loops)
        positions: list[str] = []
        for _ in range(2):
            factors = [draw(st.sampled_from([0, 1, 1, 2, trips])) for _, trips in loops]
            reach = sum(factor * (trips - 1) for factor, (_, trips) in zip(factors, loops, strict=True))
            while reach >= SIZE:
                factors[0] = 0
                reach = sum(factor * (trips - 1) for factor, (_, trips) in zip(factors, loops, strict=True))
            terms = [f"d{place} * {factor}" for place, factor in enumerate(factors)]
            positions.append(" + ".join([*terms, str(draw(st.integers(0, SIZE - 1 - reach)))]))
        buffer, target = draw(st.sampled_from("xxssy")), draw(st.sampled_from("yys"))
        read, write = positions
        return STEP.format(
            n=next(numbers), buffer=buffer, target=target, dims=dims, indices=indices, read=read, write=write
        )

    def nest(loops: list[tuple[int, int]], depth: int) -> str:
        number, trips = next(numbers), draw(st.sampled_from([2, 3, 4]))
        inside = [*loops, (number, trips)]
        parts = [
            nest(inside, depth - 1) if depth > 1 and draw(st.booleans()) else step(inside)
            for _ in range(draw(st.integers(1, 2)))
        ]
        return LOOP.format(n=number, trips=trips, body="\n".join(parts))

    return "\n".join(nest([], 2) for _ in range(draw(st.integers(1, 3))))


@given(kernels())
@settings(max_examples=200)
def test_kernels_run_backwards_leave_the_same_result(body: str) -> None:
    kernel = function_of(body)
    turned = backwards(kernel)
    if turned is not None and not reads_unwritten_scratch(kernel):
        turned.verify()
        np.testing.assert_array_equal(result_of(turned), result_of(kernel))


def copied(trips: int, read: str, write: str, number: int = 0) -> str:
    """A loop that copies elements of `x` to the result."""
    step = STEP.format(n=number, buffer="x", target="y", dims="d0", indices=f"%i{number}", read=read, write=write)
    return LOOP.format(n=number, trips=trips, body=step)


@pytest.mark.parametrize(
    ("body", "may_run"),
    [
        (copied(8, "d0", "d0"), True),
        (copied(8, "d0", "d0") + copied(8, "d0", "d0 + 8", 1), True),
        (copied(16, "d0", "d0") + copied(4, "d0 + 16", "d0 + 12", 1), False),
        (copied(8, "d0", "d0 * 2") + copied(8, "d0", "d0 * 2 + 1", 1), True),
        (copied(8, "d0", "0"), False),
    ],
    ids=["a copy", "a concatenation", "an insert", "two that interleave", "one element many times"],
)
def test_copies_run_backwards_where_no_element_is_written_twice(body: str, may_run: bool) -> None:
    assert (backwards(function_of(body)) is not None) == may_run
