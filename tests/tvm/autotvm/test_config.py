"""Knobs of templates, their values, and numbers of configurations."""

import json
from collections.abc import Callable

import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import te
from s2s.tvm.autotvm.config import ConfigEntity, VirtualAxis
from s2s.tvm.autotvm.knobs import SplitEntity
from s2s.tvm.autotvm.space import ConfigSpace


def values(define: Callable[[ConfigSpace], object]) -> list[object]:
    """The values of the knob that `define` declares."""
    space = ConfigSpace()
    define(space)
    ((_, entities),) = space.space_map.items()
    return [each.value for each in entities]


def test_splits_are_divisors() -> None:
    assert values(lambda cfg: cfg.define_split("s", 6)) == [[-1, 1], [-1, 2], [-1, 3], [-1, 6]]


def test_splits_into_three_divide_together() -> None:
    found = values(lambda cfg: cfg.define_split("s", 4, num_outputs=3))
    assert found == [[-1, 1, 1], [-1, 1, 2], [-1, 1, 4], [-1, 2, 1], [-1, 2, 2], [-1, 4, 1]]


def test_powers_of_two_may_leave_a_rest() -> None:
    assert values(lambda cfg: cfg.define_split("s", 6, policy="power2")) == [[-1, 1], [-1, 2], [-1, 4]]


def test_powers_of_two_without_a_rest() -> None:
    assert values(lambda cfg: cfg.define_split("s", 6, policy="power2", no_tail=True)) == [[-1, 1], [-1, 2]]


def test_the_largest_factor_is_limited() -> None:
    assert values(lambda cfg: cfg.define_split("s", 64, max_factor=2)) == [[-1, 1], [-1, 2]]


def is_wide(split: SplitEntity) -> bool:
    return split.size[-1] >= 4


def test_a_filter_keeps_splits() -> None:
    assert values(lambda cfg: cfg.define_split("s", 8, filter=is_wide)) == [[-1, 4], [-1, 8]]


def test_candidates_of_splits_are_taken_as_they_are() -> None:
    assert values(lambda cfg: cfg.define_split("s", 8, policy="candidate", candidate=[[2, 4]])) == [[2, 4]]


def test_a_knob_without_values_is_refused() -> None:
    with pytest.raises(InputError, match="knob 's' has no values"):
        ConfigSpace().define_split("s", 8, filter=lambda _: False)


def test_orders_are_permutations() -> None:
    axes = [VirtualAxis(2), VirtualAxis(3)]
    assert values(lambda cfg: cfg.define_reorder("r", axes, "all")) == [[0, 1], [1, 0]]


def test_orders_of_an_interval_keep_the_rest() -> None:
    axes = [VirtualAxis(2) for _ in range(3)]
    found = values(lambda cfg: cfg.define_reorder("r", axes, "interval_all", interval=(1, 3)))
    assert found == [[0, 1, 2], [0, 2, 1]]


def test_interleaving_keeps_the_order_of_each_chain() -> None:
    y, x, k = [VirtualAxis(2), VirtualAxis(2)], [VirtualAxis(2)], [VirtualAxis(2)]
    found = values(lambda cfg: cfg.define_reorder("r", [*y, *x, *k], "interleave", spatial=[y, x], reduce=[k]))
    assert found == [[0, 2, 1, 3], [0, 2, 3, 1]]


def test_unrolling_goes_from_the_innermost_loop_out() -> None:
    axes = [VirtualAxis(2), VirtualAxis(2)]
    found = values(lambda cfg: cfg.define_annotate("a", axes, "try_unroll"))
    assert found == [["none", "none"], ["none", "unroll"], ["unroll", "unroll"]]


def test_only_the_innermost_loop_runs_in_vectors() -> None:
    axes = [VirtualAxis(2), VirtualAxis(2)]
    assert values(lambda cfg: cfg.define_annotate("a", axes, "try_vec")) == [["none", "none"], ["none", "vec"]]


def test_annotations_of_gpus_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="policy 'bind_gpu' is not supported"):
        ConfigSpace().define_annotate("a", [VirtualAxis(2)], "bind_gpu")


@pytest.fixture
def space() -> ConfigSpace:
    found = ConfigSpace()
    found.define_split("tile", 8)
    found.define_knob("unroll", [0, 1, 2])
    return found


def test_a_space_is_the_product_of_its_knobs(space: ConfigSpace) -> None:
    assert len(space) == 4 * 3


def test_every_number_is_that_of_its_configuration(space: ConfigSpace) -> None:
    assert [space.index_of(each) for each in space] == list(range(12))


def test_the_first_knob_counts_fastest(space: ConfigSpace) -> None:
    assert (space.get(1)["tile"].size, space.get(1)["unroll"].val) == ([-1, 2], 0)


def test_numbers_beyond_the_space_are_refused(space: ConfigSpace) -> None:
    with pytest.raises(InputError, match="configuration 12 of 12"):
        space.get(12)


def test_a_configuration_goes_through_json(space: ConfigSpace) -> None:
    config = space.get(7)
    again = ConfigEntity.from_json_dict(json.loads(config.text))
    assert (again.index, again.entities) == (config.index, config.entities)


def test_a_knob_that_is_declared_again_has_the_new_values(space: ConfigSpace) -> None:
    space.define_knob("unroll", [5])
    assert len(space) == 4


def test_a_given_configuration_declares_nothing(space: ConfigSpace) -> None:
    config = space.get(3)
    config.define_knob("new", [1, 2])
    assert "new" not in config


def test_loops_of_a_given_split_have_its_sizes(space: ConfigSpace) -> None:
    outer, inner = space.get(2).define_split("tile", 8)
    assert (outer.extent, inner.extent) == (2, 4)


def test_a_split_makes_loops_outermost_first() -> None:
    a = te.placeholder((8,), name="a")
    b = te.compute((8,), lambda i: a[i] + 1, name="b")
    s = te.create_schedule(b.op)
    loops = SplitEntity((-1, 2, 2)).apply(s, b, b.op.axis[0])
    assert [loop.extent for loop in loops] == [2, 2, 2]
    assert [id(loop) for loop in s[b].leaves] == [id(loop) for loop in loops]
