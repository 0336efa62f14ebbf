"""The arithmetic of the benchmarks, on a clock that the tests turn."""

import pytest

from benchmarks import timing
from benchmarks.timing import fastest, geometric_mean, growth


class Clock:
    """Time that passes only when a call says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[str] = []

    def call(self, name: str, *seconds: float) -> timing.Call:
        """A call that takes `seconds`, in turn, and the last of them from then on."""
        left = list(seconds)

        def run() -> None:
            self.calls.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timing, "now", lambda: clock.now)
    return clock


def test_the_fastest_run_counts(clock: Clock):
    found = fastest({"a": clock.call("a", 0.5, 0.5, 0.1, 0.4), "b": clock.call("b", 0.3)}, rounds=3)
    assert found["a"] == pytest.approx(0.1)
    assert found["b"] == pytest.approx(0.3)


def test_another_candidate_begins_each_round(clock: Clock):
    fastest({name: clock.call(name, 1.0) for name in "abc"}, rounds=3, seconds=0.5)
    assert "".join(clock.calls) == "aabbcc" + "abc" + "bca" + "cab"


def test_a_slice_holds_as_many_runs_as_fit(clock: Clock):
    fastest({"a": clock.call("a", 0.25)}, rounds=1, seconds=1.0)
    assert len(clock.calls) == 2 + 4


def test_runs_too_short_for_the_clock_are_timed_together(clock: Clock):
    found = fastest({"a": clock.call("a", 1e-6)}, rounds=1, seconds=1e-4)
    assert found["a"] == pytest.approx(1e-6)
    assert len(clock.calls) == pytest.approx(2 + 200, abs=1)


def test_geometric_mean_of_a_ratio_and_its_reciprocal_is_one():
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_growth_tells_linear_from_quadratic():
    sizes = [100, 200, 400, 800]
    assert growth(sizes, [0.5 * size for size in sizes]).exponent == pytest.approx(1.0)
    assert growth(sizes, [1e-3 * size**2 for size in sizes]).exponent == pytest.approx(2.0)


def test_a_fixed_cost_does_not_count_as_time_for_one_more():
    sizes = [100, 200, 400, 800]
    assert growth(sizes, [10.0 + 0.02 * size for size in sizes]).per_item == pytest.approx(0.02)
