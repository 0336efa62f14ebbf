"""What a search needs of a space: knobs with numbered values, of which some combinations are legal.

A point of a space is the index of the value of each knob, or a number below the product of their counts. The text of a
point is what a record keeps; points with equal texts are the same choice, and an illegal point has none.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from random import Random

from s2s.support.frozen import frozen

MAX_LISTED = 2_000
"""Spaces up to this size are counted point by point."""
PATIENCE = 200
"""Illegal points in a row after which drawing at random gives up."""


@frozen
class Point:
    """A point of a space: the index of the value of each knob."""

    places: tuple[int, ...]


class SearchSpace(ABC):
    """Knobs and their legal combinations."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each knob."""

    @abstractmethod
    def text(self, point: Point) -> str | None:
        """Return the choice at a point as records keep it; None where it is illegal."""

    @abstractmethod
    def starts(self) -> list[Point]:
        """Return the points to measure first, best guesses first."""

    @abstractmethod
    def features(self, point: Point) -> list[float]:
        """Return numbers that describe a legal point to a learned cost model."""

    @property
    def for_one_task(self) -> Sequence[int]:
        """The numbers of the features that mean nothing in the space of another task."""
        return ()

    def find(self, text: str) -> Point | None:
        """Return the point of a choice; None where only searching all points would tell."""
        return next((point for point in self.starts() if self.text(point) == text), None)

    @property
    def size(self) -> int:
        """The number of points, legal or not. A network has more than `len` may return."""
        return prod(self.sizes)

    def point(self, index: int) -> Point:
        """Return the point of a number below `self.size`."""
        places: list[int] = []
        for size in reversed(self.sizes):
            index, place = divmod(index, size)
            places.append(place)
        return Point(tuple(reversed(places)))

    def index(self, point: Point) -> int:
        """Return the number of a point."""
        number = 0
        for size, place in zip(self.sizes, point.places, strict=True):
            number = number * size + place
        return number

    @cached_property
    def listed(self) -> Mapping[str, Point] | None:
        """The legal choices, each once, with the first point that gives it; None where the space is too large."""
        if self.size > MAX_LISTED:
            return None
        found: dict[str, Point] = {}
        for index in range(self.size):
            point = self.point(index)
            if (text := self.text(point)) is not None:
                found.setdefault(text, point)
        return found

    def draw(self, random: Random) -> Point | None:
        """Draw a legal point; None if none was found in a long time."""
        for _ in range(PATIENCE if self.size else 0):
            point = Point(tuple(self._drawn(random, size) for size in self.sizes))
            if self.text(point) is not None:
                return point
        return None

    def neighbour(self, point: Point, random: Random) -> Point | None:
        """Change one knob, or two, of a legal point into another legal one."""
        for _ in range(PATIENCE):
            places = list(point.places)
            for _ in range(random.choice((1, 1, 2))):
                knob = random.randrange(len(places))
                places[knob] = random.randrange(self.sizes[knob])
            if tuple(places) != point.places and self.text(Point(tuple(places))) is not None:
                return Point(tuple(places))
        return None

    def crossed(self, first: Point, second: Point, random: Random) -> Point:
        """Take each knob from one of two points."""
        pairs = zip(first.places, second.places, strict=True)
        return Point(tuple(random.choice(pair) for pair in pairs))

    def _drawn(self, random: Random, size: int) -> int:
        """Draw the index of a value of a knob."""
        return random.randrange(size)
