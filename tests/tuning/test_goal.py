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
