"""Inputs of which a run takes a part: windows that slide over the frames of a stream, and rows that are pushed."""

from typing import NamedTuple


class Sliding(NamedTuple):
    """How an input slides: along `axis`, by this many `frames` a run; None stands for as few as the network allows."""

    axis: int
    frames: int | None = None


class Pushed(NamedTuple):
    """The input whose rows along `axis` the caller hands over one after the other."""

    input: str
    axis: int

    def __str__(self) -> str:
        return f"{self.input}:{self.axis}"
