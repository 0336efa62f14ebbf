"""Positions of packed constants are half of the even positions of the constants."""

import pytest
from xdsl.ir.affine import AffineExpr, AffineMap

from s2s.passes.loop.pack_nibbles import halved

D0, D1 = AffineExpr.dimension(0), AffineExpr.dimension(1)


@pytest.mark.parametrize(
    ("position", "divides"),
    [(D0 * 2 + D1 * 4 + 6, False), (D0 * 6, False), (D0 * 3 + D1 * 2 + 8, True), (D0 + D1 * 3, True)],
    ids=["even factors", "no constant", "one odd factor", "two odd factors"],
)
def test_half_of_an_even_position(position: AffineExpr, divides: bool):
    half = halved(AffineMap(2, 0, (position,)))
    assert ("floordiv" in str(half)) == divides
    for first in range(6):
        for second in range(6):
            place = position.eval([first, second], [])
            if place % 2 == 0:
                assert half.eval([first, second], []) == (place // 2,)
