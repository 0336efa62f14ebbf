"""Simplified index expressions keep their values on every point of the domain."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.types.affine import at_dims, bounds, coefficient, delinearize, flat_index, ranges, simplify

d0, d1, d2 = (AffineDimExpr(k) for k in range(3))


def test_divisions_resolved_by_ranges_vanish() -> None:
    bound = ranges([4, 64])
    assert simplify((d0 * 64 + d1) // 64, bound) == d0
    assert simplify((d0 * 64 + d1) % 64, bound) == d1
    assert simplify((d0 * 64 + d1) // 16 * 16 + (d0 * 64 + d1) % 16, bound) == simplify(d0 * 64 + d1, bound)


def test_parts_of_blocks_do_not_count_among_blocks() -> None:
    bound = ranges([3, 8])
    assert simplify((d0 * 8 + d1) // 16, bound) == d0 // 2
    assert simplify((d0 * 8 + d1) % 16, bound) == d0 % 2 * 8 + d1


def test_a_reshape_to_the_same_rows_is_the_identity() -> None:
    position = flat_index([d0, d1, d2], [2, 3, 4])
    assert [simplify(e, ranges([2, 3, 4])) for e in delinearize(position, [6, 4])] == [
        simplify(d0 * 3 + d1, ranges([2, 3, 4])),
        d2,
    ]


def test_a_dimension_of_one_point_is_a_constant() -> None:
    assert simplify(d0 * 5 + d1, [(0, 0), (0, 3)]) == d1


def test_coefficient_is_unknown_inside_a_division() -> None:
    assert coefficient(d0 * 3 + d1, 0, ranges([4, 4])) == 3
    assert coefficient(d0 // 3 + d1, 0, ranges([8, 4])) is None


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> AffineExpr:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([d0, d1, d2, AffineConstantExpr(draw(st.integers(-9, 9)))]))
    left = draw(expressions(depth=depth - 1))
    match draw(st.sampled_from(["+", "*", "//", "%"])):
        case "+":
            return left + draw(expressions(depth=depth - 1))
        case "*":
            return left * draw(st.integers(-4, 6))
        case "//":
            return left // draw(st.integers(1, 8))
        case _:
            return left % draw(st.integers(1, 8))


@given(expressions(), st.tuples(*[st.integers(1, 5)] * 3))
def test_simplify_keeps_values_and_bounds_hold(expr: AffineExpr, sizes: tuple[int, int, int]) -> None:
    simple = simplify(expr, ranges(sizes))
    low, high = bounds(expr, ranges(sizes))
    for point in itertools.product(*map(range, sizes)):
        value = expr.eval(point, ())
        assert simple.eval(point, ()) == value
        assert low <= value <= high


@given(expressions(), st.lists(expressions(depth=2), max_size=3))
def test_dimensions_are_replaced_as_xdsl_replaces_them(expr: AffineExpr, dims: list[AffineExpr]) -> None:
    assert at_dims(expr, dims) == expr.replace_dims_and_symbols(dims, ())
