"""The space of configurations of a template, and the configuration of which nothing is known."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from random import randrange
from typing import Any

from s2s.errors import InputError
from s2s.tvm.autotvm.config import Config, ConfigEntity
from s2s.tvm.autotvm.knobs import Entity, SplitEntity
from s2s.tvm.autotvm.numbers import Numbered

Filter = Callable[[Mapping[str, Any]], bool]
"""Tells of the values of all knobs whether they go together."""


class ConfigSpace(Config, Numbered):
    """All configurations of a template: the product of its knobs' values, numbered, the first knob counting fastest.

    With `multi_filter` some numbers have none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.space_map: dict[str, list[Entity]] = {}
        self._filter: Filter | None = None
        self._kept: set[int] | None = None
        """The numbers that the filter keeps, once it has been asked."""

    def _declare(self, name: str, values: Callable[[], list[Entity]]) -> None:
        found = values()
        if not found:
            raise InputError(f"autotvm: knob {name!r} has no values; give candidates, or a weaker filter")
        self.space_map[name] = found
        self.entities[name] = found[0]
        self.clear_cache()

    @property
    def dims(self) -> list[int]:
        """The number of values of each knob."""
        return [len(value) for value in self.space_map.values()]

    @property
    def range_length(self) -> int:
        """The number of combinations of values, kept or not."""
        return prod(self.dims)

    def __len__(self) -> int:
        """The number of configurations."""
        return self.range_length if self._filter is None else len(self._valid)

    def multi_filter(self, filter: Filter) -> None:
        """Keep only configurations for whose values by knob `filter` returns true."""
        self._filter = filter
        self.clear_cache()

    def clear_cache(self) -> None:
        """Ask the filter anew."""
        self._kept = None

    @property
    def _valid(self) -> set[int]:
        if self._kept is None:
            keep = self._filter or bool
            self._kept = {number for number in range(self.range_length) if keep(self._values(number))}
        return self._kept

    def is_index_valid(self, index: int) -> bool:
        return super().is_index_valid(index) and (self._filter is None or index in self._valid)

    def _values(self, number: int) -> dict[str, Entity]:
        """The value of each knob at a number."""
        places = self.point2knob(number)
        return {name: values[place] for (name, values), place in zip(self.space_map.items(), places, strict=True)}

    def get(self, index: int) -> ConfigEntity:
        """Return the configuration of a number below `range_length`."""
        if not 0 <= index < self.range_length:
            raise InputError(f"autotvm: configuration {index} of {self.range_length}; give a smaller number")
        if not self.is_index_valid(index):
            raise InputError(f"autotvm: configuration {index} is left out by multi_filter; ask is_index_valid before")
        return ConfigEntity(index, self._values(index))

    def point2knob(self, point: int) -> list[int]:
        """Return the places of the values in their knobs of a number."""
        places: list[int] = []
        for size in self.dims:
            point, place = divmod(point, size)
            places.append(place)
        return places

    def knob2point(self, knob: Sequence[int]) -> int:
        """Return the number of the places of values in their knobs."""
        number = 0
        for size, place in zip(reversed(self.dims), reversed(knob), strict=True):
            number = number * size + place
        return number

    def random_walk(self, point: int) -> int:
        """Return the number of another configuration, which has other values of one or a few knobs."""
        if len(self) < 2:
            raise InputError(f"autotvm: there is no other configuration than {point}; define more values")
        places = self.point2knob(point)
        while (walked := self.knob2point(places)) == point or not self.is_index_valid(walked):
            knob = randrange(len(places))
            places[knob] = randrange(self.dims[knob])
        return walked

    def index_of(self, config: ConfigEntity) -> int | None:
        """Return the number of a configuration by its values; None where a value is none of its knob's."""
        if list(config.entities) != list(self.space_map):
            return None
        if any(config.entities[name] not in values for name, values in self.space_map.items()):
            return None
        return self.knob2point([values.index(config.entities[name]) for name, values in self.space_map.items()])

    def __iter__(self) -> Iterator[ConfigEntity]:
        return (self.get(index) for index in range(self.range_length) if self.is_index_valid(index))

    def __repr__(self) -> str:
        head = f"ConfigSpace (len={len(self)}, range_length={self.range_length}, space_map="
        return "\n".join([head, *map(self._line, enumerate(self.space_map)), ")"])

    def _line(self, knob: tuple[int, str]) -> str:
        number, name = knob
        values = self.space_map[name]
        shown = ", ".join(str(each.value) for each in values[:4]) + (", …" if len(values) > 4 else "")
        return f"  {number:2} {name}: {len(values)} of kind {values[0].kind}: {shown}"


class FallbackConfigEntity(ConfigSpace):
    """A configuration of which nothing is known: each knob has its first value, or the one that the template sets."""

    is_fallback = True

    def __init__(self) -> None:
        super().__init__()
        self._given: set[str] = set()
        """The knobs that the template has set."""

    def _declare(self, name: str, values: Callable[[], list[Entity]]) -> None:
        if name not in self._given:
            super()._declare(name, values)

    def __setitem__(self, name: str, entity: Entity) -> None:
        """Set the value of a knob."""
        self.entities[name] = entity
        self._given.add(name)

    def fallback_split(self, name: str, constraints: Sequence[int]) -> None:
        """Split a loop into divisors of its steps that are as large as `constraints` allow, from the innermost on; -1
        allows all: of 49 steps and [-1, 8, 4] these are 7, 7, 1."""
        before = self.entities[name]
        if not isinstance(before, SplitEntity) or len(before.size) != len(constraints):
            raise InputError(f"autotvm: fallback_split of {name} by {list(constraints)}; give a limit for each loop")
        rest, sizes = self._extent(name), list[int]()
        for most in reversed(constraints):
            fitting = [get_factor for get_factor in get_factors(rest) if most == -1 or get_factor <= most]
            if not fitting:
                raise _NoSplit(f"autotvm: no divisor of {rest} is {most} at most, which {name} asks for; allow 1")
            sizes.insert(0, fitting[-1])
            rest //= fitting[-1]
        self[name] = SplitEntity(tuple(sizes))

    def _extent(self, name: str) -> int:
        """The steps of the loop that a knob splits: the largest product of sizes behind the first."""
        splits = [each for each in self.space_map[name] if isinstance(each, SplitEntity)]
        return max(prod(split.size[1:]) for split in splits)

    def fallback_with_reference_log(self, ref_log: Iterable[tuple[Any, Any]]) -> None:
        """Take over the values of the configuration in a log whose loops have most divisors in common with the ones of
        the template."""
        splits = [name for name, values in self.space_map.items() if isinstance(values[0], SplitEntity)]
        configs: list[ConfigEntity] = [pair[0].config for pair in ref_log]
        usable = [each for each in configs if all(name in each for name in self.space_map)]
        best = max(usable, key=lambda each: sum(self._likeness(name, each) for name in splits), default=None)
        if best is None:
            return
        for name in self.space_map:
            if name in splits:
                self.fallback_split(name, [-1, *best[name].size[1:]])
            else:
                self[name] = best[name]

    def _likeness(self, name: str, config: ConfigEntity) -> float:
        ours, theirs = get_factors(self._extent(name)), get_factors(abs(prod(config[name].size)))
        return len(set(ours) & set(theirs)) / len(ours)


class _NoSplit(InputError, RuntimeError):
    """No divisors fit what a template allows."""


def get_pow2s(n: int) -> list[int]:
    """Return the powers of two up to a number in ascending order."""
    return [2**power for power in range(n.bit_length())]


def get_factors(n: int) -> list[int]:
    """Return the divisors of a number in ascending order."""
    low = [each for each in range(1, int(n**0.5) + 1) if n % each == 0]
    return sorted({*low, *(n // each for each in low)})
