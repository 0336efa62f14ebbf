"""What the operators of one model share that draw random numbers: the number of the run, and their own count."""

from __future__ import annotations

from collections.abc import Callable

from s2s.errors import UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.support.mutable import mutable

RUN_NUMBER = "run_number"
"""The name of the state that counts the runs of a network."""


@mutable
class Draws:
    """Numbers the operators that draw, and gives them the number of the run."""

    current: Callable[[], Builder]
    """Where operations go now."""
    main: Builder
    state: Callable[[], Value]
    """Makes the number of the run an input of `main` that it counts up itself, or finds it."""
    count: int = 0

    def next(self) -> int:
        """The number of the next operator that draws."""
        self.count += 1
        return self.count - 1

    def run_number(self, place: str) -> Value:
        """How often the network has run before, as one u64."""
        if self.current() is not self.main:
            raise UnsupportedError(
                f"{place}: draws random numbers in a body that runs as a network of its own; "
                "draw them outside of the body"
            )
        return self.state()
