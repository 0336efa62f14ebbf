"""When copies of constants start, and how long a run waits for them."""

from s2s.memory.streams import Stream, behind_the_wait, just_in_time, stall

STEPS = (100, 100, 100)
LONG = Stream(0, 2, 64, 150)
SHORT = Stream(1, 1, 16, 40)


def test_a_copy_starts_before_the_last_step_from_which_it_is_hidden():
    assert just_in_time([LONG], STEPS, slack=1) == {LONG: 2}
    assert just_in_time([Stream(0, 2, 64, 100)], STEPS, slack=1) == {Stream(0, 2, 64, 100): 1}


def test_copies_start_earlier_than_estimates_ask_for():
    assert just_in_time([Stream(0, 2, 64, 60)], STEPS) == {Stream(0, 2, 64, 60): 2}


def test_copies_that_take_turns_start_earlier():
    assert just_in_time([LONG, SHORT], STEPS) == {LONG: 2, SHORT: 1}


def test_a_copy_that_nothing_hides_starts_with_the_network():
    assert just_in_time([Stream(0, 1, 64, 999)], STEPS) == {Stream(0, 1, 64, 999): 1}


def test_a_double_buffer_is_filled_behind_the_wait_before():
    assert behind_the_wait([LONG, SHORT]) == {SHORT: 1, LONG: 1}


def test_hidden_copies_cost_nothing():
    assert stall({LONG: 2}, STEPS) == 0


def test_a_run_waits_for_what_is_not_hidden():
    assert stall({LONG: 0}, STEPS) == 150
    assert stall({LONG: 1}, STEPS) == 50


def test_a_wait_is_for_every_copy_that_is_under_way():
    assert stall({LONG: 2, SHORT: 1}, STEPS) == 90
