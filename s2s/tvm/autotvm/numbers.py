"""Configurations by number: which numbers have one, and walks among them."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from random import randrange

from s2s.errors import InputError


class Numbered(ABC):
    """Configurations with the numbers from 0 to `range_length`, of which some may have none."""

    @property
    @abstractmethod
    def range_length(self) -> int:
        """The number behind the last one."""

    def is_index_valid(self, index: int) -> bool:
        """Return whether there is a configuration of a number."""
        return 0 <= index < self.range_length

    def subrange_length(self, start: int, end: int) -> int:
        """Return how many numbers from `start` on, below `end`, have a configuration."""
        self._check(start, end)
        return sum(map(self.is_index_valid, range(start, end)))

    def get_rand_index(
        self, start: int | None = None, end: int | None = None, to_exclude: Collection[int] | None = None
    ) -> int:
        """Return a number drawn from `start` on, below `end`, that has a configuration and is not excluded."""
        first, behind = start or 0, end or self.range_length
        self._check(first, behind)
        excluded = set(to_exclude or ())
        for _ in range(4 * (behind - first)):
            number = randrange(first, behind)
            if number not in excluded and self.is_index_valid(number):
                return number
        left = [index for index in range(first, behind) if index not in excluded and self.is_index_valid(index)]
        if not left:
            raise InputError(f"autotvm: no configuration is left from {first} to {behind}; exclude fewer numbers")
        return left[randrange(len(left))]

    def get_next_index(self, index: int, n: int = 1, start: int | None = None, end: int | None = None) -> int | None:
        """Return the `n`-th number behind one that has a configuration, before it for a negative `n`; None where it
        would lie outside of `start` to `end`."""
        if n == 0:
            raise InputError("autotvm: the number 0 behind one is the number itself; give a step")
        first, behind, step, left = start or 0, end or self.range_length, 1 if n > 0 else -1, abs(n)
        while left:
            index += step
            if not first <= index < behind:
                return None
            left -= self.is_index_valid(index)
        return index

    def sample_ints(self, m: int) -> list[int]:
        """Return `m` different numbers that have a configuration."""
        chosen: list[int] = []
        while len(chosen) < m:
            chosen.append(self.get_rand_index(to_exclude=chosen))
        return chosen

    def _check(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= self.range_length:
            raise InputError(f"autotvm: numbers from {start} to {end} of {self.range_length}; give numbers of these")
