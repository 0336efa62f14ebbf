"""Words of which some bits are known: whatever word they stand for, a result stands for what the operation gives."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.boards.paths import known_bits
from s2s.boards.paths.known_bits import ONES, WIDTH, Bits

NUMBERS = st.integers(0, ONES)


@st.composite
def words(draw: st.DrawFn) -> tuple[Bits, int]:
    """Draw a word, and a number that it may be."""
    unknown, number = draw(NUMBERS), draw(NUMBERS)
    return Bits(number & ~unknown, unknown), number


def stands_for(word: Bits, number: int) -> bool:
    return number & ~word.unknown & ONES == word.value


def signed(number: int) -> int:
    return number - (1 << WIDTH) if number >> WIDTH - 1 else number


@given(words(), words(), st.booleans(), st.booleans())
def test_sums_carries_and_overflows(
    left: tuple[Bits, int], right: tuple[Bits, int], carry: bool, is_told: bool
) -> None:
    word, out, overflows = known_bits.total(left[0], right[0], carry if is_told else None)
    number = left[1] + right[1] + carry
    assert stands_for(word, number & ONES)
    assert out in (None, number > ONES)
    exact = signed(left[1]) + signed(right[1]) + carry
    assert overflows in (None, not -(1 << WIDTH - 1) <= exact < 1 << WIDTH - 1)


@given(words(), words())
def test_bitwise_operations(left: tuple[Bits, int], right: tuple[Bits, int]) -> None:
    assert stands_for(left[0] & right[0], left[1] & right[1])
    assert stands_for(left[0] | right[0], left[1] | right[1])
    assert stands_for(left[0] ^ right[0], left[1] ^ right[1])
    assert stands_for(~left[0], ~left[1] & ONES)
    assert all(stands_for(left[0].joined(right[0]), number) for _, number in (left, right))


SHIFTS: dict[str, tuple[Callable[[Bits, int], tuple[Bits, bool | None]], Callable[[int, int], int]]] = {
    "left": (known_bits.shifted_left, lambda number, count: number << count & ONES),
    "right": (known_bits.shifted_right, lambda number, count: number >> count),
    "signed": (known_bits.shifted_signed, lambda number, count: signed(number) >> count & ONES),
}


@pytest.mark.parametrize("kind", SHIFTS)
@given(word=words(), count=st.integers(1, WIDTH))
def test_shifts(kind: str, word: tuple[Bits, int], count: int) -> None:
    shift, exactly = SHIFTS[kind]
    moved, out = shift(word[0], count)
    assert stands_for(moved, exactly(word[1], count))
    last = word[1] >> (WIDTH - count if kind == "left" else count - 1) & 1
    assert out in (None, bool(last))


@given(words(), st.integers(1, WIDTH - 1))
def test_the_lowest_bits_are_extended(word: tuple[Bits, int], width: int) -> None:
    low = word[1] & (1 << width) - 1
    assert stands_for(known_bits.extended(word[0], width, is_signed=False), low)
    negative = low - (1 << width) if low >> width - 1 else low
    assert stands_for(known_bits.extended(word[0], width, is_signed=True), negative & ONES)


def test_a_known_sum_has_a_known_carry() -> None:
    assert known_bits.total(known_bits.exactly(ONES), known_bits.exactly(1)) == (Bits(0), True, False)
