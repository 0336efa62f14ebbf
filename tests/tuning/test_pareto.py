"""Pareto fronts of records, and the records that save the most within a limit of bytes."""

from dataclasses import replace

import pytest

from s2s.tuning.measurement import SMALL_FLASH
from s2s.tuning.pareto import FLASH, pareto_front, within
from s2s.tuning.records import NETWORK, MeasuredRecord


def record(
    cost: float | None, flash: float, task: str = "a", calls: int = 1, small: float | None = None
) -> MeasuredRecord:
    return MeasuredRecord(
        task,
        "cortex-m4",
        (("schedule", task, f"{cost} {flash}"),),
        cost,
        "instructions",
        costs={FLASH: flash, SMALL_FLASH: flash if small is None else small},
        calls=calls,
    )


def test_a_record_that_is_beaten_in_both_is_left_out() -> None:
    assert pareto_front([record(10, 5), record(11, 6)]) == (record(10, 5),)


def test_a_record_that_is_better_in_one_stays() -> None:
    assert pareto_front([record(10, 5), record(9, 6)]) == (record(9, 6), record(10, 5))


def test_of_equal_records_one_stays() -> None:
    assert len(pareto_front([record(10, 5), record(10, 5)])) == 1


def test_each_task_has_a_front_of_its_own() -> None:
    assert len(pareto_front([record(10, 5), record(11, 6, "b")])) == 2


def test_failures_are_on_no_front() -> None:
    assert pareto_front([record(None, 1), record(10, 5)]) == (record(10, 5),)


def test_a_record_that_is_smaller_with_other_flags_stays() -> None:
    assert len(pareto_front([record(10, 5, small=9), record(11, 6, small=8)])) == 2


def chosen(records: list[MeasuredRecord], flash: float) -> tuple[tuple[MeasuredRecord, ...], float]:
    found, extra = within(records, {FLASH: flash})
    return found, extra[FLASH]


def test_without_bytes_to_spare_nothing_larger_is_taken() -> None:
    assert chosen([record(10, 5), record(9, 6)], 0) == ((), 0)


def test_a_smaller_and_cheaper_record_is_always_taken() -> None:
    assert chosen([record(10, 5), record(9, 4)], 0) == ((record(9, 4),), -1)


def test_bytes_go_where_they_save_most() -> None:
    records = [record(100, 0), record(90, 10), record(100, 0, "b"), record(50, 10, "b")]
    assert chosen(records, 10) == ((record(50, 10, "b"),), 10)


def test_what_is_called_often_counts_more() -> None:
    records = [record(100, 0, calls=9), record(90, 10, calls=9), record(100, 0, "b"), record(50, 10, "b")]
    assert chosen(records, 10) == ((record(90, 10, calls=9),), 10)


@pytest.mark.parametrize(("limit", "cost"), [(4, 100), (5, 80), (20, 60)])
def test_a_front_is_followed_as_far_as_bytes_reach(limit: int, cost: float) -> None:
    found, _ = chosen([record(100, 0), record(80, 5), record(60, 20)], limit)
    assert [each.cost for each in found] == ([cost] if cost < 100 else [])


def test_a_dearer_record_makes_room_for_one_that_saves_more() -> None:
    records = [record(100, 10), record(101, 0), record(100, 0, "b"), record(50, 10, "b")]
    assert chosen(records, 0)[0] == (record(101, 0), record(50, 10, "b"))


def test_both_limits_hold() -> None:
    records = [record(100, 0), record(80, 5, small=1), record(60, 1, small=5)]
    found, extra = within(records, {FLASH: 5, SMALL_FLASH: 1})
    assert ([each.cost for each in found], extra) == ([80], {FLASH: 5, SMALL_FLASH: 1})


def test_a_limit_of_ram_holds_for_each_kernel() -> None:
    first, wide = record(100, 0), record(50, 0)
    wide = replace(wide, costs={**wide.costs, "bytes of ram": 64.0})
    first = replace(first, costs={**first.costs, "bytes of ram": 32.0})
    assert within([first, wide], {"bytes of ram": 31})[0] == ()
    assert within([first, wide], {"bytes of ram": 32})[0] == (wide,)


def with_bytes(made: MeasuredRecord, **more: float) -> MeasuredRecord:
    return replace(made, costs={**made.costs, **{f"bytes of {name}": count for name, count in more.items()}})


def test_a_record_that_takes_less_ram_stays() -> None:
    wide, narrow = with_bytes(record(9, 5), ram=64), with_bytes(record(10, 5), ram=32)
    assert pareto_front([wide, narrow]) == (wide, narrow)
    assert pareto_front([wide, with_bytes(record(10, 5), ram=64)]) == (wide,)


def test_a_record_that_takes_less_stack_stays() -> None:
    deep, flat = with_bytes(record(9, 5), ram=64, stack=80), with_bytes(record(10, 5), ram=64, stack=40)
    assert pareto_front([deep, flat]) == (deep, flat)


def test_a_place_that_measures_no_flash_has_a_front_too() -> None:
    fast = replace(record(1, 0), costs={"seconds": 1.0, "bytes of ram": 9.0})
    small = replace(record(2, 0), costs={"seconds": 2.0, "bytes of ram": 8.0})
    assert pareto_front([fast, small, replace(small, cost=3.0)]) == (fast, small)


def test_a_whole_network_is_no_kernel() -> None:
    assert pareto_front([replace(record(10, 5), kernel=NETWORK)]) == ()
