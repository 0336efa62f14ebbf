"""What is minimised: one objective, or a weighted sum."""

import pytest

from s2s.errors import InputError
from s2s.tuning.measurement import ErrorKind, Goal, Measurement

COSTS = {"instructions": 1000.0, "bytes of flash": 40.0, "bytes of ram": 8.0}


def test_one_objective_counts_as_it_is() -> None:
    assert Goal.of("flash").cost(Measurement(COSTS), calls=4) == 40


def test_weights_add_units_up() -> None:
    assert Goal.of("instructions=1,flash=50").cost(Measurement(COSTS)) == 1000 + 50 * 40


def test_bytes_are_shared_by_the_calls_of_a_kernel() -> None:
    assert Goal.of("instructions,flash=50").cost(Measurement(COSTS), calls=4) == 1000 + 50 * 40 / 4


def test_a_run_calls_a_kernel_often_and_keeps_its_code_once() -> None:
    assert Goal.of("instructions=2,flash=50").of_run(COSTS, calls=4) == 2 * 4 * 1000 + 50 * 40
    assert Goal.of("flash").of_run(COSTS, calls=4) == 40


def test_a_goal_without_one_of_its_objectives_keeps_the_weights_of_the_others() -> None:
    rest = Goal.of("instructions=2,ram=5").without("ram")
    assert rest.of_run(COSTS, calls=1) == 2000
    assert Goal.of("ram").without("ram") == Goal.of("ram")


def test_a_goal_is_found_by_its_unit() -> None:
    for text in ("time", "ram", "instructions=1,flash=50"):
        assert Goal.of_unit(Goal.of(text).unit) == Goal.of(text)


def test_the_unit_tells_the_weights() -> None:
    assert Goal.of("flash=50, instructions").unit == "instructions=1,flash=50"


def test_a_failure_costs_nothing_that_counts() -> None:
    assert Goal.of("flash").cost(Measurement(COSTS, ErrorKind.WRONG_ANSWER)) is None


def test_a_measurement_without_a_unit_has_no_cost() -> None:
    assert Goal.of("instructions,time").cost(Measurement(COSTS)) is None


@pytest.mark.parametrize("text", ["speed", "flash=x", "flash=-1", "flash,flash"])
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--objective"):
        Goal.of(text)
