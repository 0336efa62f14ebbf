"""`frozen` and `mutable` define what `dataclass` does."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import pytest

from s2s.support.frozen import frozen
from s2s.support.mutable import mutable
from support.project import ROOT


class _Classes(NamedTuple):
    """The same classes, made by one decorator and by the other."""

    point: Any
    named: Any
    empty: Any


def _made(decorator: Any) -> _Classes:
    @decorator
    class Point:
        """A point."""

        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list[str], compare=False)
        noted: str = field(default="n", repr=False)

        @cached_property
        def sum(self) -> int:
            return self.x + self.y

    @decorator
    class Named(Point):
        """A point with a name."""

        name: str = "a"

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

    @decorator
    class Empty:
        """Nothing."""

    return _Classes(Point, Named, Empty)


OURS, THEIRS = _made(frozen), _made(dataclass(frozen=True))


@frozen
class Size:
    """At the top of a module, where pickle finds it."""

    bytes: int


def _uses(made: _Classes) -> dict[str, object]:
    """What uses of the classes give."""
    point, named, empty = made
    return {
        "fields": (vars(point(1)), vars(named(1, y=3, name="b")), vars(empty())),
        "equality": (point(1) == point(1, tags=["other"]), point(1) == point(2), point(1) == named(1)),
        "hash": (hash(point(1)) == hash(point(1, tags=["x"])), empty() == empty(), hash(empty())),
        "repr": (repr(named(1)), repr(empty())),
        "declared": [(each.name, each.init, each.compare) for each in fields(named)],
        "tools": (asdict(named(1)), vars(replace(named(1), x=5)), named.__match_args__),
        "values": (point(1).tags is point(1).tags, point(1).sum, vars(copy.copy(point(4)))),
    }


def test_it_behaves_as_a_dataclass():
    assert _uses(OURS) == _uses(THEIRS)


def _mutated(decorator: Any) -> dict[str, object]:
    """What uses of a class whose objects change give."""

    @decorator
    class Scope:
        """Names in a block."""

        depth: int
        names: list[str] = field(default_factory=list[str])
        size: int = field(init=False)
        noted: dict[str, int] = field(init=False, default_factory=dict[str, int])

        def __post_init__(self) -> None:
            self.size = len(self.names)

    scope = Scope(1, ["a"])
    before = (repr(scope)[-53:], scope == Scope(1, ["a"]), scope == Scope(2, ["a"]))
    scope.depth, scope.noted["a"] = 2, 5
    return {
        "created": before,
        "changed": (vars(scope), scope == Scope(2, ["a"]), vars(replace(Scope(1), depth=3))),
        "hash": Scope.__hash__,
        "defaults": (Scope(1).names is Scope(1).names, Scope(1).noted is Scope(1).noted),
        "declared": [(each.name, each.init) for each in fields(Scope)],
    }


def test_a_mutable_class_behaves_as_a_dataclass():
    assert _mutated(mutable) == _mutated(dataclass)


def test_a_mutable_class_keeps_its_own_comparison():
    @mutable
    class Word:
        """Equal to words of the same length."""

        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Word) and len(other.text) == len(self.text)

    assert Word("ab") == Word("cd")


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
def test_wrong_uses_are_refused(classes: _Classes):
    point = classes.point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'x'"):
        classes.point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        classes.point(1, z=3)
    with pytest.raises(ValueError, match="no name"):
        classes.named(1, name="")


def test_methods_of_the_class_are_kept():
    @frozen
    class Word:
        """Equal to words of the same length."""

        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Word) and len(other.text) == len(self.text)

        def __hash__(self) -> int:
            return len(self.text)

        def __repr__(self) -> str:
            return self.text

    assert (Word("ab") == Word("cd"), hash(Word("abc")), repr(Word("ab"))) == (True, 3, "ab")


def test_objects_go_through_pickle():
    assert pickle.loads(pickle.dumps(Size(3))) == Size(3)


def test_an_object_may_equal_only_itself_and_print_as_its_base_says():
    class Named:
        """Printed by name."""

        def __repr__(self) -> str:
            return "named"

    @frozen(eq=False, repr=False)
    class Node(Named):
        """A node of a graph."""

        inputs: tuple["Node", ...] = ()

    first, second = Node(), Node()
    assert (first == second, first == first, len({first, second}), repr(first)) == (False, True, 2, "named")


def test_fields_may_be_given_by_name_only():
    @frozen(kw_only=True)
    class Sizes:
        """Sizes of memories."""

        ram: int
        flash: int = 0

    assert (Sizes(ram=1).flash, Sizes(flash=2, ram=1).flash) == (0, 2)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        Sizes(1)  # pyright: ignore[reportCallIssue]


def test_subclasses_of_frozen_dataclasses_are_frozen():
    @dataclass(frozen=True)
    class Base:
        """Defined as a library does."""

        name: str

    @frozen
    class Derived(Base):
        """Defined by us."""

        size: int = 3

    made: Any = Derived("a")
    assert (made, repr(made)[-24:]) == (Derived("a", 3), "Derived(name='a', size=3)"[-24:])
    with pytest.raises(FrozenInstanceError):
        made.size = 4


def test_single_fields_compare_as_in_a_tuple():
    not_a_number = Size(float("nan"))  # pyright: ignore[reportArgumentType]
    assert not_a_number == replace(not_a_number)


def test_the_package_defines_frozen_classes_in_one_way():
    others = [
        path.name
        for folder in ("s2s", "dialects")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "frozen.py" and "dataclass(frozen=True" in path.read_text()
    ]
    assert others == []
