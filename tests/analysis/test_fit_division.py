"""The division that gives a number at each size."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s.analysis.structure.fit_division import Division, fit_division
from s2s.types.sizes import SizeRange


def test_a_division_is_found_by_few_points():
    points = {640: 320, 639: 320, 638: 319, 637: 319, 2: 1}
    assert fit_division(points, SizeRange(2, 640), lambda size: (size + 1) // 2) == Division(1, 1, 2)


def test_points_that_leave_the_division_open_are_asked_for():
    points = {14: 8, 13: 7, 12: 7, 11: 6, 6: 3}
    found = fit_division(points, SizeRange(3, 14), lambda size: 3 * size // 5)
    assert found == Division(3, 0, 5)


def test_sizes_that_give_no_number_decide_nothing():
    points = {14: 8, 13: 7, 12: 7, 11: 6, 6: 3}
    assert fit_division(points, SizeRange(3, 14), lambda _: None) == Division(2, -3, 3)


def test_a_number_that_no_division_gives_is_unknown():
    assert fit_division({9: 81, 8: 64, 7: 49}, SizeRange(2, 9), lambda size: size * size) is None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 40),
    st.integers(-40, 40),
    st.integers(1, 32),
    st.integers(2, 40),
    st.integers(2, 300),
    st.sets(st.integers(1, 32), min_size=2, max_size=5),
)
def test_the_division_found_gives_the_number_at_every_size(
    factor: int, constant: int, divisor: int, least: int, length: int, steps: set[int]
):
    bounds = SizeRange(least, least + length)

    def number(size: int) -> int:
        return (factor * size + constant) // divisor

    sizes = [bounds.most, *(bounds.most - step for step in steps if step <= length)]
    points = {size: number(size) for size in sizes}
    found = fit_division(points, bounds, number)
    if len(set(points.values())) > 1:
        assert found is not None
        assert all(
            (found.factor * size + found.constant) // found.divisor == number(size)
            for size in range(bounds.least, bounds.most + 1)
        )
