"""The highest value of an expression over loops, of which some stay in blocks."""

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr

from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter


def highest(step: int, size: int) -> int:
    """The highest position in blocks of 8 of a loop over `size` positions in steps of `step`."""
    emitter = Emitter(Block(arg_types=[IndexType()]))
    with emitter.loop(Bounds(0, size, 8), "k_block") as block:
        inside: tuple[AffineExpr, ...] = (block,)
        with emitter.loop(Bounds(0, size, step, inside, (block + 8,)), "k") as k:
            return emitter.space.highest(k - block)


def test_a_loop_stays_in_its_block() -> None:
    assert highest(step=1, size=32) == 7


def test_steps_of_a_loop_begin_with_its_block() -> None:
    assert highest(step=4, size=32) == 4


def test_the_end_of_a_shorter_last_block_is_no_limit_for_the_others() -> None:
    assert highest(step=1, size=30) == 7


def test_a_shorter_last_block_limits_what_does_not_count_from_its_beginning() -> None:
    emitter = Emitter(Block(arg_types=[IndexType()]))
    with (
        emitter.loop(Bounds(0, 6, 4), "j_block") as j_block,
        emitter.loop(Bounds(0, 32, 8), "k_block") as k_block,
        emitter.loop(Bounds(0, 6, 1, (j_block,), (j_block + 4,)), "j") as j,
        emitter.loop(Bounds(0, 32, 1, (k_block,), (k_block + 8,)), "k") as k,
    ):
        assert emitter.space.highest(k - k_block + j) == 7 + 5
