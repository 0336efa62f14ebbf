"""`s2s.support.dataclass` beside the decorator of the standard library."""

import dataclasses
import inspect
from dataclasses import FrozenInstanceError, field

import pytest

from s2s.support.dataclass import dataclass


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list[str], compare=False, repr=False)


@dataclass(frozen=True)
class Named(Point):
    name: str = "p"


@dataclass
class Counter:
    count: int = 0
    doubled: int = field(init=False)

    def __post_init__(self) -> None:
        self.doubled = 2 * self.count


@dataclass(frozen=True, kw_only=True)
class Keyed:
    key: str


@dataclass(frozen=True, eq=False)
class Thing:
    x: int


class Free(Point):
    """A class without fields of its own, which is no dataclass."""


@dataclasses.dataclass(frozen=True)
class Standard(Point):
    z: int = 3


def test_fields_are_initialised_by_position_by_name_and_by_default() -> None:
    point = Point(1, tags=["a"])
    assert (point.x, point.y, point.tags) == (1, 2, ["a"])


def test_a_factory_is_called_for_each_instance() -> None:
    assert Point(1).tags is not Point(1).tags


def test_instances_are_shown_like_those_of_the_standard_library() -> None:
    assert repr(Named(1, name="q")) == "Named(x=1, y=2, name='q')"


def test_equality_asks_for_the_same_class_and_compared_fields() -> None:
    assert Point(1, tags=["a"]) == Point(1, tags=["b"])
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert Thing(1) != Thing(1)


def test_the_hash_is_that_of_the_compared_fields() -> None:
    assert hash(Point(1, tags=["a"])) == hash((1, 2))
    assert hash(Keyed(key="k")) == hash(("k",))


def test_instances_that_can_change_have_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(Counter())


@pytest.mark.parametrize("instance", [Point(1), Named(1), Standard(1)])
def test_a_frozen_instance_refuses_assignment_and_deletion(instance: Point) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        setattr(instance, "x", 2)  # noqa: B010
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        delattr(instance, "x")


def test_a_class_that_derives_from_a_frozen_one_has_attributes_of_its_own() -> None:
    free = Free(1)
    setattr(free, "other", 3)  # noqa: B010
    assert vars(free)["other"] == 3


def test_post_init_runs_after_the_fields_are_set() -> None:
    assert Counter(2).doubled == 4


def test_functions_of_the_standard_library_take_instances() -> None:
    assert dataclasses.replace(Named(1), y=5) == Named(1, 5)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2, "tags": []}
    assert [each.name for each in dataclasses.fields(Standard)] == ["x", "y", "tags", "z"]


def test_the_signature_tells_types_and_defaults() -> None:
    assert str(inspect.signature(Point)) == "(x: int, y: int = 2, tags: list[str] = <factory>) -> None"


def test_keyword_only_fields_refuse_positions() -> None:
    with pytest.raises(TypeError):
        Keyed("k")  # pyright: ignore[reportCallIssue]
